package launches_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// TestSinglePrecision: what modules for sm_1x leave in memory. They flush subnormal numbers everywhere; mad without a rounding
// mode cuts the product on a device of sm_1x, and is an fma on later ones (9.7.3.7).
func TestSinglePrecision(t *testing.T) {
	const tiny, least = 0x00400000, 0x00800000 // 2^-127, 2^-126
	for _, c := range []struct {
		version, text string
		a, b, c       uint32
		old, later    uint32 // on sm_13, sm_90
	}{
		{"1.4", "add.f32 d, a, b;", tiny, least, 0, least, least},
		{"1.4", "sub.f32 d, a, b;", least + 1, least, 0, 0, 0},
		{"1.4", "mul.f32 d, a, b;", least, 0xbf000000, 0, 0x80000000, 0x80000000},
		{"1.4", "min.f32 d, a, b;", tiny, least, 0, 0, 0},
		{"1.4", "neg.f32 d, a;", tiny, 0, 0, 0x80000000, 0x80000000},
		{"1.4", "abs.f32 d, a;", 0x80000001, 0, 0, 0, 0},
		{"1.4", "cvt.f32.f32 d, a;", tiny, 0, 0, 0, 0},
		{"1.4", "setp.eq.f32 p, a, b; selp.b32 d, 1, 0, p;", tiny, 0, 0, 1, 1},
		{"1.4", "div.approx.f32 d, a, b;", 0x3f800000, tiny, 0, 0x7f800000, 0x7f800000},
		{"1.4", "sqrt.approx.f32 d, a;", tiny, 0, 0, 0, 0},
		{"1.4", "rcp.approx.f32 d, a;", 0x80000000 | tiny, 0, 0, 0xff800000, 0xff800000},
		{"1.4", "cvt.f64.f32 x, a; cvt.rn.f32.f64 d, x;", tiny, 0, 0, tiny, tiny},
		{"1.5", "cvt.f64.f32 x, a; cvt.rn.f32.f64 d, x;", tiny, 0, 0, 0, 0},
		{"1.4", "mad.f32 d, a, b, c;", 0x3f800001, 0x3fffffff, 0xbf800000, 0x3f800000, 0x3f800001},
		{"1.4", "mad.sat.f32 d, a, b, c;", 0x3f800001, 0x3fffffff, 0xbf800000, 0x3f800000, 0x3f800000},
		{"1.4", "mad.f32 d, a, b, c;", 0x7f000000, 0x40000000, 0xff7fffff, 0x73800000, 0x73800000},
		{"1.4", "mad.f32 d, a, b, c;", 0x7f000000, 0x40800000, 0x80000000, 0x7f800000, 0x7f800000},
		{"2.0", "mad.f32 d, a, b, c;", tiny, 0x3f800000, least, least, least},
	} {
		text := strings.NewReplacer("VERSION", c.version, "TEXT", c.text).Replace(`.version VERSION
.target sm_13
.entry k(.param .u64 out, .param .f32 va, .param .f32 vb, .param .f32 vc)
{
	.reg .u64 o; .reg .f32 a, b, c, d; .reg .f64 x; .reg .pred p;
	ld.param.u64 o, [out]; ld.param.f32 a, [va]; ld.param.f32 b, [vb]; ld.param.f32 c, [vc];
	TEXT
	st.global.f32 [o], d;
	exit;
}`)
		for arch, want := range map[string]uint32{"sm_13": c.old, "sm_90": c.later} {
			for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
				if have, err := single(t, text, ptxvm.DeviceConfig{Arch: arch, Engine: engine}, c.a, c.b, c.c); err != nil || have != want {
					t.Errorf("%s of PTX %s on %s, engine %v, of %08x, %08x, %08x: %08x, %v; want %08x", c.text, c.version, arch, engine, c.a, c.b, c.c, have, err, want)
				}
			}
		}
	}
}

// single launches a kernel of three words, and returns the one that it stores.
func single(t *testing.T, text string, cfg ptxvm.DeviceConfig, words ...uint32) (uint32, error) {
	t.Helper()
	d := rig.Device(t, cfg)
	m, err := ptxvm.Compile("single.ptx", []byte(text), nil)
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, text)
	}
	p, err := d.Load(m)
	if err != nil {
		return 0, err
	}
	got := []uint32{0}
	out, err := ptxvm.Upload(d, got)
	if err != nil {
		return 0, err
	}
	args := []any{out}
	for _, w := range words {
		args = append(args, w)
	}
	if _, err := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{}, args...); err != nil {
		return 0, err
	}
	err = ptxvm.Download(out, got)
	return got[0], err
}
