package ir

// This file builds random functions and compares their facts with reference implementations: liveness with
// its definition, rows with an execution that carries both rows and virtual registers.

import (
	"math/rand/v2"
	"testing"
)

// templates holds one instruction of each shape that random functions are made of.
const templates = `module "t" version 8.0 target sm_90
func f
 frame params 0 call 0 locals 0 shared 0
 reg %r0 b32
 reg %d0 b64
 reg %p0 pred
block -
  add.s32 %r0, %r0, %r0 @0 0
  mul.lo.u64 %d0, %d0, %d0 @0 0
  setp.ne.s32 %p0, %r0, %r0 @0 0
  mov.b64 {%r0, %r0}, %d0 @0 0
  ld.global.u32 %r0, [%d0] @0 0
  bra -> b1 @0 0
block -
  ret @0 0
end
`

// builder makes random bodies.
type builder struct {
	r      *rand.Rand
	insts  []Inst // templates
	perSet int    // registers of each width
}

func newBuilder(t *testing.T, seed uint64) *builder {
	t.Helper()
	m, err := Parse(templates)
	if err != nil {
		t.Fatal(err)
	}
	return &builder{r: rand.New(rand.NewPCG(seed, 7)), insts: m.Funcs[0].Insts, perSet: 6}
}

// function makes a function of n blocks: some instructions each, then a branch.
func (b *builder) function(t *testing.T, n int) *Func {
	t.Helper()
	f := NewFunc("f")
	for _, typ := range []string{"b32", "b64", "pred"} {
		for i := range b.perSet {
			f.AddReg("%"+typ+string(rune('a'+i)), parseType(typ))
		}
	}
	var body Body
	for i := range n {
		body.Labels = append(body.Labels, Label{At: int32(len(body.Insts))})
		for range b.r.IntN(4) {
			body.Insts = append(body.Insts, b.inst())
		}
		switch k := b.r.IntN(5); {
		case k == 0 && i > 0:
			body.Insts = append(body.Insts, b.with(6, k == 1))
		case k <= 3:
			in := b.with(5, k > 1)
			in.Targets = []BlockID{BlockID(b.r.IntN(n))}
			body.Insts = append(body.Insts, in)
		}
	}
	if err := f.Build(&body, Options{}); err != nil {
		t.Fatal(err)
	}
	return f
}

func (b *builder) inst() Inst { return b.with(b.r.IntN(5), b.r.IntN(4) == 0) }

// with clones template k over random registers, guarded or not.
func (b *builder) with(k int, guarded bool) Inst {
	in := b.insts[k]
	in.Ops = b.clone(in.Ops)
	if guarded {
		in.Guard = Guard{Reg: Reg(2*b.perSet + b.r.IntN(b.perSet)), Neg: b.r.IntN(2) == 0}
	}
	return in
}

func (b *builder) clone(ops []Operand) []Operand {
	out := append([]Operand(nil), ops...)
	for i := range out {
		if out[i].Kind == OpReg || out[i].Kind == OpMem {
			out[i].Reg = out[i].Reg*Reg(b.perSet) + Reg(b.r.IntN(b.perSet))
		}
		out[i].Elems = b.clone(out[i].Elems)
	}
	return out
}

func TestRandomFunctionsVerify(t *testing.T) {
	b := newBuilder(t, 1)
	for range 500 {
		f := b.function(t, 1+b.r.IntN(12))
		if err := f.Verify(); err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
	}
}

// slowLive: r is live before pc if some path from there reads it before a full write.
func slowLive(f *Func, pc int32, r Reg, seen []bool) bool {
	for ; ; pc++ {
		if seen[pc] {
			return false
		}
		seen[pc] = true
		in := &f.Insts[pc]
		read, write := false, false
		f.EachReg(in, func(q Reg, a Access) {
			read = read || q == r && a == Read
			write = write || q == r && a == Write
		})
		if read || write && in.Guard.Reg == NoReg {
			return read
		}
		b := &f.Blocks[f.BlockOf(pc)]
		if pc < b.End-1 {
			continue
		}
		for _, s := range b.Succs {
			if slowLive(f, f.Blocks[s].First, r, seen) {
				return true
			}
		}
		return false
	}
}

func TestLivenessAgainstDefinition(t *testing.T) {
	b := newBuilder(t, 2)
	for range 200 {
		f := b.function(t, 1+b.r.IntN(10))
		for i := range f.Blocks {
			mid := f.Blocks[i].First + b.r.Int32N(f.Blocks[i].End-f.Blocks[i].First)
			at := f.LiveAt(mid)
			for r := range f.Regs {
				if got, want := f.LiveIn(BlockID(i), Reg(r)), slowLive(f, f.Blocks[i].First, Reg(r), make([]bool, len(f.Insts))); got != want {
					t.Fatalf("%s at the start of b%d: live %v, want %v\n%s", f.Regs[r].Name, i, got, want, f)
				}
				if got, want := at.Has(r), slowLive(f, mid, Reg(r), make([]bool, len(f.Insts))); got != want {
					t.Fatalf("%s before pc %d: live %v, want %v\n%s", f.Regs[r].Name, mid, got, want, f)
				}
			}
		}
	}
}

