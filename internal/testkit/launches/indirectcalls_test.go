package launches_test

// This file calls functions through addresses: parameters in registers, in .param space, and signatures that do not fit.

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

const calledModule = `.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 r) plus(.reg .b32 a, .reg .b32 b) { add.u32 r, a, b; ret; }
.func (.reg .b32 r) minus(.reg .b32 a, .reg .b32 b) { .reg .b32 x; sub.u32 x, a, b; mov.b32 r, x; ret; }
.func (.reg .b32 r) thrice(.reg .b32 a, .reg .b32 unused) { mul.lo.u32 r, a, 3; ret; }
.func (.reg .b64 r) wide(.reg .b64 a, .param .b32 b, .reg .v2 .f32 c)
{
	.reg .b32 x, y, z; .reg .b64 w;
	ld.param.b32 x, [b]; mov.b32 y, c.x; mov.b32 z, c.y;
	add.u32 x, x, y; xor.b32 x, x, z; cvt.u64.u32 w, x; add.u64 r, a, w; ret;
}
.func (.param .b32 r) stored(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 1; st.param.b32 [r], x; ret; }
.func (.reg .b32 r) chain(.reg .b64 next, .reg .b32 n)
{
	.reg .pred p; .reg .b32 m;
	p1: .callprototype (.reg .b32 _) _ (.reg .b64 _, .reg .b32 _);
	setp.eq.u32 p, n, 0;
	mov.b32 r, 0;
	@p ret;
	sub.u32 m, n, 1;
	call (r), next, (next, m), p1;
	add.u32 r, r, n;
	ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b64 to, f, w; .reg .b32 t, r, s; .reg .f32 g, h; .reg .pred odd;
	ld.param.u64 to, [out];
	mov.u32 t, %tid.x;
	mad.wide.u32 to, t, 4, to;
	and.b32 s, t, 1; setp.eq.u32 odd, s, 1;
BODY
	st.global.b32 [to], r;
	ret;
}
`

// TestRegisterCalls: an indirect call passes registers to whichever function it reaches, and takes results from them.
func TestRegisterCalls(t *testing.T) {
	const two = "two: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b32 _);\n"
	for name, c := range map[string]struct {
		body string
		want func(lane uint32) uint32
	}{
		"one function":       {two + "mov.b64 f, plus; call (r), f, (t, t), two;", func(i uint32) uint32 { return 2 * i }},
		"constants":          {two + "mov.b64 f, minus; call (r), f, (50, t), two;", func(i uint32) uint32 { return 50 - i }},
		"a guard":            {two + "mov.b32 r, 7; mov.b64 f, plus; @odd call (r), f, (t, 100), two;", func(i uint32) uint32 { return 7 + i%2*(i+93) }},
		"a result dropped":   {two + "mov.b32 r, 7; mov.b64 f, plus; call (_), f, (t, 100), two;", func(i uint32) uint32 { return 7 }},
		"a list of targets":  {"L: .calltargets plus, minus;\nmov.b64 f, minus; call (r), f, (t, 3), L;", func(i uint32) uint32 { return i - 3 }},
		"an unused register": {two + "mov.b64 f, thrice; call (r), f, (t, t), two;", func(i uint32) uint32 { return 3 * i }},
		"lanes differ": {two + "mov.b64 f, plus; @odd mov.b64 f, minus; call (r), f, (t, 5), two;",
			func(i uint32) uint32 { return i + 5 - i%2*10 }},
		"64 bits, memory and a vector": {`P: .callprototype (.reg .b64 _) _ (.reg .b64 _, .param .b32 _, .reg .v2 .f32 _);
	.reg .v2 .f32 v;
	mov.b64 f, wide; mov.b64 w, 0x500000000; mov.b32 v.x, 0x100; mov.b32 v.y, 0xf0;
	{ .param .b32 m; st.param.b32 [m], t; call (w), f, (w, m, v), P; }
	shr.u64 f, w, 32; cvt.u32.u64 s, f; cvt.u32.u64 r, w; add.u32 r, r, s;`, func(i uint32) uint32 { return (i + 0x100) ^ 0xf0 + 5 }},
		"memory alone": {`P: .callprototype (.param .b32 _) _ (.param .b32 _);
	mov.b64 f, stored;
	{ .param .b32 m; .param .b32 n; st.param.b32 [m], t; call (n), f, (m), P; ld.param.b32 r, [n]; }`, func(i uint32) uint32 { return i + 1 }},
		"depth": {`P: .callprototype (.reg .b32 _) _ (.reg .b64 _, .reg .b32 _);
	mov.b64 f, chain; call (r), f, (f, t), P;`, func(i uint32) uint32 { return i * (i + 1) / 2 }},
	} {
		for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
			for _, look := range []ptxvm.Sanitize{0, ptxvm.SanitizeAll} {
				got, err := callIndirectly(t, c.body, ptxvm.DeviceConfig{Engine: engine, Sanitize: look})
				if err != nil {
					t.Fatalf("%s, engine %v, sanitizers %v: %v", name, engine, look, err)
				}
				for i, v := range got {
					if want := c.want(uint32(i)); v != want {
						t.Fatalf("%s, engine %v, sanitizers %v: lane %d has %d, want %d", name, engine, look, i, v, want)
					}
				}
			}
		}
	}
}

