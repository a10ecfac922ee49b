package amd64

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has loads of lanes at known places behind a base (ssa.Each), which a test in front has found to be inside. Words that one vector
// of memory has, or two of them, are loaded with it and permuted: lanes 0, 2, … 14 words behind a base are two loads, a blend and a
// permutation.

// places are where the lanes of part i of element n are, counted from the access's base.
func (s *selector) places(e *ssa.Effect, t ssa.Type, n, i int) []int64 {
	a, lanes := e.Access, s.isa.lanes(t)
	at := make([]int64, lanes)
	for lane := range at {
		at[lane] = int64(s.f.Table(a.Index)[lanes*i+lane]) + a.Disp + int64(n)*int64(a.Elem)
	}
	return at
}

// apartBy tells whether places are so many bytes apart.
func apartBy(at []int64, step int64) bool {
	for i, k := range at {
		if k != at[0]+int64(i)*step {
			return false
		}
	}
	return true
}

// loadKnown loads part i of element n.
func (s *selector) loadKnown(e *ssa.Effect, v ssa.Value, i, n int) isel.VReg {
	a, t := e.Access, s.f.TypeOf(v)
	at, whole := s.places(e, t, n, i), s.whole(a, v)
	switch {
	case whole && apartBy(at, 0):
		return s.load([2]x86.Op{x86.VBROADCASTSS, x86.VPBROADCASTQ}[typeIndex(t)], e, at[0])
	case whole && apartBy(at, int64(a.Elem)):
		return s.load(x86.VMOVUPS, e, at[0])
	case t == ssa.W && a.Elem < 4 && apartBy(at, int64(a.Elem)):
		return s.load(extensions[a.Elem-1][bit(a.Signed)], e, at[0])
	}
	if whole && t == ssa.W {
		if r := s.loadWindows(e, at); r != 0 {
			return r
		}
	}
	if s.gathered(a, t) {
		first, offsets := slices.Min(at), make([]uint32, len(at))
		for lane, k := range at {
			offsets[lane] = uint32(k - first)
		}
		return s.emitGather(&gather{of: t, indices: []isel.VReg{s.out.Constant(isel.Vector, words(offsets...))}, base: s.hostBase(a.Base),
			scale: 1, disp: int32(first), proof: s.accessed(e)})
	}
	m, base := s.address(e, 0)
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) {
		c.gather(a, t, c.v(0), c.tv(1), c.t(0), func(lane int) x86.Mem {
			one := m
			one.disp = at[lane]
			return c.mem(&one)
		})
	}
	s.emit(&isel.Inst{Op: &op{name: "load known", run: run}, Defs: []isel.VReg{d}, Uses: []isel.VReg{base}, Temps: s.temps(1, 1)})
	return d
}

// window is a vector of memory and where in it lanes are; -1: it has them not.
type window struct {
	start int64
	word  []int
}

// windows are those that have the words of all lanes, two at most; none if there would be more, or one would reach beyond what was tested.
func (s *selector) windows(e *ssa.Effect, at []int64) (list []window) {
	c := &s.f.Checks[e.Access.Check]
	left := slices.Clone(at)
	for len(left) > 0 {
		start := min(slices.Min(left), (c.Hi-int64(s.isa.bytes()))&^3|slices.Min(left)&3)
		if start < c.Lo || len(list) == 2 {
			return nil
		}
		w, ok := s.windowAt(start, at, left)
		if !ok {
			return nil
		}
		list = append(list, w)
		left = slices.DeleteFunc(left, func(k int64) bool { return k+4 <= start+int64(s.isa.bytes()) })
	}
	return list
}

// windowAt is a window that has what is left of lanes.
func (s *selector) windowAt(start int64, at, left []int64) (w window, ok bool) {
	w = window{start, make([]int, len(at))}
	for lane, k := range at {
		w.word[lane] = -1
		if k >= start && k+4 <= start+int64(s.isa.bytes()) && slices.Contains(left, k) {
			if w.word[lane] = int(k-start) / 4; (k-start)%4 != 0 {
				return w, false
			}
		}
	}
	return w, true
}

