package main

// The functions of one operand that are swept: every conversion from a type of up to 16 bits,
// and the approximate functions.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// function is a statement "op d, a;" with the registers that it takes.
type function struct {
	op       string
	in, out  string // register types
	operands uint64 // how many there are
	shift    uint   // of the operand's number: the upper word of an f64
}

// text is the name under which results are kept.
func (f *function) text() string { return f.op }

// results are bytes of one result in memory.
func (f *function) results() int {
	if f.out == ".b64" {
		return 8
	}
	return 4
}

// conversions lists the cvt statements of a target whose source has 16 bits at most.
func conversions(t isa.Target) (list []*function) {
	scalars, packed := strings.Fields(".u8 .s8 .u16 .s16 .f16 .bf16"), strings.Fields(".e4m3x2 .e5m2x2 .e2m3x2 .e3m2x2 .e2m1x2 .ue8m0x2 .s2f6x2 .ue5m3x2")
	whole, floats, pairs := strings.Fields(".u8 .s8 .u16 .s16 .u32 .s32 .u64 .s64"), strings.Fields(".f16 .bf16 .f32 .f64"), strings.Fields(".f16x2 .bf16x2")
	list = append(list, combine(t, scalars, whole, []string{"", ".sat"})...)
	list = append(list, combine(t, scalars, floats, []string{"", ".sat", ".ftz", ".ftz.sat", ".relu", ".satfinite", ".relu.satfinite"})...)
	return append(list, combine(t, packed, pairs, []string{"", ".relu", ".satfinite", ".relu.satfinite"})...)
}

// combine lists the legal ones of all combinations with a rounding.
func combine(t isa.Target, sources, results, flags []string) (list []*function) {
	rounds := append(strings.Fields(".rn .rz .rm .rp .rni .rzi .rmi .rpi"), "")
	for _, a := range sources {
		for _, d := range results {
			for _, r := range rounds {
				for _, fl := range flags {
					if f := conversion(t, "cvt"+r+fl+d+a, a); f != nil {
						list = append(list, f)
					}
				}
			}
		}
	}
	return list
}

// conversion finds registers with which a statement is legal, nil if there are none.
func conversion(t isa.Target, op, source string) *function {
	if isa.Table().Forms(tokens(op), "").Entry() == nil {
		return nil
	}
	typ, _ := isa.LookupType(source)
	for _, in := range []string{".b16", ".b8"} {
		for _, out := range []string{".b32", ".b64", ".b16"} {
			if legal(t, op, out, in) {
				return &function{op: op, in: in, out: out, operands: 1 << typ.Bits()}
			}
		}
	}
	return nil
}

// legal asks the matcher.
func legal(t isa.Target, op, out, in string) bool {
	_, fails := isa.Table().Match(&isa.Query{Tokens: tokens(op), Version: isa.Latest, Target: t, Entry: true, Operands: []isa.Shape{register(out), register(in)}})
	return len(fails) == 0
}

func register(typ string) isa.Shape {
	t, _ := isa.LookupType(typ)
	return isa.Shape{Kind: isa.ShapeReg, Type: t}
}

func tokens(op string) []string {
	parts := strings.Split(op, ".")
	for i := 1; i < len(parts); i++ {
		parts[i] = "." + parts[i]
	}
	return parts
}

// approximations lists the approximate functions of a target.
func approximations(t isa.Target) (list []*function) {
	add := func(in, out string, operands uint64, shift uint, ops ...string) {
		for _, op := range ops {
			if legal(t, op, out, in) {
				list = append(list, &function{op, in, out, operands, shift})
			}
		}
	}
	for _, name := range strings.Fields("rcp rsqrt sqrt sin cos lg2 ex2") {
		add(".b32", ".b32", 1<<32, 0, name+".approx.f32", name+".approx.ftz.f32")
	}
	add(".b32", ".b32", 1<<32, 0, "tanh.approx.f32")
	add(".b64", ".b64", 1<<32, 32, "rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64")
	add(".b16", ".b16", 1<<16, 0, "ex2.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.f16", "tanh.approx.bf16")
	add(".b32", ".b32", 1<<32, 0, "ex2.approx.f16x2", "ex2.approx.ftz.bf16x2", "tanh.approx.f16x2", "tanh.approx.bf16x2")
	return list
}

// widths of the registers, by type.
var widths = map[string]int{".b8": 8, ".b16": 16, ".b32": 32, ".b64": 64}

// kernel prints a module whose kernel "sweep" writes f(from + i·step) to place i for the threads
// below count.
func (f *function) kernel(t isa.Target) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	fmt.Fprintf(&b, ".version %v\n.target %v\n.address_size 64\n.visible .entry sweep(.param .u64 out, .param .u32 from, .param .u32 count, .param .u32 step)\n{\n", isa.Latest, t)
	line(".reg .pred %%p; .reg .b32 %%i, %%x, %%n, %%s, %%t, %%w; .reg .b64 %%at, %%o; .reg %s a; .reg %s d;", f.in, f.out)
	line("ld.param.u64 %%o, [out]; ld.param.u32 %%x, [from]; ld.param.u32 %%n, [count]; ld.param.u32 %%s, [step];")
	line("mov.u32 %%i, %%ctaid.x; mov.u32 %%t, %%ntid.x; mov.u32 %%w, %%tid.x; mad.lo.u32 %%i, %%i, %%t, %%w;")
	line("setp.ge.u32 %%p, %%i, %%n; @%%p ret;")
	line("mad.lo.u32 %%x, %%i, %%s, %%x; mad.wide.u32 %%at, %%i, %d, %%o;", f.results())
	switch {
	case f.shift != 0:
		line("cvt.u64.u32 a, %%x; shl.b64 a, a, %d;", f.shift)
	default:
		line("cvt.u%d.u32 a, %%x;", widths[f.in])
	}
	line("%s d, a;", f.op)
	switch f.out {
	case ".b16": // results are words
		line("cvt.u32.u16 %%x, d; st.global.b32 [%%at], %%x;")
	default:
		line("st.global%s [%%at], d;", f.out)
	}
	line("ret;\n}")
	return b.String()
}
