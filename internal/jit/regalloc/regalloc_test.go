package regalloc

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

type name string

func (n name) Text(uses []string) string { return string(n) + " " + strings.Join(uses, ", ") }

// generator makes random functions: values of both classes, loops, parameters, exits in the middle of blocks.
type generator struct {
	*rand.Rand
	f *isel.Func
}

func (g *generator) pick(list []isel.VReg, c isel.Class) isel.VReg {
	for range 20 {
		if v := list[g.IntN(len(list))]; g.f.ClassOf(v) == c {
			return v
		}
	}
	return g.f.Constant(c, isel.Const{byte(g.IntN(4))})
}

// inst is an instruction on some of the values that are there.
func (g *generator) inst(there []isel.VReg) *isel.Inst {
	i := &isel.Inst{Op: name("op"), Early: g.IntN(4) == 0}
	for range 1 + g.IntN(3) {
		i.Uses = append(i.Uses, g.pick(there, isel.Class(g.IntN(2))))
	}
	if g.IntN(3) == 0 {
		i.Fold = int8(1 + g.IntN(len(i.Uses)))
	}
	for range g.IntN(2) {
		i.Temps = append(i.Temps, g.f.NewReg(isel.Class(g.IntN(2))))
	}
	if g.IntN(5) > 0 {
		i.Defs = append(i.Defs, g.f.NewReg(isel.Class(g.IntN(2))))
	}
	return i
}

// random is a chain of blocks, some of which lead back, and cold ones behind them that end it.
func random(seed uint64) *isel.Func {
	g := &generator{rand.New(rand.NewPCG(seed, 36)), isel.New("random")}
	n := 2 + g.IntN(5)
	blocks, there := make([]*isel.Block, n), []isel.VReg{g.f.Constant(isel.General, isel.Const{1})}
	known := make([][]isel.VReg, n)
	for k := range blocks {
		blocks[k] = g.f.NewBlock(0, false)
		for range g.IntN(5) {
			if k > 0 {
				blocks[k].Params = append(blocks[k].Params, g.f.NewReg(isel.Class(g.IntN(2))))
			}
		}
	}
	var exits []*isel.Block
	for k, b := range blocks {
		there = append(there, b.Params...)
		known[k] = append([]isel.VReg{}, there...)
		for range 3 + g.IntN(12) {
			i := g.inst(there)
			if g.IntN(6) == 0 {
				i.To = g.f.NewBlock(0, true)
				i.To.Insts = []*isel.Inst{{Op: name("leave"), Any: true, Uses: append([]isel.VReg{}, there...),
					Temps: []isel.VReg{g.f.NewReg(isel.General)}}}
				exits = append(exits, i.To)
			}
			b.Insts = append(b.Insts, i)
			there = append(there, i.Defs...)
		}
		if back := g.IntN(k + 1); back > 0 && g.IntN(2) == 0 {
			b.Insts = append(b.Insts, g.jump(blocks[back], there))
		}
		if k+1 < n {
			b.Insts = append(b.Insts, g.jump(blocks[k+1], there))
		}
	}
	for _, b := range append(blocks, exits...) {
		g.f.Add(b)
	}
	return g.f
}

func (g *generator) jump(to *isel.Block, there []isel.VReg) *isel.Inst {
	i := &isel.Inst{Op: name("jump"), To: to}
	for _, p := range to.Params {
		i.Args = append(i.Args, g.pick(there, g.f.ClassOf(p)))
	}
	return i
}

func registers(n int) (r Registers) {
	for c := range r {
		for k := range n {
			r[c] = append(r[c], Loc(k))
		}
	}
	return r
}

// TestRandom replays what comes of random functions, with few registers and with many.
func TestRandom(t *testing.T) {
	spilled := 0
	for seed := range uint64(400) {
		for _, n := range []int{6, 8, 15} {
			f := random(seed)
			r := Allocate(f, registers(n))
			if err := Check(r); err != nil {
				t.Fatalf("seed %d, %d registers: %v\n%v", seed, n, err, f)
			}
			spilled += r.Slots
		}
	}
	if spilled < 1000 {
		t.Errorf("%d slots in all: hardly anything was spilled", spilled)
	}
}

// TestChecker spoils what the allocator has made; most of that the checker sees.
func TestChecker(t *testing.T) {
	seen, all := 0, 0
	for seed := range uint64(200) {
		r := Allocate(random(seed), registers(6))
		g := rand.New(rand.NewPCG(seed, 1))
		steps := r.Blocks[g.IntN(len(r.Blocks))]
		s := &steps[g.IntN(len(steps))]
		moves, _ := r.Moves(s)
		_, uses, _ := r.Locs(s)
		switch {
		case len(moves) > 0:
			s.moves++
		case len(uses) > 0 && !s.Inst.Any:
			uses[0] = (uses[0] + 1) % 6
		default:
			continue
		}
		all++
		if Check(r) != nil {
			seen++
		}
	}
	if all < 50 || seen < all*9/10 {
		t.Errorf("%d of %d mistakes are seen", seen, all)
	}
}

// TestCycle: moves that exchange registers go through the slot for that, once for each cycle.
func TestCycle(t *testing.T) {
	f := isel.New("cycle")
	a := newAllocator(f, registers(4))
	var v [4]isel.VReg
	for i := range v {
		v[i] = f.NewReg(isel.General)
	}
	a.queue = []Move{{v[0], 1, 0}, {v[1], 0, 1}, {v[2], 3, 2}, {v[3], 2, 3}}
	a.order()
	if text := fmt.Sprint(a.out.moves); strings.Count(text, "-3") != 4 || len(a.out.moves) != 6 {
		t.Errorf("%v", text)
	}
}

// TestPassing: what lives through a loop that does not use it, and needs all registers, is not loaded back in each turn.
func TestPassing(t *testing.T) {
	f := isel.New("passing")
	reg := func() isel.VReg { return f.NewReg(isel.Vector) }
	first, loop, behind := f.NewBlock(0, false), f.NewBlock(1, false), f.NewBlock(0, false)
	through, sum := reg(), reg()
	first.Insts = []*isel.Inst{{Op: name("make"), Defs: []isel.VReg{through}}, {Op: name("make"), Defs: []isel.VReg{sum}},
		{Op: name("jump"), To: loop, Args: []isel.VReg{sum}}}
	loop.Params = []isel.VReg{reg()}
	list := []isel.VReg{loop.Params[0]}
	for range 3 { // with the sum as many as there are registers
		list = append(list, reg())
		loop.Insts = append(loop.Insts, &isel.Inst{Op: name("make"), Defs: list[len(list)-1:]})
	}
	loop.Insts = append(loop.Insts, &isel.Inst{Op: name("add"), Uses: list, Defs: []isel.VReg{reg()}})
	next := loop.Insts[len(loop.Insts)-1].Defs[0]
	loop.Insts = append(loop.Insts, &isel.Inst{Op: name("jump"), To: loop, Args: []isel.VReg{next}}, &isel.Inst{Op: name("jump"), To: behind})
	behind.Insts = []*isel.Inst{{Op: name("use"), Uses: []isel.VReg{through, next}}}
	for _, b := range []*isel.Block{first, loop, behind} {
		f.Add(b)
	}
	r := Allocate(f, registers(4))
	if err := Check(r); err != nil {
		t.Fatal(err)
	}
	for i := range r.Blocks[1] {
		moves, edge := r.Moves(&r.Blocks[1][i])
		for _, m := range append(moves, edge...) {
			if m.Value == through {
				t.Errorf("%v is moved in the loop: %v", through, m)
			}
		}
	}
}
