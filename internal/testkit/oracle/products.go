package main

// The statements that multiply matrices, found by asking the ISA data: those of one warp (mma, mma.sp)
// and those of a warpgroup (wgmma, A in registers).

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// product is a statement that multiplies matrices, with the registers that each lane gives it.
type product struct {
	op         string
	d, a, b, c int     // registers of a lane; b is 1 for a warpgroup, whose first 64 lanes hold what goes to shared memory
	e          bool    // metadata of a sparse A are one more
	selector   int     // whose metadata count
	elems      [3]elem // of A, B and C
	width      int     // bits of a register
	lanes      int     // 32, or 128 of a warpgroup
	scales     int     // constants behind scale-d: signs, and the transposition of B
}

// words are the registers that a lane reads.
func (p *product) words() int {
	n := p.a + p.b + p.c
	if p.e {
		n++
	}
	return n
}

// pairs are element types of A and B, with those of C and D.
var pairs = []struct{ ab, cd string }{
	{".f16 .bf16 .tf32", ".f32 .f16"}, {".f64", ".f64"}, {".e4m3 .e5m2", ".f32 .f16"}, {".u8 .s8", ".s32"}, {".u4 .s4", ".s32"}, {".b1", ".s32"},
}

// products lists the statements of a target.
func products(t isa.Target) (list []*product) {
	for _, group := range pairs {
		for _, a := range strings.Fields(group.ab) {
			for _, b := range strings.Fields(group.ab) {
				for _, c := range strings.Fields(group.cd) {
					elems := [3]elem{elems[a], elems[b], elems[c]}
					list = append(list, ofWarp(t, elems)...)
					list = append(list, ofWarpgroup(t, elems)...)
				}
			}
		}
	}
	return list
}

// ofWarp lists mma and mma.sp with elements.
func ofWarp(t isa.Target, elems [3]elem) (list []*product) {
	types := elems[2].name + elems[0].name + elems[1].name + elems[2].name
	for _, opcode := range []string{"mma.sync", "mma.sp::ordered_metadata.sync"} {
		for _, shape := range shapes(".m8n8k", ".m16n8k") {
			for _, sat := range []string{"", ".satfinite"} {
				for _, end := range strings.Fields("- .xor.popc .and.popc .rn .rz .rm .rp") {
					op := opcode + ".aligned" + shape + ".row.col" + sat + types + strings.TrimPrefix(end, "-")
					if end == "-" && elems[0].bits == 64 {
						continue // .rn by another name
					}
					list = append(list, registersOf(t, op, elems)...)
				}
			}
		}
	}
	return list
}

func shapes(begins ...string) (list []string) {
	for _, b := range begins {
		for k := 4; k <= 256; k *= 2 {
			list = append(list, fmt.Sprint(b, k))
		}
	}
	return list
}

// registersOf is a statement with as many registers as its matrices need, once for each selector;
// none if that is not legal.
func registersOf(t isa.Target, op string, elems [3]elem) (list []*product) {
	if isa.Table().Forms(tokens(op), "").Entry() == nil {
		return nil
	}
	p := product{op: op, elems: elems, width: max(32, elems[0].bits), lanes: 32, e: strings.HasPrefix(op, "mma.sp")}
	var m, n, k int
	if _, err := fmt.Sscanf(op[strings.Index(op, ".m")+1:], "m%dn%dk%d", &m, &n, &k); err != nil {
		return nil
	}
	registers := func(elements, bits int) int { return elements * bits / p.width / p.lanes }
	p.a, p.b, p.c = registers(m*k, elems[0].bits), registers(k*n, elems[1].bits), registers(m*n, elems[2].bits)
	switch {
	case p.e:
		p.a /= 2 // half is stored
	case p.a == 0: // four products side by side
		p.a, p.b, p.c = registers(4*m*k, elems[0].bits), registers(4*k*n, elems[1].bits), registers(4*m*n, elems[2].bits)
	}
	p.d = p.c
	for p.selector = range 4 {
		if (p.e || p.selector == 0) && p.legal(t) {
			found := p
			list = append(list, &found)
		}
	}
	return list
}

// ofWarpgroup lists wgmma with elements, in its least N.
func ofWarpgroup(t isa.Target, elems [3]elem) (list []*product) {
	for _, shape := range shapes(".m64n8k") {
		for _, sat := range []string{"", ".satfinite"} {
			for _, end := range []string{"", ".and.popc"} {
				op := "wgmma.mma_async.sync.aligned" + shape + sat + elems[2].name + elems[0].name + elems[1].name + end
				if isa.Table().Forms(tokens(op), "").Entry() == nil {
					continue
				}
				p := product{op: op, elems: elems, width: 32, lanes: 128, a: 4, b: 1}
				for _, p.c = range []int{2, 4} {
					p.d = p.c
					for p.scales = range 4 {
						if p.legal(t) {
							found := p
							list = append(list, &found)
						}
					}
				}
			}
		}
	}
	return list
}

// legal asks the matcher.
func (p *product) legal(t isa.Target) bool {
	reg := fmt.Sprintf(".b%d", p.width)
	number := func(v int64) isa.Shape { return isa.Shape{Kind: isa.ShapeImm, Value: v} }
	operands := []isa.Shape{vector(reg, p.d), vector(reg, p.a)}
	switch {
	case p.lanes == 128:
		operands = append(operands, register(".b64"), register(".pred"))
		for i := range p.scales {
			operands = append(operands, number([]int64{1, 1, 0}[i]))
		}
	default:
		operands = append(operands, vector(reg, p.b), vector(reg, p.c))
	}
	if p.e {
		operands = append(operands, register(".b32"), number(int64(p.selector)))
	}
	_, fails := isa.Table().Match(&isa.Query{Tokens: tokens(p.op), Version: isa.Latest, Target: t, Entry: true, Operands: operands})
	return len(fails) == 0
}

// vector is {r0, r1, …}.
func vector(typ string, n int) isa.Shape {
	s := isa.Shape{Kind: isa.ShapeVec}
	for range n {
		s.Elems = append(s.Elems, register(typ))
	}
	return s
}
