package launches_test

import (
	"context"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestLanguage executes constructs of the language whose meaning no instruction shows:
// each kernel stores words, which are compared with what the manual (or ptxas) gives.
func TestLanguage(t *testing.T) {
	cases := []struct {
		name, decls, body string
		want              []uint32
	}{
		{"array elements count elements", ".shared .align 4 .u32 x[8];",
			"st.shared.u32 [x+12], 7; ld.shared.u32 %r0, x[3]; st.global.u32 [%rd0], %r0;", []uint32{7}},
		{"inner scopes shadow names", "",
			"mov.u32 %r0, 1; { .reg .u32 %r<2>; mov.u32 %r0, 2; st.global.u32 [%rd0+4], %r0; } st.global.u32 [%rd0], %r0;", []uint32{1, 2}},
		{"constant expressions", ".global .u32 g[3] = { (1 << 4) | 3, WARP_SZ + 0x10, 7 > 3 ? 5 : 6 };",
			"ld.global.u32 %r0, [g]; st.global.u32 [%rd0], %r0; ld.global.u32 %r0, [g+4]; st.global.u32 [%rd0+4], %r0; ld.global.u32 %r0, [g+8]; st.global.u32 [%rd0+8], %r0;",
			[]uint32{19, 48, 5}},
		{"byte masks of addresses", ".global .align 4 .u8 v[4]; .global .u8 low[2] = { 0xff(v), 0xff00(v) }; .global .u64 whole = v;",
			"ld.global.u8 %r0, [low]; ld.global.u8 %r1, [low+1]; shl.b32 %r1, %r1, 8; or.b32 %r0, %r0, %r1; ld.global.u16 %r1, [whole]; xor.b32 %r0, %r0, %r1; st.global.u32 [%rd0], %r0;",
			[]uint32{0}},
		{"vector registers by component", "",
			".reg .v2 .u32 w; mov.u32 w.x, 3; mov.u32 w.y, 4; add.u32 %r0, w.x, w.y; st.global.u32 [%rd0], %r0;", []uint32{7}},
		{"initialisers are generic addresses", ".global .u32 y = 9; .global .u64 p = generic(y);",
			"ld.global.u64 %rd1, [p]; ld.u32 %r0, [%rd1]; st.global.u32 [%rd0], %r0;", []uint32{9}},
		{"labels of inner blocks", "",
			"mov.u32 %r0, 0; { L: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 5; @%p0 bra L; } { L: add.u32 %r0, %r0, 10; } st.global.u32 [%rd0], %r0;", []uint32{15}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := runBody(t, c.decls, c.body, len(c.want)); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// runBody runs statements in one thread with the address of n words in %rd0.
func runBody(t *testing.T, decls, body string, n int) []uint32 {
	t.Helper()
	src := ".version 9.0\n.target sm_90\n.address_size 64\n" + decls + `
.visible .entry k(.param .u64 out) {
	.reg .pred %p<2>;
	.reg .u32 %r<4>;
	.reg .u64 %rd<4>;
	ld.param.u64 %rd0, [out];
	` + body + "\n\tret;\n}\n"
	m, err := ptxvm.Compile("body.ptx", []byte(src), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, n)
	out, err := ptxvm.Upload(d, words)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Launch(context.Background(), ptxvm.Launch{}, out); err != nil {
		t.Fatal(err)
	}
	if err := ptxvm.Download(out, words); err != nil {
		t.Fatal(err)
	}
	return words
}
