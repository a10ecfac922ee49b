package amd64

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/regalloc"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// dividing is a selector in the middle of a division of lanes: what is divided is in the frame, and lanes are gathered
// there, too.
func dividing() (s *selector, terms, lanes *area) {
	s = &selector{memory: &memory{}, isa: AVX2, out: isel.New("dividing")}
	s.block = &block{Block: s.out.NewBlock(0, false)}
	s.out.Add(s.Block)
	terms, lanes = s.area(fTerms, 64), s.area(fLanes, 64)
	for at := range 2 {
		s.storeArea(terms, 32*at, s.splat(7))
		s.storeArea(lanes, 32*at, s.splat(9))
	}
	return s, terms, lanes
}

// read is an instruction that reads an area.
func (s *selector) read(what *area, run func(c *code)) {
	s.perform("read", run, nil).Op.(*op).areas = []touch{what.reads()}
}

// TestAreas: what is written over before it is read is found, and what is read that was never written.
func TestAreas(t *testing.T) {
	for want, spoil := range map[string]func(s *selector, terms, lanes *area){
		"": func(s *selector, terms, lanes *area) { s.read(terms, nil); s.read(lanes, nil) },
		"written over": func(s *selector, terms, lanes *area) {
			other := s.area(fLanes+32, 32)
			s.storeArea(other, 0, s.splat(1))
			s.read(other, nil)
			s.read(lanes, nil)
		},
		"or never": func(s *selector, terms, lanes *area) { s.read(s.area(fIndex, 32), nil) },
		"touches": func(s *selector, terms, lanes *area) {
			s.storeArea(lanes, 64, s.splat(1))
			s.read(lanes, nil)
		},
		"b1, 0": func(s *selector, terms, lanes *area) { // written in another block
			s.block = &block{Block: s.out.NewBlock(0, false)}
			s.out.Add(s.Block)
			s.read(lanes, nil)
		},
	} {
		s, terms, lanes := dividing()
		spoil(s, terms, lanes)
		if err := checkAreas(s.out); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestOutsideOfAreas: an instruction that touches the frame where it does not say so does not become code.
func TestOutsideOfAreas(t *testing.T) {
	for _, at := range []int{fTerms, fTerms + 60, fLanes} {
		s, terms, _ := dividing()
		s.read(terms, func(c *code) { c.RM(x86.MOV, x86.S32, x86.RAX, c.frameAt(at)) })
		o := &Code{Func: s.out, isa: AVX2}
		_, err := o.Encode(regalloc.Allocate(s.out, AVX2.Registers()))
		if outside := at == fLanes; (err != nil) != outside || outside && !strings.Contains(err.Error(), "no area") {
			t.Errorf("a read at %d: %v", at, err)
		}
	}
}
