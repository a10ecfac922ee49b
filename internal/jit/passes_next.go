package jit

// Turns for the next warps. Warps that follow each other in a grid often load what follows each other, turn for turn:
// the loop of a grid's stride. One warp that runs all its turns alone goes on by a page or more each time, and no
// processor fetches ahead for it; the same loads in the order of their addresses take a third of the time. So a warp that
// comes to such a loop runs its turns for those behind it, too, in this CTA and the next ones: for all of them four turns,
// then the next four. What numbers they will bring is a guess: each goes on from warp to warp as it does from lane to
// lane. The rows that come out wait in the state until a warp comes with just these numbers, slots and rows; it takes
// them and has run its turns. One that brings others runs the ordinary way, and where that is the rule nobody guesses
// again in the launch.
//
// Such a warp's loads are executed before its turn. Nobody can tell: from the kernel's begin to the loop there is only
// what computes and loads, nothing that could order them behind what another thread does; and what the kernel stores, or
// atomics change, is in other allocations than what the loop loads, so that even those who race see the schedule's order.
//
// Here is which loops do that, passes_next_emit.go has the code.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// nextWarps is a loop that is run for the next warps.
type nextWarps struct {
	*turning
	s    *segment
	keys []nextKey
	rows []uint32 // what a turn reads: first those that it writes
	to   []int32  // bounds of what the kernel writes
	wide *rate    // has to be large, if it is not fixed

	enter, miss x86.Label
}

// nextKey is a place whose value goes on from warp to warp.
type nextKey struct {
	at   x86.Mem
	size x86.Size
	by   int64
}

// Bounds of what is run for the next warps.
const (
	nextOps    = 8       // instructions of lanes in a turn
	nextStride = 1 << 10 // bytes from turn to turn that no processor foresees
	nextBases  = 5       // leaves a register of turnRegs
	nextTurns  = 4       // of a warp at a time
	nextWork   = 1 << 17 // instructions of all warps, as between two polls
	nextWrites = 8       // accesses of the kernel that write
)

// forNext finds it; nil if a loop is none.
func (k *turning) forNext(s *segment) *nextWarps {
	n := &nextWarps{turning: k, s: s, enter: k.NewLabel(), miss: k.NewLabel()}
	if k.t.counting || !k.f.Entry || k.parts != k.wholeRow() || k.baseRegs() > nextBases || k.t.lanes > nextOps || len(k.t.bases) == 0 {
		return nil
	}
	for pc := s.first; pc < s.end; pc++ {
		if st := &k.steps[pc]; st.op.Kind == sem.OpLoad && st.op.Memory.Space != machine.Global {
			return nil
		}
	}
	if !n.writes() || !n.numbers() || !n.operands() || !n.far() || !k.unordered(s.first) || len(n.keys) > machine.NativeNextKeys || len(n.rows) > machine.NativeNextRows || !k.uses(NextWarps) {
		return nil
	}
	return n
}

// writes notes what writes global memory; false if that is much. An access whose bounds are not known yet returns to Go
// first, where what has been run for others is given up, as does what only its handler knows.
func (n *nextWarps) writes() bool {
	for pc, b := range n.bounds {
		switch n.steps[pc].op.Kind {
		case sem.OpStore, sem.OpAtomic, sem.OpCas:
			if b >= 0 && !slices.Contains(n.to, b) {
				n.to = append(n.to, b)
			}
		}
	}
	return len(n.to) <= nextWrites && !slices.ContainsFunc(n.t.bases, func(b turnBase) bool { return b.bound < 0 })
}

// numbers notes the numbers and slots that decide about turns and addresses; false if nothing says how one goes on.
func (n *nextWarps) numbers() bool {
	t := n.t
	for i := range t.bases {
		b := &t.bases[i]
		by, ok := n.key(&b.src)
		if !ok || by%b.align != 0 {
			return false
		}
	}
	for i := range t.widens {
		if _, ok := n.key(&t.widens[i].src); !ok {
			return false
		}
	}
	for i := range t.advances {
		if r := t.advances[i].rate; !r.fixed() {
			n.place(r.at, map[bool]x86.Size{false: x86.S32, true: x86.S64}[r.wide], 0)
		}
	}
	by, ok := n.key(t.counter.v)
	_, bound := n.key(t.counter.b)
	return ok && bound && by >= 0 && (by == 0 || t.counter.divides())
}

