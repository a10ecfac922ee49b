package sched

// Arguments and results of calls in registers (7.1): vectors of every type and other shapes of the same
// width come through with all their bytes.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

const passingModule = `.version 8.5
.target sm_90
.address_size 64
.func (RETURN o) f(.reg .u32 before, PARAM i)
{
	MOVES
	ret;
}
.visible .entry k(.param .u64 data)
{
	.reg .b64 %p;
	.reg .pred %odd;
	.reg .b32 %t;
	DECLARE
	ld.param.u64 %p, [data];
	LOAD
	mov.u32 %t, %laneid;
	and.b32 %t, %t, 1;
	setp.ne.u32 %odd, %t, 0;
	CALL
	STORE
	ret;
}
`

// passing is a way from 16 bytes at most to as many: registers that are loaded, the parameter, the result,
// the registers that take it.
type passing struct {
	name, param, ret string
	declare, load    string
	moves            string
	call             string // operands
	store            string
	bytes            int
	rotates          int  // elements, each of which gets the next one's bytes
	guard            bool // the call; its result stands in the memory of even lanes alone
}

var letters = []string{"x", "y", "z", "w"}

// vectorPassing rotates a vector of n elements in the callee.
func vectorPassing(n int, typ string, bits int) passing {
	var moves, load []string
	for i := range n {
		mov := fmt.Sprintf("mov.b%d o.%s, i.%s;", bits, letters[i], letters[(i+1)%n])
		if bits == 8 {
			mov = fmt.Sprintf("cvt.u8.u8 o.%s, i.%s;", letters[i], letters[(i+1)%n])
		}
		moves, load = append(moves, mov), append(load, "v."+letters[i])
	}
	vec := fmt.Sprintf(".reg .v%d .%s", n, typ)
	list := "{" + strings.Join(load, ",") + "}"
	return passing{name: vec, param: vec, ret: vec, bytes: n * bits / 8, rotates: n, moves: strings.Join(moves, " "),
		declare: vec + " v; " + vec + " w;",
		load:    fmt.Sprintf("ld.global.v%d.b%d %s, [%%p];", n, bits, list),
		call:    "(w), f, (7, v)",
		store:   fmt.Sprintf("st.global.v%d.b%d [%%p], %s;", n, bits, strings.ReplaceAll(list, "v.", "w.")),
	}
}

// rotated is what the callee makes of the bytes.
func (p passing) rotated(in []byte) []byte {
	size := p.bytes / p.rotates
	return append(slices.Clone(in[size:p.bytes]), in[:size]...)
}

func passings() []passing {
	var all []passing
	for typ, bits := range map[string]int{"u8": 8, "b8": 8, "s8": 8, "u16": 16, "b16": 16, "f16": 16, "u32": 32, "b32": 32, "s32": 32, "f32": 32, "f16x2": 32, "u64": 64, "f64": 64} {
		for _, n := range []int{2, 4} {
			if n*bits <= 128 {
				all = append(all, vectorPassing(n, typ, bits))
			}
		}
	}
	guarded := vectorPassing(4, "u32", 32)
	guarded.name, guarded.guard = "guarded", true
	two := "mov.b32 o.x, i.y; mov.b32 o.y, i.x;"
	return append(all, guarded,
		passing{name: "four halves for two words", param: ".reg .v2 .u32", ret: ".reg .v2 .u32", bytes: 8, rotates: 2, moves: two,
			declare: ".reg .v4 .u16 v; .reg .b64 w;", load: "ld.global.v4.u16 {v.x,v.y,v.z,v.w}, [%p];", call: "(w), f, (7, v)", store: "st.global.b64 [%p], w;"},
		passing{name: "vector for a scalar", param: ".reg .f64", ret: ".reg .b64", bytes: 8, rotates: 2, moves: "{ .reg .b32 a, c; mov.b64 {a, c}, i; mov.b64 o, {c, a}; }",
			declare: ".reg .v2 .f32 v; .reg .v2 .s32 w;", load: "ld.global.v2.f32 {v.x,v.y}, [%p];", call: "(w), f, (7, v)", store: "st.global.v2.b32 [%p], {w.x,w.y};"},
		passing{name: "memory for a vector", param: ".reg .v2 .f32", ret: ".reg .v2 .b32", bytes: 8, rotates: 2, moves: two,
			declare: ".reg .b64 v, w; .param .b64 a; .param .f64 c;", load: "ld.global.b64 v, [%p]; st.param.b64 [a], v;", call: "(c), f, (7, a)", store: "ld.param.b64 w, [c]; st.global.b64 [%p], w;"},
		passing{name: "memory for a register", param: ".reg .b64", ret: ".reg .u64", bytes: 8, rotates: 2, moves: "{ .reg .b32 a, c; mov.b64 {a, c}, i; mov.b64 o, {c, a}; }",
			declare: ".reg .b64 v, w; .param .b64 a; .param .b64 c;", load: "ld.global.b64 v, [%p]; st.param.b64 [a], v;", call: "(c), f, (7, a)", store: "ld.param.b64 w, [c]; st.global.b64 [%p], w;"},
		passing{name: "registers for memory", param: ".param .b64", ret: ".param .b64", bytes: 8, rotates: 2, moves: "{ .reg .b32 a, c; ld.param.v2.b32 {a, c}, [i]; st.param.v2.b32 [o], {c, a}; }",
			declare: ".reg .v2 .u32 v; .reg .b64 w;", load: "ld.global.v2.b32 {v.x,v.y}, [%p];", call: "(w), f, (7, v)", store: "st.global.b64 [%p], w;"},
		passing{name: "a word of 128 bits from doubles", param: ".reg .v2 .b64", ret: ".reg .b128", bytes: 16, rotates: 2, moves: "mov.b128 o, {i.y, i.x};",
			declare: ".reg .v4 .u32 v; .reg .v2 .b64 w;", load: "ld.global.v4.b32 {v.x,v.y,v.z,v.w}, [%p];", call: "(w), f, (7, v)", store: "st.global.v2.b64 [%p], {w.x, w.y};"},
	)
}

// TestPassing runs every passing in both engines.
func TestPassing(t *testing.T) {
	in := []byte{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xf1, 0x02}
	for _, p := range passings() {
		t.Run(p.name, func(t *testing.T) {
			call := "call " + p.call + ";"
			if p.guard {
				call = "mov.b32 w.x, 0; mov.b32 w.y, 0; mov.b32 w.z, 0; mov.b32 w.w, 0; mul.wide.u32 %p, %t, 16; ld.param.u64 %q, [data]; add.u64 %p, %p, %q; @!%odd " + call
				p.declare += " .reg .b64 %q;"
			}
			src := passingModule
			for _, r := range [][2]string{{"RETURN", p.ret}, {"PARAM", p.param}, {"MOVES", p.moves}, {"DECLARE", p.declare}, {"LOAD", p.load}, {"CALL", call}, {"STORE", p.store}} {
				src = strings.ReplaceAll(src, r[0], r[1])
			}
			want := append(p.rotated(in), in[p.bytes:]...)
			if p.guard {
				want = append(want, make([]byte, 16)...)
			}
			for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
				got := make([]byte, len(want))
				copy(got, in)
				if !runWarp(t, engine, src, got) {
					continue
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v: have % x, want % x", engine, got, want)
				}
			}
		})
	}
}