// identity tells whether each lane that a window has is in its place.
func (w *window) identity() bool {
	for lane, k := range w.word {
		if k >= 0 && k != lane {
			return false
		}
	}
	return true
}

// moved is a window that begins earlier, if it has the same lanes and the check lets it.
func (s *selector) moved(w window, e *ssa.Effect, by int) (window, bool) {
	m := window{w.start - 4*int64(by), slices.Clone(w.word)}
	for lane, k := range m.word {
		if k >= 0 {
			m.word[lane] += by
		}
	}
	return m, m.start >= s.f.Checks[e.Access.Check].Lo && slices.Max(m.word) < s.isa.bytes()/4
}

// loadWindow loads one.
func (s *selector) loadWindow(e *ssa.Effect, w *window) isel.VReg {
	whole := *e.Access
	whole.Index, whole.Disp, whole.Elem, whole.Count = 0, w.start, 4, uint8(s.isa.bytes()/4)
	return s.load(x86.VMOVUPS, &ssa.Effect{Kind: e.Kind, Access: &whole, PC: e.PC}, w.start)
}

// order is the permutation that brings each word to the lane it is of.
func (w *window) order(other *window) isel.Const {
	list := make([]uint32, len(w.word))
	for lane, k := range w.word {
		if k < 0 && other != nil {
			k = other.word[lane]
		}
		list[lane] = uint32(max(k, 0))
	}
	return words(list...)
}

// loadWindows loads words by one window or two; 0 if they do not have them.
func (s *selector) loadWindows(e *ssa.Effect, at []int64) isel.VReg {
	list := s.windows(e, at)
	permute := func(w *window, r isel.VReg) isel.VReg {
		return s.vector(x86.VPERMD, s.out.Constant(isel.Vector, w.order(nil)), r)
	}
	switch {
	case len(list) == 0:
		return 0
	case len(list) == 1 && list[0].identity():
		return s.loadWindow(e, &list[0])
	case len(list) == 1:
		return permute(&list[0], s.loadWindow(e, &list[0]))
	case s.isa.Has(Masks):
		n := s.isa.lanes(ssa.W)
		order := ordered(func(lane int) int {
			if k := list[0].word[lane]; k >= 0 {
				return k
			}
			return n + list[1].word[lane]
		})
		return s.permuted2(x86.VPERMT2D, s.loadWindow(e, &list[0]), s.loadWindow(e, &list[1]), order)
	}
	a, b := s.apartIn(e, list[0], list[1])
	var second int64
	for lane, k := range b.word {
		if k >= 0 {
			second |= 1 << lane
		}
	}
	switch {
	case a.identity() && b.identity():
		return s.imm(x86.VPBLENDD, second, s.loadWindow(e, &a), s.loadWindow(e, &b))
	case distinct(&a, &b):
		var from int64 // which words the second has
		for _, k := range b.word {
			if k >= 0 {
				from |= 1 << k
			}
		}
		both := s.imm(x86.VPBLENDD, from, s.loadWindow(e, &a), s.loadWindow(e, &b))
		return s.vector(x86.VPERMD, s.out.Constant(isel.Vector, a.order(&b)), both)
	}
	return s.imm(x86.VPBLENDD, second, permute(&a, s.loadWindow(e, &a)), permute(&b, s.loadWindow(e, &b)))
}

// distinct tells whether no word of one window is where one of the other is, so that a blend can have them all.
func distinct(a, b *window) bool {
	return !slices.ContainsFunc(a.word, func(k int) bool { return k >= 0 && slices.Contains(b.word, k) })
}

// apartIn moves two windows so that their lanes are in their places, or at least not in the same ones.
func (s *selector) apartIn(e *ssa.Effect, a, b window) (x, y window) {
	x, y = a, b
	for i := range s.isa.lanes(ssa.W) {
		p, ok := s.moved(a, e, i)
		if !ok {
			break // nor is it farther on
		}
		for j := range s.isa.lanes(ssa.W) {
			q, ok := s.moved(b, e, j)
			if !ok {
				break
			}
			if p.identity() && q.identity() {
				return p, q
			}
			if distinct(&p, &q) && !distinct(&x, &y) {
				x, y = p, q
			}
		}
	}
	return x, y
}
