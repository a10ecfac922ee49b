package pipeline

// This file executes instructions on all pairs of edge values of their types.

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// operands are statements, in braces some of which the last one's result counts, on registers %x1 to %x3 of 64 bits, %w1 to %w3, which have their low halves, and %h1 to %h3 of 16 bits; each
// writes one of %x0, %w0, %h0 and %p1.
var operands = []struct {
	name   string
	values []uint64
	text   string
}{
	{"f64", doubleEdges, `add.f64 %x0, %x1, %x2; sub.f64 %x0, %x1, %x2; mul.f64 %x0, %x1, %x2; div.rn.f64 %x0, %x1, %x2; fma.rn.f64 %x0, %x1, %x2, %x3;
		fma.rn.f64 %x0, %x3, %x2, %x1; min.f64 %x0, %x1, %x2; max.f64 %x0, %x1, %x2; neg.f64 %x0, %x1; abs.f64 %x0, %x1; sqrt.rn.f64 %x0, %x1; rcp.rn.f64 %x0, %x1;
		copysign.f64 %x0, %x1, %x2; setp.lt.f64 %p1, %x1, %x2; setp.equ.f64 %p1, %x1, %x2; setp.ne.f64 %p1, %x1, %x2; setp.nan.f64 %p1, %x1, %x2; setp.geu.f64 %p1, %x1, %x2;
		cvt.rn.f32.f64 %w0, %x1; cvt.rz.f32.f64 %w0, %x1; cvt.rm.f32.f64 %w0, %x1; cvt.rp.ftz.f32.f64 %w0, %x1; cvt.rni.s32.f64 %w0, %x1; cvt.rzi.u32.f64 %w0, %x1;
		cvt.rmi.s64.f64 %x0, %x1; cvt.rpi.u64.f64 %x0, %x1; cvt.rni.f64.f64 %x0, %x1; cvt.rn.f16.f64 %h0, %x1; cvt.rn.bf16.f64 %h0, %x1;`},
	{"f32", floatEdges, `cvt.rn.f16.f32 %h0, %w1; cvt.rz.f16.f32 %h0, %w1; cvt.rp.f16.f32 %h0, %w1; cvt.rm.f16.f32 %h0, %w1; cvt.rn.satfinite.f16.f32 %h0, %w1; cvt.rn.bf16.f32 %h0, %w1;
		cvt.rz.bf16.f32 %h0, %w1; cvt.rn.relu.bf16.f32 %h0, %w1; cvt.rn.f16x2.f32 %w0, %w1, %w2; cvt.rz.bf16x2.f32 %w0, %w1, %w2; cvt.rna.tf32.f32 %w0, %w1; cvt.rn.satfinite.e4m3x2.f32 %h0, %w1, %w2;
		cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %w1, %w2; cvt.f64.f32 %x0, %w1; cvt.ftz.f64.f32 %x0, %w1; cvt.rni.s32.f32 %w0, %w1; cvt.rzi.u32.f32 %w0, %w1; cvt.rpi.s64.f32 %x0, %w1; cvt.rmi.u64.f32 %x0, %w1;
		cvt.rni.s16.f32 %h0, %w1; cvt.rzi.ftz.u8.f32 %w0, %w1; cvt.rmi.f32.f32 %w0, %w1; cvt.rpi.ftz.f32.f32 %w0, %w1; cvt.sat.f32.f32 %w0, %w1;
		setp.ltu.f32 %p1, %w1, %w2; setp.gt.ftz.f32 %p1, %w1, %w2; setp.ne.ftz.f32 %p1, %w1, %w2; setp.equ.f32 %p1, %w1, %w2;`},
	{"f32 with rules of their own", floatEdges, `rcp.approx.f32 %w0, %w1; div.approx.ftz.f32 %w0, %w1, %w2; div.full.f32 %w0, %w1, %w2; rsqrt.approx.f32 %w0, %w1; sqrt.approx.ftz.f32 %w0, %w1; ex2.approx.f32 %w0, %w1;
		lg2.approx.f32 %w0, %w1; sin.approx.f32 %w0, %w1; cos.approx.ftz.f32 %w0, %w1; tanh.approx.f32 %w0, %w1; add.rz.f32 %w0, %w1, %w2; sub.rm.ftz.sat.f32 %w0, %w1, %w2; mul.rp.ftz.f32 %w0, %w1, %w2;
		fma.rm.f32 %w0, %w1, %w2, %w3; fma.rn.ftz.sat.f32 %w0, %w1, %w2, %w3; div.rz.f32 %w0, %w1, %w2; sqrt.rp.f32 %w0, %w1; rcp.rm.ftz.f32 %w0, %w1; min.NaN.f32 %w0, %w1, %w2; max.ftz.f32 %w0, %w1, %w2;
		min.xorsign.abs.f32 %w0, %w1, %w2; copysign.f32 %w0, %w1, %w2; testp.normal.f32 %p1, %w1; testp.subnormal.f32 %p1, %w1; testp.infinite.f32 %p1, %w1; set.lt.f32.f32 %w0, %w1, %w2; set.neu.ftz.u32.f32 %w0, %w1, %w2;
		set.ge.s32.s32 %w0, %w1, %w2; slct.f32.f32 %w0, %w1, %w2, %w3; slct.ftz.b64.f32 %x0, %x1, %x2, %w3; slct.b64.s32 %x0, %x1, %x2, %w3;`},
	{"halves", halfEdges, `add.f16 %h0, %h1, %h2; sub.f16x2 %w0, %w1, %w2; mul.f16 %h0, %h1, %h2; mul.ftz.sat.f16x2 %w0, %w1, %w2; fma.rn.f16 %h0, %h1, %h2, %h3; fma.rn.relu.f16x2 %w0, %w1, %w2, %w3;
		fma.rn.ftz.f16 %h0, %h1, %h2, %h3; add.rn.bf16 %h0, %h1, %h2; sub.rn.bf16x2 %w0, %w1, %w2; mul.rn.bf16 %h0, %h1, %h2; fma.rn.bf16 %h0, %h1, %h2, %h3; fma.rn.bf16x2 %w0, %w1, %w2, %w3;
		min.f16 %h0, %h1, %h2; max.NaN.f16x2 %w0, %w1, %w2; min.xorsign.abs.bf16 %h0, %h1, %h2; max.bf16x2 %w0, %w1, %w2; neg.f16 %h0, %h1; abs.ftz.f16x2 %w0, %w1; neg.bf16x2 %w0, %w1; abs.bf16 %h0, %h1;
		setp.lt.f16 %p1, %h1, %h2; setp.neu.bf16 %p1, %h1, %h2; setp.gtu.ftz.f16 %p1, %h1, %h2; cvt.f32.f16 %w0, %h1; cvt.f32.bf16 %w0, %h1; cvt.f64.f16 %x0, %h1; cvt.rni.s16.f16 %h0, %h1; cvt.rzi.u64.f16 %x0, %h1;
		cvt.rni.f16.f16 %h0, %h1; cvt.rn.f16.s16 %h0, %h1; cvt.rz.f16.u32 %h0, %w1; cvt.rn.bf16.s64 %h0, %x1; cvt.rn.f32.u64 %w0, %x1; cvt.rz.f32.s64 %w0, %x1; cvt.rp.f64.u64 %x0, %x1; cvt.rm.f32.s32 %w0, %w1;
		cvt.sat.s8.s64 %w0, %x1; cvt.sat.u16.s32 %h0, %w1; cvt.s64.s8 %x0, %w1; cvt.u8.u64 %w0, %x1; cvt.sat.u32.s16 %w0, %h1;`},
	{"integers", integerEdges, `mul.hi.s64 %x0, %x1, %x2; mul.hi.u64 %x0, %x1, %x2; mad.hi.s32 %w0, %w1, %w2, %w3; mad.hi.sat.s32 %w0, %w1, %w2, %w3; mul24.hi.s32 %w0, %w1, %w2; mad24.lo.u32 %w0, %w1, %w2, %w3;
		mul.hi.s16 %h0, %h1, %h2; mad.wide.s16 %w0, %h1, %h2, %w3; sad.s32 %w0, %w1, %w2, %w3; sad.u64 %x0, %x1, %x2, %x3; div.s32 %w0, %w1, %w2; rem.s64 %x0, %x1, %x2; div.u64 %x0, %x1, %x2; rem.s16 %h0, %h1, %h2;
		add.sat.s32 %w0, %w1, %w2; sub.sat.s32 %w0, %w1, %w2; min.s64 %x0, %x1, %x2; max.u64 %x0, %x1, %x2; abs.s64 %x0, %x1; abs.s16 %h0, %h1; shr.s64 %x0, %x1, %w2; shl.b64 %x0, %x1, %w2; shr.s16 %h0, %h1, %w2;
		bfe.s64 %x0, %x1, %w2, %w3; bfi.b64 %x0, %x1, %x2, %w2, %w3; bfind.s64 %w0, %x1; bfind.shiftamt.u32 %w0, %w1; clz.b64 %w0, %x1; popc.b64 %w0, %x1; brev.b64 %x0, %x1; bmsk.wrap.b32 %w0, %w1, %w2; szext.clamp.s32 %w0, %w1, %w2;
		cnot.b64 %x0, %x1; prmt.b32 %w0, %w1, %w2, %w3; prmt.b32.f4e %w0, %w1, %w2, %w3; prmt.b32.b4e %w0, %w1, %w2, %w3; prmt.b32.ecl %w0, %w1, %w2, %w3; lop3.b32 %w0, %w1, %w2, %w3, 0x1b; lop3.b32 %w0, %w1, %w2, %w3, 0x96;
		shf.l.clamp.b32 %w0, %w1, %w2, %w3; dp4a.s32.u32 %w0, %w1, %w2, %w3; dp2a.hi.s32.s32 %w0, %w1, %w2, %w3; max.s16x2 %w0, %w1, %w2; min.u16x2 %w0, %w1, %w2; add.s16x2 %w0, %w1, %w2; mov.b64 %x0, {%w1, %w2};
		setp.lt.u64 %p1, %x1, %x2; setp.ge.s64 %p1, %x1, %x2; setp.lo.u16 %p1, %h1, %h2; cvt.pack.sat.u8.s32.b32 %w0, %w1, %w2, %w3;`},
	{"carries", integerEdges, `{add.cc.u32 %w0, %w1, %w2; addc.u32 %w0, %w2, %w3;} {sub.cc.u64 %x0, %x1, %x2; subc.u64 %x0, %x2, %x3;} {mad.lo.cc.u64 %x0, %x1, %x2, %x3; madc.hi.u64 %x0, %x1, %x2, %x3;}
		{add.cc.u64 %x0, %x1, %x3; addc.cc.u32 %w0, %w1, %w2; subc.u32 %w0, %w0, 5;} {mad.hi.cc.s32 %w0, %w1, %w2, %w3; addc.u64 %x0, %x1, 0;}`},
}