// TestRegisterCallsUnset: what is not known of an argument is not known of the parameter.
func TestRegisterCallsUnset(t *testing.T) {
	body := "two: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b32 _);\nmov.b64 f, plus; call (r), f, (t, r), two; setp.eq.u32 odd, r, 0; @odd st.global.b32 [to], t;"
	_, err := callIndirectly(t, body, ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeAll})
	if found := new(ptxvm.SanitizerError); !errors.As(err, &found) {
		t.Errorf("a register that nothing has written decides a branch behind a call: %v", err)
	}
}

// TestMisfits: a call whose prototype is not that of the function faults before the function runs, and says how they differ.
func TestMisfits(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\nmov.b64 f, plus; call (r), f, (t), P;",
			"the call passes (a register of 32 bits) and takes (a register of 32 bits), plus has (a register of 32 bits, a register of 32 bits)"},
		{"P: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b64 _);\nmov.b64 f, plus; call (r), f, (t, to), P;",
			"the call passes (a register of 32 bits, a register of 64 bits)"},
		{"P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\nmov.b64 f, stored; call (r), f, (t), P;",
			"stored has (4 bytes in .param) and returns (4 bytes in .param)"},
		{"P: .callprototype _ (.param .b16 _);\nmov.b64 f, stored;\n{ .param .b16 m; call f, (m), P; } mov.b32 r, t;", ""},
		{"P: .callprototype (.param .b64 _) _ (.param .b32 _);\nmov.b64 f, stored;\n{ .param .b32 m; .param .b64 n; st.param.b32 [m], t; call (n), f, (m), P; } mov.b32 r, t;",
			"and takes (8 bytes in .param), stored has (4 bytes in .param) and returns (4 bytes in .param)"},
		{"P: .callprototype _ ();\nmov.b64 f, stored; @odd call f, P; mov.b32 r, t;", "the call passes () and takes (), stored has (4 bytes in .param)"},
	} {
		_, err := callIndirectly(t, c.body, ptxvm.DeviceConfig{})
		var fault *ptxvm.Fault
		switch {
		case c.want == "" && err == nil:
		case !errors.As(err, &fault) || fault.Code != diag.BadIndirectCall || !strings.Contains(fault.Msg, c.want):
			t.Errorf("%s\n\thave %v\n\twant %s", c.body, err, c.want)
		}
	}
}

// callIndirectly launches the kernel with a body, and returns the word of each lane.
func callIndirectly(t *testing.T, body string, cfg ptxvm.DeviceConfig) ([]uint32, error) {
	t.Helper()
	d := rig.Device(t, cfg)
	m, err := ptxvm.Compile("calls.ptx", []byte(strings.Replace(calledModule, "BODY", body, 1)), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, 32)
	out, err := ptxvm.Upload(d, got)
	if err != nil {
		t.Fatal(err)
	}
	_, ran := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, out)
	if err := ptxvm.Download(out, got); err != nil {
		t.Fatal(err)
	}
	return got, ran
}
