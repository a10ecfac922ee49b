package jit

// Forks behind each other, each with two short arms that only compute or read a byte, `x = i < n ? p[i] : 0` for i from 0
// on: in code for some lanes both arms are computed for all of them, the branch selects which value stays, and nobody
// waits anywhere. A series of forks is one program (arms_merge.go). The words of four bytes that its bytes are in are fetched in
// front of it (arms_emit.go), for all lanes that run: where one of them has no such word, nothing has been done, and
// lanes part at the first branch as everywhere else.

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// arms is a series of forks: from the branch of the first up to where the arms of the last meet.
type arms struct {
	first, end int32
	forks      []fork
	words      []armWord
	run        run
	emitted    bool
	head       armsHead
}

// fork is a branch, the instructions in front of it that belong to the series, and those of both arms.
type fork struct {
	pc           int32
	before       []int32
	taken, other []int32
	takes, goes  int32 // how many instructions the arms have, with branches
	meet         int32
}

// armWord is a word of the series and the first load of one of its bytes.
type armWord struct {
	key wordKey
	pc  int32
}

// Bounds of a series: what both arms of a fork come to, how many forks there are, and how many words.
const (
	maxForkInsts = 12
	minForks     = 2
	maxForks     = 16
	maxArmWords  = 8
)

// findArms finds the series of forks, by the first branch of each.
func (r *region) findArms() map[int32]*arms {
	found := map[int32]*arms{}
	for i := 0; i < len(r.segs); i++ {
		if a := r.armsBehind(i); a != nil && r.uses(Arms) {
			found[a.first] = a
			i = r.segAt[a.end] - 1
		}
	}
	return found
}

// armsBehind is the longest series from the branch at the end of a segment, nil if there is none.
func (r *region) armsBehind(i int) *arms {
	s := &r.segs[i]
	if s.first == s.end {
		return nil
	}
	a, f := &arms{first: s.end - 1}, fork{pc: s.end - 1}
	t, whole := r.touched.begin(a.first, true), 0
	for len(a.forks) < maxForks && a.fork(r, &f) && a.takes(r, t, &f) {
		a.forks = append(a.forks, f)
		if a.masksAt(r, t, f.meet) <= maxMasks {
			whole = len(a.forks)
		}
		next, ok := a.behind(r, f.meet)
		if !ok {
			break
		}
		f = next
	}
	if whole < minForks {
		return nil
	}
	a.forks = a.forks[:whole]
	a.end = a.forks[whole-1].meet
	if !a.findWords(r) {
		return nil
	}
	r.mergeArms(a)
	return a
}

// fork completes what is known of a fork by its branch.
func (a *arms) fork(r *region, f *fork) (ok bool) {
	in, s := &r.insts[f.pc], &r.steps[f.pc]
	f.meet = int32(in.D)
	if s.op.Kind != sem.OpBranch || s.leaves || in.Guard == machine.NoGuard || int32(in.Imm) <= f.pc || f.meet <= f.pc {
		return false
	}
	if f.taken, f.takes, ok = r.arm(int32(in.Imm), f.meet); !ok {
		return false
	}
	if f.other, f.goes, ok = r.arm(f.pc+1, f.meet); !ok {
		return false
	}
	if _, ok = r.segAt[f.meet]; !ok || f.takes+f.goes != f.meet-f.pc-1 { // or they share some, or others are there, too
		return false
	}
	for k := r.segAt[f.pc+1]; k < r.segAt[f.meet]; k++ {
		if !a.onlyFrom(r, k, f.meet) {
			return false
		}
	}
	return true
}

// arm lists the instructions from one on to where arms meet, without branches, and counts them with those.
func (r *region) arm(at, meet int32) (list []int32, n int32, ok bool) {
	for at < meet {
		k, starts := r.segAt[at]
		if !starts || r.segs[k].first == r.segs[k].end || !r.segs[k].calm || r.trips[k] != nil {
			return nil, 0, false
		}
		s := &r.segs[k]
		at = s.end
		for pc := s.first; pc < s.end; pc++ {
			n++
			if r.steps[pc].op.Kind != sem.OpBranch {
				list = append(list, pc)
				continue
			}
			if at = int32(r.insts[pc].Imm); r.insts[pc].Guard != machine.NoGuard || at <= pc {
				return nil, 0, false
			}
		}
		if n > maxForkInsts {
			return nil, 0, false
		}
	}
	return list, n, at == meet
}

