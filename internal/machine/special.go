package machine

// This file writes special registers into the frames of warps (internal/machine/specials says what they hold).

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
)

// reader is a warp as special registers see it.
type reader Warp

func (r *reader) Launch() *specials.Launch { return &r.cta.grid.special }
func (r *reader) CTA() specials.CTA {
	return specials.CTA{ID: r.cta.id, Rank: r.cta.rank, ClusterRank: r.cta.crank}
}
func (r *reader) Warp() int32 { return r.index }

// Clock is of one cycle a nanosecond: real time, or instructions that the CTA's warps have executed and time slept.
func (r *reader) Clock() uint64 {
	if real := r.cta.grid.Clock; real != nil {
		return real()
	}
	w := (*Warp)(r)
	return r.cta.cycles + r.steps + r.slept + uint64(w.PC(r.now)-r.start)
}

// Timer is the real time of day, or that of the launches before this one and the clock.
func (r *reader) Timer() uint64 {
	if r.cta.grid.Clock != nil {
		return r.cta.grid.ClockBegan + r.Clock()
	}
	return r.cta.grid.epoch + r.Clock()
}

// Special reads a special register for one lane at an instruction. The register must have a
// class.
func (w *Warp) Special(in *Inst, s isa.Special, comp uint8, lane int) uint64 {
	w.now = in
	if p := w.Proof(); p != nil {
		p.Break() // a clock, or what stands beside one
	}
	return specials.Read((*reader)(w), s, comp, lane)
}

// fillSpecials writes the constants' companions, the special registers, of a new frame.
func (w *Warp) fillSpecials(f *Frame) {
	for i := range f.code.Specials {
		f.code.Specials[i].Fill(f.regs, (*reader)(w))
	}
}

// placeSpecials writes those that differ between CTAs.
func (w *Warp) placeSpecials(f *Frame) {
	for i := range f.code.Specials {
		if r := &f.code.Specials[i]; r.Class() == specials.PerCTA {
			r.Fill(f.regs, (*reader)(w))
		}
	}
}

// renewSpecials sees to it that a CTA has the special registers of its launch; filled tells that it has been in another.
func (c *CTA) renewSpecials(filled bool) {
	of := c.grid.of
	if filled && of != nil && c.of == of {
		return
	}
	own := specials.ReadOwn(c.warps[0].root.code.Specials)
	if filled && (c.like != c.grid.special.Facts || own) {
		c.refillSpecials()
	}
	if c.of = of; own {
		c.of = nil
	}
	c.like = c.grid.special.Facts
}

// refillSpecials writes those that may differ from the ones of another launch with the same code.
func (c *CTA) refillSpecials() {
	code, old := c.warps[0].root.code, c.like.Block == c.grid.Block
	for i := range code.Specials {
		r := &code.Specials[i]
		switch r.Class() {
		case specials.PerLaunch:
			if r.HeldBy(c.warps[0].root.regs, (*reader)(c.warps[0])) { // as do the others
				continue
			}
		case specials.PerLane, specials.PerWarp:
			if old {
				continue
			}
		case specials.PerCTA:
			if _, ok := r.CTAPart(); ok { // those who begin a warp write it
				continue
			}
		}
		for _, w := range c.warps {
			r.Fill(w.root.regs, (*reader)(w))
		}
	}
}
