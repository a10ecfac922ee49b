package ir

// This file compares the sets that share their parts with sets of bits, and liveness with the fixpoint that has a bit for every
// register and block: slow, and simple. It counts the work for functions of growing size.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSets: members come and go as in a map, in sets of one to four levels, and sets that are finished stay what they are.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for _, n := range []int{1, 64, 65, 257, 1500, 5000} {
		s := newSets(n)
		trees, models := []set{0}, []map[int]bool{{}}
		for range 300 {
			k := r.IntN(len(trees))
			tree, model := trees[k], maps.Clone(models[k])
			s.finish()
			for range r.IntN(8) {
				i, member := r.IntN(n), r.IntN(3) > 0
				tree = s.put(tree, i, member)
				if delete(model, i); member {
					model[i] = true
				}
			}
			if k := r.IntN(len(trees)); r.IntN(2) == 0 {
				tree = s.join(tree, trees[k])
				maps.Copy(model, models[k])
			}
			trees, models = append(trees, tree), append(models, model)
		}
		for k, model := range models {
			checkSet(t, s, n, trees[k], model)
			checkDiffer(t, s, trees[k], trees[len(trees)/2], model, models[len(trees)/2])
		}
	}
}

func checkSet(t *testing.T, s *sets, n int, tree set, model map[int]bool) {
	t.Helper()
	var list []int
	s.each(tree, func(i int) { list = append(list, i) })
	if want := slices.Sorted(maps.Keys(model)); !slices.Equal(list, want) || s.count(tree) != len(want) {
		t.Fatalf("of %d: members %v (%d), want %v", n, list, s.count(tree), want)
	}
	for range 20 {
		if i := rand.IntN(n); s.has(tree, i) != model[i] {
			t.Fatalf("of %d: has %d is %v", n, i, !model[i])
		}
	}
}

func checkDiffer(t *testing.T, s *sets, a, b set, x, y map[int]bool) {
	t.Helper()
	var have, want []int
	s.differ(a, b, func(i int) { have = append(have, i) })
	for i := range x {
		if !y[i] {
			want = append(want, i)
		}
	}
	for i := range y {
		if !x[i] {
			want = append(want, i)
		}
	}
	if slices.Sort(want); !slices.Equal(have, want) {
		t.Fatalf("differ in %v, want %v", have, want)
	}
}

// denseLive is liveness with a bit for every register at both edges of every block.
func denseLive(f *Func) (in, out []Bits) {
	in, out = make([]Bits, len(f.Blocks)), make([]Bits, len(f.Blocks))
	for b := range f.Blocks {
		in[b], out[b] = NewBits(len(f.Regs)), NewBits(len(f.Regs))
	}
	for again := true; again; {
		again = false
		for b := range f.Blocks {
			for _, s := range f.Blocks[b].Succs {
				in[s].Each(func(r int) { out[b].Set(r) })
			}
			live := slices.Clone(out[b])
			for pc := f.Blocks[b].End - 1; pc >= f.Blocks[b].First; pc-- {
				f.passLive(&f.Insts[pc], func(r Reg, lives bool) {
					if live.Clear(int(r)); lives {
						live.Set(int(r))
					}
				})
			}
			again = again || !slices.Equal(live, in[b])
			in[b] = live
		}
	}
	return in, out
}

// TestLivenessAgainstDense: on random functions both are the same, at every edge, and registers hold their rows as long as the
// dense sets and the instructions say.
func TestLivenessAgainstDense(t *testing.T) {
	b := newBuilder(t, 21)
	b.perSet = 26
	for range 150 {
		f := b.function(t, 1+b.r.IntN(60))
		in, out := denseLive(f)
		first, last := denseHulls(f, in, out)
		for i := range f.Blocks {
			for r := range f.Regs {
				if f.LiveIn(BlockID(i), Reg(r)) != in[i].Has(r) || f.LiveOut(BlockID(i), Reg(r)) != out[i].Has(r) {
					t.Fatalf("b%d, %s: live %v %v, want %v %v\n%s", i, f.Regs[r].Name, f.LiveIn(BlockID(i), Reg(r)), f.LiveOut(BlockID(i), Reg(r)), in[i].Has(r), out[i].Has(r), f)
				}
			}
		}
		for _, s := range f.intervals() {
			if s.first != first[s.reg] || s.last != last[s.reg] {
				t.Fatalf("%s holds its row from %d to %d, want %d to %d\n%s", f.Regs[s.reg].Name, s.first, s.last, first[s.reg], last[s.reg], f)
			}
		}
	}
}

// denseHulls looks at every register at every edge.
func denseHulls(f *Func, in, out []Bits) (first, last []int32) {
	h := hulls{filled(len(f.Regs), -1), filled(len(f.Regs), -1)}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		in[i].Each(func(r int) { h.at(Reg(r), 2*b.First) })
		out[i].Each(func(r int) { h.at(Reg(r), 2*b.End-1) })
		for pc := b.First; pc < b.End; pc++ {
			f.touched(&h, pc)
		}
	}
	return h.first, h.last
}