// machine runs one lane on a random path, with every value in its virtual register and in
// its row. Values are unique, so a clobbered row shows at the next read.
type machine struct {
	f    *Func
	r    *rand.Rand
	regs []int
	rows map[rowKey]int
	next int
}

func (m *machine) each(r Reg, visit func(rowKey)) { (&rowCheck{f: m.f}).rows(r, visit) }

func (m *machine) read(t *testing.T, pc int32, r Reg) {
	m.each(r, func(k rowKey) {
		if m.rows[k] != m.regs[r] {
			t.Fatalf("pc %d reads %s: its row holds another value\n%s", pc, m.f.Regs[r].Name, m.f)
		}
	})
}

func (m *machine) write(r Reg) {
	m.next++
	m.regs[r] = m.next
	m.each(r, func(k rowKey) { m.rows[k] = m.next })
}

func (m *machine) run(t *testing.T, steps int) {
	for pc := int32(0); steps > 0; steps-- {
		in := &m.f.Insts[pc]
		taken := in.Guard.Reg == NoReg || m.r.IntN(2) == 0
		m.f.EachReg(in, func(r Reg, a Access) {
			if a == Read && (taken || r == in.Guard.Reg) {
				m.read(t, pc, r)
			}
		})
		if taken {
			m.step(t, pc, in)
		}
		switch {
		case taken && len(in.Targets) > 0:
			pc = m.f.Blocks[in.Targets[0]].First
		case taken && in.stops():
			return
		case taken && in.flow() == flowRet:
			return
		default:
			pc++
		}
	}
}

// step writes the results. A handler that is not element-wise may write a result and read
// an operand after that, so operands are read again.
func (m *machine) step(t *testing.T, pc int32, in *Inst) {
	old := append([]int(nil), m.regs...)
	m.f.EachReg(in, func(r Reg, a Access) {
		if a == Write {
			m.write(r)
		}
	})
	if in.Elementwise() {
		return
	}
	written := map[Reg]bool{}
	m.f.EachReg(in, func(r Reg, a Access) { written[r] = written[r] || a == Write })
	m.f.EachReg(in, func(r Reg, a Access) {
		if a == Read && !written[r] {
			m.each(r, func(k rowKey) {
				if m.rows[k] != old[r] {
					t.Fatalf("pc %d overwrites %s before it has read it\n%s", pc, m.f.Regs[r].Name, m.f)
				}
			})
		}
	})
}

func TestRowsOnRandomPaths(t *testing.T) {
	b := newBuilder(t, 3)
	shared := 0
	for range 400 {
		f := b.function(t, 1+b.r.IntN(12))
		used := 0
		for _, row := range f.Rows.Of {
			if row >= 0 {
				used++
			}
		}
		if int(f.Rows.Count[W32]+f.Rows.Count[W64]+f.Rows.Count[WPred]) < used {
			shared++
		}
		for range 10 {
			m := &machine{f: f, r: b.r, regs: make([]int, len(f.Regs)), rows: map[rowKey]int{}}
			m.run(t, 200)
		}
	}
	if shared < 50 {
		t.Errorf("only %d functions had shared rows", shared)
	}
}

// TestHostileSize: tens of thousands of blocks, and as many registers that live through all
// of them, are built within the budgets.
func TestHostileSize(t *testing.T) {
	b := newBuilder(t, 4)
	const n = 40_000
	f := NewFunc("f")
	for range n {
		f.AddReg("", parseType("b32"))
	}
	for range 2 {
		f.AddReg("", parseType("pred"))
	}
	add := func(d, a Reg) Inst {
		in := b.insts[0]
		in.Ops = append([]Operand(nil), in.Ops...)
		in.Ops[0].Reg, in.Ops[1].Reg, in.Ops[2].Reg = d, a, a
		return in
	}
	var body Body
	for i := range Reg(n) { // block i defines register i and reads register n-1-i
		body.Labels = append(body.Labels, Label{At: int32(len(body.Insts))})
		jump := b.insts[5]
		jump.Guard, jump.Targets = Guard{Reg: n}, []BlockID{BlockID(i / 2)}
		body.Insts = append(body.Insts, add(i, n-1-i), jump)
	}
	if err := f.Build(&body, Options{}); err != nil {
		t.Fatal(err)
	}
	if !f.LiveIn(1, 0) || f.Rows.Count[W32] != n {
		t.Errorf("%d rows for %d registers that live through all blocks", f.Rows.Count[W32], n)
	}
	f.Solve(LaunchShape{256, 1, 1, false, false}, nil)
}