// key notes what a number or slot must be; false if nothing says how it goes on.
func (n *nextWarps) key(src *source) (by int64, ok bool) {
	switch p := src.pat; {
	case src.known:
		return 0, true
	case p != nil:
		by, ok = p.fromWarp()
		if ok {
			n.place(p.number(0), p.typ.size(), by)
		}
		return by, ok
	case src.slot:
		n.place(n.regs(src.off), src.typ.size(), 0)
		return 0, true
	}
	return 0, false
}

// place notes a key.
func (n *nextWarps) place(at x86.Mem, size x86.Size, by int64) {
	if k := (nextKey{at, size, by}); !slices.Contains(n.keys, k) {
		n.keys = append(n.keys, k)
	}
}

// fromWarp is how a number goes on to the next warp if lanes go on alike; false if they do not, or by too much.
func (p *pattern) fromWarp() (by int64, ok bool) {
	by = 32 * p.step
	return by, p.n() == 1 && p.row == p.w && by == int64(int32(by))
}

// operands notes what lanes read; false if it is another thing than rows and slots.
func (n *nextWarps) operands() bool {
	t := n.t
	for _, off := range t.carried {
		if _, ok := n.rowAt[off]; !ok {
			return false
		}
	}
	n.rows = slices.Clone(t.carried)
	need := t.needs()
	for i := range t.ops {
		o := &t.ops[i]
		if !need[i] || o.code != cIn {
			continue
		}
		switch in := &t.in[o.imm]; {
		case in.fetch != nil || in.known:
		case in.typ != tW && !in.slot || in.pat != nil:
			return false
		case in.slot:
			n.place(n.regs(in.off), in.typ.size(), 0)
		case !slices.Contains(n.rows, in.off):
			n.rows = append(n.rows, in.off)
		}
	}
	return true
}

// far tells whether some load goes on by much from turn to turn, and from warp to warp.
func (n *nextWarps) far() bool {
	for i := range n.t.bases {
		b := &n.t.bases[i]
		if b.goes == nil || b.src.pat == nil || b.src.pat.same() {
			continue
		}
		if n.wide = &b.goes.rate; !n.wide.fixed() || max(n.wide.by, -n.wide.by) >= nextStride {
			return true
		}
	}
	return false
}

// unordered tells whether nothing on any way from the begin of the kernel to an instruction, loops round it included,
// writes memory or orders accesses.
func (r *region) unordered(pc int32) bool {
	seen := make([]bool, len(r.segs))
	list := []int{r.segAt[pc]}
	for seen[list[0]] = true; len(list) > 0; list = list[1:] {
		if !r.onlyReads(list[0]) {
			return false
		}
		for i := range r.segs {
			if !seen[i] && r.leadsTo(i, list[0]) {
				seen[i] = true
				list = append(list, i)
			}
		}
	}
	return true
}

// onlyReads tells whether a segment only computes and loads.
func (r *region) onlyReads(i int) bool {
	for pc := r.segs[i].first; pc < r.segs[i].end; pc++ {
		switch s := &r.steps[pc]; s.op.Kind {
		case sem.OpLane, sem.OpSelect, sem.OpCompare, sem.OpSet, sem.OpUnpack, sem.OpMove, sem.OpLogic, sem.OpConvert, sem.OpCarry, sem.OpNothing, sem.OpBranch, sem.OpExit, sem.OpReturn:
		case sem.OpLoad:
			if s.op.Memory.Strong {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// leadsTo tells whether a segment may follow another one. Nothing is known of instructions that only their handlers know.
func (r *region) leadsTo(i, to int) bool {
	s := &r.segs[i]
	if s.end == s.first {
		return to == i+1
	}
	in, last := &r.insts[s.end-1], &r.steps[s.end-1]
	goes := in.Guard != machine.NoGuard
	switch last.op.Kind {
	case sem.OpOther:
		return true
	case sem.OpBranch:
		if r.segAt[int32(in.Imm)] == to {
			return true
		}
	case sem.OpExit, sem.OpReturn:
	default:
		goes = true
	}
	return goes && to == i+1
}
