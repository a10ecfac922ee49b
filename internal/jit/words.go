package jit

// Bytes that each lane reads one behind the other, at an address of its own and constants: the first one that is
// read of four fetches all of them for the lanes that execute, and the others come from there, if they are read by no
// more lanes, as long as nothing has been written and the warp has its turn. A byte that lies behind an allocation is
// never fetched.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// wordKey is an address row and a displacement, a multiple of four.
type wordKey struct {
	row  uint32
	disp int64
}

// ctxWord names the word of four bytes in place saveWord of the state, 0 for none; ctxWordOf are the lanes that have it.
var (
	ctxWord   = x86.At(rCtx, saveWord+128)
	ctxWordOf = x86.At(rCtx, saveWord+132)
)

// maxWords is how many words a function has at most: code of any length compiles in linear time.
const maxWords = 64

// findWords gives words of which more than one byte is read their numbers.
func (r *region) findWords() {
	times := map[wordKey]int{}
	for pc := range r.steps {
		if k, ok := r.wordAt(int32(pc)); ok {
			if times[k]++; times[k] == 2 && len(r.words) < maxWords && r.uses(Words) {
				r.words[k] = int32(len(r.words) + 1)
			}
		}
	}
	for i := range r.segs {
		r.segs[i].calm = len(r.words) == 0 || r.isCalm(&r.segs[i])
	}
}

// wordAt is the word of a load of one byte.
func (r *region) wordAt(pc int32) (k wordKey, ok bool) {
	s := &r.steps[pc]
	m := &s.op.Memory
	if s.leaves || s.op.Kind != sem.OpLoad || m.Strong || m.Elem != 1 || len(m.At) != 1 || r.bounds[pc] < 0 || r.insts[pc].Guard != machine.NoGuard {
		return k, false
	}
	at, d, disp := &s.in[0], &s.in[1], int64(r.insts[pc].Imm)
	ok = at.typ == tX && !at.slot && !at.known && d.typ == tW && !d.slot && d.off != machine.NoGuard && m.Bits[0] >= 8 && disp == int64(int16(disp))
	return wordKey{at.off, disp &^ 3}, ok
}

// isCalm tells whether a segment neither writes memory nor address rows of words, and meets nobody who may.
func (r *region) isCalm(s *segment) bool {
	for pc := s.first; pc < s.end; pc++ {
		switch op := r.steps[pc].op; op.Kind {
		case sem.OpLane, sem.OpCompare, sem.OpSelect, sem.OpMove, sem.OpLogic, sem.OpNothing, sem.OpBranch:
		case sem.OpLoad:
			if op.Memory.Strong {
				return false
			}
		default:
			return false
		}
		for _, g := range r.live.uses.writes(pc) {
			if r.f.Rows.Of[g] >= 0 && r.holdsWord(g) {
				return false
			}
		}
	}
	return true
}

// holdsWord tells whether the row of a register overlaps the address row of a word.
func (r *region) holdsWord(g ir.Reg) bool {
	const row64, row128 = 256, 512
	off := r.offset(g)
	for k := range r.words {
		if off < k.row+row64 && k.row < off+row128 {
			return true
		}
	}
	return false
}

// stirWord forgets the word where a segment is not calm: there it is not used either.
func (c *compiler) stirWord(s *segment) {
	if !s.calm {
		c.forgetWord()
	}
}

// forgetWord makes nothing of the word that has been fetched.
func (c *compiler) forgetWord() {
	if len(c.words) > 0 {
		c.MI(x86.MOV, x86.S32, ctxWord, 0)
	}
}

// fromWord assembles a load of a byte of a word.
func (a *accessed) fromWord(id int32, again func()) {
	fetched, done := a.c.NewLabel(), a.c.NewLabel()
	fetch := a.c.later(func() {
		a.fetch4(a.c.later(func() {
			again()
			a.c.Jmp(done)
		}))
		a.c.active(x86.RAX, a.use)
		a.c.MI(x86.MOV, x86.S32, ctxWord, id)
		a.c.MR(x86.MOV, x86.S32, ctxWordOf, x86.RAX)
		a.c.Jmp(fetched)
	})
	a.c.MI(x86.CMP, x86.S32, ctxWord, id)
	a.c.Jcc(x86.NE, fetch)
	if a.use == allLanes {
		a.c.MI(x86.CMP, x86.S32, ctxWordOf, -1)
	} else {
		a.c.active(x86.RAX, a.use)
		a.c.RM(x86.MOV, x86.S32, x86.RCX, ctxWordOf)
		a.c.RRR(x86.ANDN, x86.S32, x86.RCX, x86.RCX, x86.RAX)
	}
	a.c.Jcc(x86.NE, fetch)
	a.c.Bind(fetched)
	d, at := &a.src[1], uint8(a.in.Imm&3)
	a.c.eachPart(tW, func() {
		v := a.c.alloc()
		if a.c.evex {
			a.c.VMI(x86.VPSLLD, x86.W512, v, a.wordPart(), 24-8*at)
		} else {
			a.c.move(a.c.full(), v, a.wordPart())
			a.c.VVI(x86.VPSLLD, a.c.full(), v, v, 24-8*at)
		}
		a.extendTop(0, v)
		a.c.write(vecAt(v), tW, d, a.use)
		a.c.release(temp(v))
	})
	a.c.Bind(done)
}

// fetch4 gathers the word around a byte, or goes to fail where it is not all inside.
func (a *accessed) fetch4(fail x86.Label) {
	in, m := *a.in, *a.m
	in.Imm &^= 3
	m.Elem, m.Size, m.Align = 4, 4, 1
	w := *a
	w.in, w.m = &in, &m
	w.inside(4, fail)
	w.c.eachPart(tW, func() {
		v := w.c.alloc()
		w.gatherPart(0, v, w.hostBase())
		w.c.store(w.c.full(), w.wordPart(), v)
		w.c.release(temp(v))
	})
}

// wordPart is where the running part's words are.
func (a *accessed) wordPart() x86.Mem {
	return x86.At(rCtx, saveWord+int32(a.c.part*a.c.full().Bytes()))
}
