package isa

import (
	"strings"
	"testing"
)

// TestImplied: modules for sm_1x flush subnormal numbers of single precision in whatever could have .ftz (9.7.3, 9.7.6), but in
// conversions of 64 bits before PTX 1.5 (9.7.9.21), where even a written .ftz means nothing.
func TestImplied(t *testing.T) {
	reg := func(types ...string) (list []Shape) {
		for _, name := range types {
			typ, _ := LookupType(name)
			list = append(list, Shape{Kind: ShapeReg, Type: typ})
		}
		return list
	}
	f, d, i, l, p := ".f32", ".f64", ".s32", ".s64", PredType()
	for _, c := range []struct {
		version, target, text, want string
		operands                    []Shape
	}{
		{"1.4", "sm_13", "add.f32", "add.ftz.f32", reg(f, f, f)},
		{"1.0", "sm_10", "add.f32", "add.ftz.f32", reg(f, f, f)}, // long before .ftz was a modifier
		{"1.4", "sm_13", "add.rz.sat.f32", "add.rz.ftz.sat.f32", reg(f, f, f)},
		{"1.4", "sm_13", "add.ftz.f32", "add.ftz.f32", reg(f, f, f)},
		{"1.4", "sm_13", "add.f64", "add.f64", reg(d, d, d)},
		{"2.0", "sm_20", "add.f32", "add.f32", reg(f, f, f)},
		{"1.4", "sm_13", "mad.f32", "mad.ftz.f32", reg(f, f, f, f)},
		{"1.3", "sm_13", "div.f32", "div.ftz.f32", reg(f, f, f)},
		{"1.4", "sm_13", "div.full.f32", "div.full.ftz.f32", reg(f, f, f)},
		{"1.4", "sm_13", "rcp.rn.f64", "rcp.rn.f64", reg(d, d)},
		{"1.4", "sm_13", "sqrt.approx.f32", "sqrt.approx.ftz.f32", reg(f, f)},
		{"1.4", "sm_13", "ex2.approx.f32", "ex2.approx.ftz.f32", reg(f, f)},
		{"1.4", "sm_13", "neg.f32", "neg.ftz.f32", reg(f, f)},
		{"1.4", "sm_13", "set.lt.f32.f32", "set.lt.ftz.f32.f32", reg(f, f, f)},
		{"1.4", "sm_13", "set.lt.f32.s32", "set.lt.f32.s32", reg(f, i, i)},
		{"1.4", "sm_13", "slct.f32.s32", "slct.f32.s32", reg(f, f, f, i)},
		{"1.4", "sm_13", "slct.s32.f32", "slct.ftz.s32.f32", reg(i, i, i, f)},
		{"1.4", "sm_13", "setp.lt.f32", "setp.lt.ftz.f32", append([]Shape{{Kind: ShapeReg, Type: p}}, reg(f, f)...)},
		{"1.4", "sm_13", "mov.f32", "mov.f32", reg(f, f)},
		{"1.4", "sm_13", "cvt.f32.f32", "cvt.ftz.f32.f32", reg(f, f)},
		{"1.4", "sm_13", "cvt.rni.s32.f32", "cvt.rni.ftz.s32.f32", reg(i, f)},
		{"1.4", "sm_13", "cvt.rni.s64.f32", "cvt.rni.s64.f32", reg(l, f)},
		{"1.5", "sm_13", "cvt.rni.s64.f32", "cvt.rni.ftz.s64.f32", reg(l, f)},
		{"1.4", "sm_13", "cvt.rn.f32.f64", "cvt.rn.f32.f64", reg(f, d)},
		{"1.4", "sm_13", "cvt.rn.ftz.f32.f64", "cvt.rn.f32.f64", reg(f, d)},
		{"1.5", "sm_13", "cvt.rn.f32.f64", "cvt.rn.ftz.f32.f64", reg(f, d)},
		{"1.5", "sm_13", "cvt.f64.f32", "cvt.ftz.f64.f32", reg(d, f)},
		{"2.0", "sm_20", "cvt.rn.f32.f64", "cvt.rn.f32.f64", reg(f, d)},
		{"1.4", "sm_13", "cvt.rn.f32.s32", "cvt.rn.f32.s32", reg(f, i)},
	} {
		for _, judge := range []Judge{Ptxas, Manual} {
			version, err := ParseVersion(c.version)
			if err != nil {
				t.Fatal(err)
			}
			q := Query{Tokens: impliedTokens(c.text), Version: version, Target: MustTarget(c.target), Operands: c.operands, Entry: true}
			sel, fails := Of(judge).Match(&q)
			if len(fails) != 0 {
				t.Errorf("%s for %s of %s: %v", c.text, c.target, c.version, fails)
				continue
			}
			if have := sel.Implied(version, q.Target).Text(); have != c.want {
				t.Errorf("%v: %s for %s of %s means %s, want %s", judge, c.text, c.target, c.version, have, c.want)
			}
		}
	}
}

// impliedTokens cuts an opcode and its modifiers.
func impliedTokens(text string) []string {
	parts := strings.Split(text, ".")
	for i := range parts[1:] {
		parts[i+1] = "." + parts[i+1]
	}
	return parts
}