// TestLiveEverywhere: past the budget every global lives at all edges, and has a row of its own.
func TestLiveEverywhere(t *testing.T) {
	b := newBuilder(t, 5)
	for range 50 {
		f := b.function(t, 12)
		w := liveness{f: f, used: filled(len(f.Regs), -1), killed: filled(len(f.Regs), -1)}
		if w.scan(); w.solve(0) {
			t.Fatal("solved with no budget")
		}
		f.liveEverywhere()
		f.colour(false)
		if err := f.verifyRows(); err != nil {
			t.Fatal(err)
		}
		for i := range f.Blocks {
			for r, g := range f.GlobalOf {
				if f.LiveIn(BlockID(i), Reg(r)) != (g >= 0) || f.LiveOut(BlockID(i), Reg(r)) != (g >= 0) {
					t.Fatalf("b%d: %s", i, f.Regs[r].Name)
				}
			}
		}
	}
}

// shape writes the instructions of a function of size n in which about n registers live for long.
type shape struct {
	name  string
	write func(w *shapeWriter, n Reg)
}

// shapeWriter makes bodies of additions and branches. Register n of n+1 words is everyone's; the last register is a predicate.
type shapeWriter struct {
	add, branch Inst
	predicate   Reg
	body        Body
}

func (w *shapeWriter) label() BlockID {
	w.body.Labels = append(w.body.Labels, Label{})
	return BlockID(len(w.body.Labels) - 1)
}

func (w *shapeWriter) place(l BlockID) { w.body.Labels[l].At = int32(len(w.body.Insts)) }

func (w *shapeWriter) sum(d, a, b Reg) {
	in := w.add
	in.Ops = slices.Clone(in.Ops)
	in.Ops[0].Reg, in.Ops[1].Reg, in.Ops[2].Reg = d, a, b
	w.body.Insts = append(w.body.Insts, in)
}

func (w *shapeWriter) to(l BlockID, always bool) {
	in := w.branch
	if in.Targets = []BlockID{l}; !always {
		in.Guard = Guard{Reg: w.predicate}
	}
	w.body.Insts = append(w.body.Insts, in)
}

var shapes = []shape{
	{"diamonds", func(w *shapeWriter, n Reg) {
		for i := range n - 1 {
			join := w.label()
			w.to(join, false)
			w.sum(i+1, i, i)
			w.place(join)
			w.sum(i, i+1, n)
		}
	}},
	{"nested loops", func(w *shapeWriter, n Reg) {
		heads := make([]BlockID, n)
		for i := range n {
			heads[i] = w.label()
			w.place(heads[i])
			w.sum(i, i, n)
		}
		for i := n - 1; i >= 0; i-- {
			w.to(heads[i], false)
		}
	}},
	{"loops in a row", func(w *shapeWriter, n Reg) {
		for i := range n {
			head := w.label()
			w.place(head)
			w.sum(i, i, n-1-i)
			w.to(head, false)
		}
	}},
	{"arms of one branch", func(w *shapeWriter, n Reg) {
		end := w.label()
		for i := range n {
			next := w.label()
			w.to(next, false)
			w.sum(i, n-1-i, n)
			w.to(end, true)
			w.place(next)
		}
		w.place(end)
		for i := range n {
			w.sum(n, n, i)
		}
	}},
	{"ways out", func(w *shapeWriter, n Reg) {
		end := w.label()
		for i := range n {
			w.sum(i, n, n)
			w.to(end, false)
		}
		w.place(end)
		for i := range n {
			w.sum(n, n, i)
		}
	}},
	{"one long block", func(w *shapeWriter, n Reg) {
		head := w.label()
		w.place(head)
		for i := range n {
			w.sum(i, n-1-i, n)
		}
		w.to(head, false)
	}},
}

// built is the function of a shape.
func (s *shape) built(t *testing.T, b *builder, n int) *Func {
	f := NewFunc("f")
	for i := range n + 1 {
		f.AddReg(fmt.Sprint("%r", i), parseType("b32"))
	}
	w := &shapeWriter{add: b.insts[0], branch: b.insts[5], predicate: f.AddReg("%p", parseType("pred"))}
	s.write(w, Reg(n))
	if err := f.Build(&w.body, Options{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestLiveGrowth: the work, and the memory of the sets, grow as the function does, where each block changes little; the trees of
// eight times the registers have one or two levels more.
func TestLiveGrowth(t *testing.T) {
	b := newBuilder(t, 6)
	for _, s := range shapes {
		const n, times = 2_500, 8
		small, large := s.built(t, b, n), s.built(t, b, times*n)
		work, size := [2]int{small.edges.visits, large.edges.visits}, [2]int{small.edges.size(), large.edges.size()}
		if work[1] > work[0]*times*2 || size[1] > size[0]*times*2 {
			t.Errorf("%s: work %d, bytes %d for %d times the size", s.name, work, size, times)
		}
		large.Solve(LaunchShape{256, 1, 1, false, false}, nil)
	}
}