// onlyFrom tells whether control comes to a segment from the series up to a pc alone: then nobody waits there when the
// series begins.
func (a *arms) onlyFrom(r *region, k int, end int32) bool {
	b := &r.f.Blocks[r.live.blockOf[r.segs[k].first]]
	if b.First != r.segs[k].first {
		return true
	}
	for _, p := range b.Preds {
		if last := r.f.Blocks[p].End - 1; last < a.first || last >= end {
			return false
		}
	}
	return true
}

// behind is the next fork: the arms before meet where a segment begins that does nothing but what the series can do, and
// ends with a branch.
func (a *arms) behind(r *region, meet int32) (f fork, ok bool) {
	k := r.segAt[meet]
	s := &r.segs[k]
	if s.first == s.end || !s.calm || r.trips[k] != nil || !a.onlyFrom(r, k, meet) {
		return f, false
	}
	f.pc = s.end - 1
	for pc := s.first; pc < f.pc; pc++ {
		f.before = append(f.before, pc)
	}
	return f, len(f.before) <= maxForkInsts
}

// takes tells whether all instructions of a fork can be part of the program, and notes them.
func (a *arms) takes(r *region, t *touched, f *fork) bool {
	for _, list := range [...][]int32{f.before, f.taken, f.other} {
		for _, pc := range list {
			if !t.takesArm(r, pc) {
				return false
			}
		}
	}
	return true
}

// takesArm is takes for one instruction.
func (t *touched) takesArm(r *region, pc int32) bool {
	s := &r.steps[pc]
	switch {
	case s.leaves || s.index != nil || r.insts[pc].Guard != machine.NoGuard:
		return false
	case s.op.Kind == sem.OpNothing:
		return true
	case s.op.Kind == sem.OpLoad:
		return t.takesByte(r, pc)
	case s.once(true):
		return false
	}
	return t.takes(r, pc)
}

// takesByte is takesArm for a load: of a byte of a word of which several are read.
func (t *touched) takesByte(r *region, pc int32) bool {
	k, ok := r.wordAt(pc)
	d := r.steps[pc].in[1:2]
	if !ok || r.words[k] == 0 || t.any && t.wide || !t.agrees(d) {
		return false
	}
	t.any, t.written[d[0].off] = true, tW
	return true
}

// masksAt is how many predicates that the series has written are live where arms meet.
func (a *arms) masksAt(r *region, t *touched, meet int32) (n int) {
	live := r.live.at(meet)
	for _, off := range t.masks {
		if r.live.holds(live, off) {
			n++
		}
	}
	return n
}

// findWords finds the words of the series; false if there are too many.
func (a *arms) findWords(r *region) bool {
	for i := range a.forks {
		f := &a.forks[i]
		for _, list := range [...][]int32{f.before, f.taken, f.other} {
			for _, pc := range list {
				if k, ok := r.wordAt(pc); ok && a.word(k) == 0 {
					a.words = append(a.words, armWord{k, pc})
				}
			}
		}
	}
	return len(a.words) <= maxArmWords
}

// word is the number of a word, from 1 on, 0 if it is none of the series.
func (a *arms) word(k wordKey) int {
	for i := range a.words {
		if a.words[i].key == k {
			return i + 1
		}
	}
	return 0
}

// lastLooking is the last segment whose waiting lanes may look at what the series writes: that where the last arms meet,
// if lanes may wait there that were not in the series.
func (a *arms) lastLooking(r *region) int {
	if k := r.segAt[a.end]; a.onlyFrom(r, k, a.end) {
		return k
	}
	return r.segAt[a.end] - 1
}

// liveAtEnd tells whether somebody reads a row behind the series.
func (a *arms) liveAtEnd(r *region, off uint32) bool {
	return r.live.holds(r.live.at(a.end), off)
}