// integerEdges are limits of integers, what is beside them, and bits without order.
var integerEdges = []uint64{0, 1, 2, 5, 0x1f, 0x20, 0x21, 0x3f, 0x40, 0xff, 0x101, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 1 << 32, 1<<32 + 3,
	1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1, 0xfffffffeffffffff, 0x123456789abcdef0, 0x00ff8001fedc7531, 0x8080808080808080}

// floatEdges are the same of f32.
var floatEdges = func() []uint64 {
	list := []uint64{0, 1 << 31, 1, 0x80000003, 0x7fffff, 0x800000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00002, 0x7f800003, 0x7f7fffff, 0x3f801000, 0x3f801001, 0x3f808000, 0xbf818000, 0x477fefff, 0x477ff000, 0x33000000, 0x33000001}
	for _, v := range []float32{1, -1, 0.5, -2.5, 1 << 31, -1 << 31, 1 << 32, 1 << 63, -1 << 63, 1 << 64, 448, 464, 1e-40, 1.0 / 1024, 200.5, -32769} {
		list = append(list, uint64(math.Float32bits(v)))
	}
	return list
}()

// halfEdges are pairs of f16 and bf16, with another pair above.
var halfEdges = func() (list []uint64) {
	codes := []uint64{0, 0x8000, 1, 0x8003, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3c01, 0x4200, 0x6156, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x7ff7, 0x007f, 0x0080, 0x3f80, 0x40e0, 0x4214, 0x8d80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x3381, 0x1800}
	for i, v := range codes {
		other := codes[(5*i+3)%len(codes)]
		list = append(list, v|other<<16|other<<32|v<<48)
	}
	return list
}()

