package regalloc

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// This file takes stores out of loops, once all values have places. A value has its home from its definition on, since
// the scan learns behind that whether anything reads it there. Where all that do are outside of the loop in which the
// value is defined, it is in a register on each way out of that, and is stored there: where the blocks begin to which
// the loop is left. Cold blocks are outside of every loop, and of the hot code that is in none.

// sinker is what it takes to find which stores can go.
type sinker struct {
	*allocator
	reads [][]int32 // by slot: the blocks that read it; one may be there several times
	moved []bool    // by slot: edges store there
	preds [][]int32 // by block
	head  []int32   // by block: 1 + where its innermost loop begins; 0: it is in none
	outer []int32   // by block where a loop begins: 1 + where the one around it begins
	defs  []int32   // by slot: 1 + the block that defines its value
	seen  []int32   // by block: the last walk that visited it
	mark  int32     // the running walk
	queue []int32
}

// sink takes stores out of loops.
func (a *allocator) sink() {
	if a.out.Slots == 0 {
		return
	}
	n := len(a.f.Blocks)
	s := &sinker{allocator: a, reads: make([][]int32, a.out.Slots), moved: make([]bool, a.out.Slots), preds: make([][]int32, n),
		head: make([]int32, n), outer: make([]int32, n), defs: make([]int32, a.out.Slots), seen: make([]int32, n)}
	for _, b := range a.f.Blocks {
		s.look(b)
	}
	s.findLoops()
	a.out.Begin = make([][]Move, n)
	for v, home := range a.out.Home {
		if slot, ok := home.Slot(); ok && !s.moved[slot] && s.defs[slot] != 0 {
			s.value(isel.VReg(v), slot)
		}
	}
}

// look notes what a block reads from the frame, what it defines, and where it leads.
func (s *sinker) look(b *isel.Block) {
	id := int32(b.ID)
	for _, p := range b.Params {
		s.defined(p, id)
	}
	steps := s.out.Blocks[id]
	for i := range steps {
		step := &steps[i]
		moves, edge := s.out.Moves(step)
		s.lookMoves(moves, id)
		s.lookMoves(edge, id)
		_, uses, _ := s.out.Locs(step)
		for _, l := range uses {
			s.read(l, id)
		}
		for _, d := range step.Inst.Defs {
			s.defined(d, id)
		}
		if to := step.Inst.To; to != nil {
			s.preds[to.ID] = append(s.preds[to.ID], id)
		}
	}
}

func (s *sinker) defined(v isel.VReg, in int32) {
	if slot, ok := s.out.Home[v].Slot(); ok {
		s.defs[slot] = 1 + in
	}
}

func (s *sinker) lookMoves(moves []Move, in int32) {
	for _, m := range moves {
		s.read(m.From, in)
		if slot, ok := m.To.Slot(); ok {
			s.moved[slot] = true
		}
	}
}

func (s *sinker) read(l Loc, in int32) {
	if slot, ok := l.Slot(); ok {
		if list := s.reads[slot]; len(list) == 0 || list[len(list)-1] != in {
			s.reads[slot] = append(list, in)
		}
	}
}

// loop is where one begins, and its hot blocks.
type loop struct {
	head   int32
	blocks []int32
}

// findLoops finds the innermost loop of each hot block, and the one around each loop: small loops come first.
func (s *sinker) findLoops() {
	var loops []loop
	for id, end := range s.loop {
		if end != 0 {
			loops = append(loops, loop{int32(id), s.bodyOf(int32(id))})
		}
	}
	slices.SortStableFunc(loops, func(a, b loop) int { return len(a.blocks) - len(b.blocks) })
	for _, l := range loops {
		for _, b := range l.blocks {
			if s.head[b] == 0 {
				s.head[b] = 1 + l.head
				continue
			}
			inner := s.head[b] - 1
			for s.outer[inner] != 0 {
				inner = s.outer[inner] - 1
			}
			if inner != l.head {
				s.outer[inner] = 1 + l.head
			}
		}
	}
}

// bodyOf are the hot blocks of the loop that begins at one: those from which a way leads back there.
func (s *sinker) bodyOf(head int32) []int32 {
	s.mark++
	mark := s.mark
	s.seen[head] = mark
	body := []int32{head}
	for i := 0; i < len(body); i++ {
		for _, p := range s.preds[body[i]] {
			hot := !s.f.Blocks[p].Cold
			if back := p >= head; hot && s.seen[p] != mark && (back || i > 0) {
				s.seen[p] = mark
				body = append(body, p)
			}
		}
	}
	return body
}

// within tells whether a block is hot, and in a loop; in none is all that is hot.
func (s *sinker) within(b, head int32) bool {
	if s.f.Blocks[b].Cold {
		return false
	}
	at := s.head[b]
	for at != head && at != 0 {
		at = s.outer[at-1]
	}
	return at == head
}

// depth is how many loops a block is in.
func (s *sinker) depth(b int32) (n int) {
	for at := s.head[b]; at != 0; at = s.outer[at-1] {
		n++
	}
	return n
}

// value takes the store of a value out of all hot code, or out of its loop, if it may go.
func (s *sinker) value(v isel.VReg, slot int) {
	in := s.defs[slot] - 1
	if s.f.Blocks[in].Cold {
		return
	}
	begin, ok := s.leaves(v, slot, in, 0)
	if loop := s.head[in]; !ok && loop != 0 {
		begin, ok = s.leaves(v, slot, in, loop)
	}
	if !ok {
		return
	}
	for _, b := range begin {
		s.out.Begin[b] = append(s.out.Begin[b], Move{v, SlotOf(slot), s.startOf(b, v)})
	}
	s.out.Home[v] = None
}

// leaves are the blocks where a loop around the definition of a value is left on a way to where it is read from memory; ok tells whether it is in a register in all
// of them, and they are executed less often than the value is defined.
func (s *sinker) leaves(v isel.VReg, slot int, in, loop int32) (begin []int32, ok bool) {
	s.mark++
	mark := s.mark
	s.queue = s.queue[:0]
	visit := func(b int32) {
		if s.seen[b] != mark {
			s.seen[b] = mark
			s.queue = append(s.queue, b)
		}
	}
	for _, b := range s.reads[slot] {
		if s.within(b, loop) {
			return nil, false
		}
		visit(b)
	}
	for i := 0; i < len(s.queue); i++ {
		b, left := s.queue[i], false
		for _, p := range s.preds[b] {
			if s.within(p, loop) {
				left = true
			} else {
				visit(p)
			}
		}
		if !left {
			continue
		}
		if s.startOf(b, v) == None || !s.f.Blocks[b].Cold && s.depth(b) >= s.depth(in) {
			return nil, false
		}
		begin = append(begin, b)
	}
	return begin, true
}

// startOf is the register in which a value is when a block begins.
func (s *sinker) startOf(b int32, v isel.VReg) Loc {
	if at := s.start[b]; at != nil {
		if r := slices.Index(at[s.f.ClassOf(v)][:], v); r >= 0 {
			return Loc(r)
		}
	}
	return None
}