// doubleEdges are zeros, subnormals, limits of integers, of f32 and of halves with what is beside them, infinities, NaNs quiet or not.
var doubleEdges = func() []uint64 {
	list := []uint64{0, 1 << 63, 1, 1<<63 | 5, 1<<52 - 1, 1 << 52, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0xfff8000000000002,
		0x7ff0000000000003, 0xfff4000000000004, 0x7fefffffffffffff, 0x380fffffe0000000, 0xb80fffffe0000000, 0x3ff0000010000000, 0x3ff0002000001000}
	for _, v := range []float64{1, -1, 0.5, -2.5, 1 << 31, -1<<31 - 1, 1 << 32, 1<<32 - 0.5, 1 << 63, -1 << 63, 1 << 64, 65519.99, 3.5e38, 1e-40, -1e-46} {
		list = append(list, math.Float64bits(v))
	}
	return list
}()

// statement is one, or some that belong together.
var statement = regexp.MustCompile(`\{\w[^{}]*;\s*\}|\w[^;{}]*(\{[^;{}]*\})?[^;{}]*;`)

var destination = regexp.MustCompile(`%([xwhp])[01]`)

// operandKernel executes statements on the values of a thread, and stores what they write one behind the other.
func operandKernel(statements []string) string {
	var body strings.Builder
	for k, s := range statements {
		body.WriteString("\t" + s + ";\n")
		last := s[strings.LastIndex(s, ";")+1:]
		switch d := destination.FindStringSubmatch(last)[1]; d {
		case "p":
			fmt.Fprintf(&body, "\tselp.b64 %%x0, 1, 0, %%p1;\n\tst.global.b64 [%%x5+%d], %%x0;\n", 8*k)
		default:
			fmt.Fprintf(&body, "\tst.global.b%d [%%x5+%d], %%%s0;\n", map[string]int{"x": 64, "w": 32, "h": 16}[d], 8*k, d)
		}
	}
	return fmt.Sprintf(`.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .pred %%p<2>;
	.reg .b16 %%h<4>;
	.reg .b32 %%w<8>;
	.reg .b64 %%x<8>;
	ld.param.u64 %%x4, [in]; ld.param.u64 %%x5, [out];
	mov.u32 %%w5, %%ctaid.x; mov.u32 %%w6, %%tid.x; mad.lo.u32 %%w4, %%w5, 64, %%w6;
	mad.wide.u32 %%x4, %%w4, 24, %%x4; mad.wide.u32 %%x5, %%w4, %d, %%x5;
	ld.global.b64 %%x1, [%%x4]; ld.global.b64 %%x2, [%%x4+8]; ld.global.b64 %%x3, [%%x4+16];
	cvt.u32.u64 %%w1, %%x1; cvt.u32.u64 %%w2, %%x2; cvt.u32.u64 %%w3, %%x3;
	cvt.u16.u64 %%h1, %%x1; cvt.u16.u64 %%h2, %%x2; cvt.u16.u64 %%h3, %%x3;
%s	ret;
}
`, 8*len(statements), body.String())
}

// operandRun has a thread for each pair of values; the third operand goes round them.
func operandRun(values []uint64, statements int) *corpus.Run {
	var data []byte
	threads := (len(values)*len(values) + 63) / 64 * 64
	for i := range threads {
		a, b := values[i/len(values)%len(values)], values[i%len(values)]
		for _, v := range []uint64{a, b, values[(i*7+i/len(values))%len(values)]} {
			data = binary.LittleEndian.AppendUint64(data, v)
		}
	}
	in, out := &corpus.Buffer{Name: "in", Elem: corpus.S32, Init: data}, &corpus.Buffer{Name: "out", Elem: corpus.S32, Init: make([]byte, 8*threads*statements)}
	return &corpus.Run{Buffers: []*corpus.Buffer{in, out}, Launches: []corpus.Launch{{Kernel: "k", Grid: [3]int{threads / 64, 1, 1}, Block: [3]int{64, 1, 1},
		Args: []corpus.Arg{{Buffer: in}, {Buffer: out}}}}}
}

// TestOperands holds instructions to the interpreter, which executes none of them in compiled code: through C no kernel goes of which it would.
func TestOperands(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		for _, o := range operands {
			if !b.own && !*full && o.name != "f64" { // a C compiler takes long
				continue
			}
			var list []string
			for _, s := range statement.FindAllString(o.text, -1) {
				if s[0] == '{' {
					s = s[1 : len(s)-1]
				}
				list = append(list, strings.Trim(s, "; "))
			}
			text, refused := operandKernel(list), map[string]error{}
			r := operandRun(o.values, len(list))
			got, want := run(t, text, r, 2, b.with(&jit.PipelineC{}, refused)), &run(t, text, r, 1, nil)[0]
			if err := refused["k"]; err != nil || got[1].byC != want.counts[2] {
				t.Errorf("%s: %v; %d of %d lane operations are compiled code's", o.name, err, got[1].byC, want.counts[2])
			}
			for i := range want.memory[1] {
				if got[1].memory[1][i] != want.memory[1][i] {
					k := i / 8
					at := k / len(list) * 24
					t.Errorf("%s: %s of %x: %x, the interpreter has %x", o.name, list[k%len(list)], want.memory[0][at:][:24], got[1].memory[1][8*k:][:8], want.memory[1][8*k:][:8])
					break
				}
			}
		}
	})
}
