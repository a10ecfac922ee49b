package machine

// This file says what each special register holds (chapter 10).

import (
	"math"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// SpecialRef asks for a special register in a register block. Component 0 is x.
type SpecialRef struct {
	Off   uint32
	Width regs.Width
	Reg   isa.Special // SharedBase, KernelParams: of the address of a shared variable, of a parameter of the kernel
	Comp  uint8
	Add   uint64 // to its value
}

// SharedBase is what the shared addresses of a CTA have in common, its rank in the cluster at
// bit 24, where a special register is asked for.
const SharedBase isa.Special = 0

// KernelParams is the address of the launch's parameter block, where a special register is asked for.
const KernelParams isa.Special = math.MaxUint8

// SpecialClass says what a special register depends on.
type SpecialClass uint8

// The classes.
const (
	NoSpecial SpecialClass = iota // the machine does not have it
	PerLaunch                     // one value a launch
	PerCTA                        // one value a CTA
	PerWarp                       // one value a warp, fixed by its place in the CTA
	PerLane                       // fixed by the thread's place in the CTA
	Changing                      // another value at every read: only Warp.Special reads it
)

// special is one line of the table. The name is the manual's; value gets the component and lane.
type special struct {
	name  string
	class SpecialClass
	value func(w *Warp, comp uint8, lane int) uint64
}

var specialTable = []special{
	{"%tid", PerLane, func(w *Warp, c uint8, i int) uint64 { return at(w.cta.grid.Thread(w.index, i), c) }},
	{"%ntid", PerLaunch, func(w *Warp, c uint8, _ int) uint64 { return at(w.cta.grid.Block, c) }},
	{"%laneid", PerLane, func(_ *Warp, _ uint8, i int) uint64 { return uint64(i) }},
	{"%warpid", PerWarp, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.index) }},
	{"%nwarpid", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.grid.Target.WarpsPerSM) }},
	{"%ctaid", PerCTA, func(w *Warp, c uint8, _ int) uint64 { return at(w.cta.id, c) }},
	{"%nctaid", PerLaunch, func(w *Warp, c uint8, _ int) uint64 { return at(w.cta.grid.Grid, c) }},
	{"%smid", PerCTA, func(w *Warp, _ uint8, _ int) uint64 { return w.cta.rank % uint64(w.cta.grid.Target.SMs) }},
	{"%nsmid", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.grid.Target.SMs) }},
	{"%gridid", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return w.cta.grid.number }},

	{"%is_explicit_cluster", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return boolBit(w.cta.grid.ExplicitCluster) }},
	{"%clusterid", PerCTA, func(w *Warp, c uint8, _ int) uint64 { return at(w.cta.id, c) / at(w.cta.grid.Cluster, c) }},
	{"%nclusterid", PerLaunch, func(w *Warp, c uint8, _ int) uint64 { return at(w.cta.grid.Grid, c) / at(w.cta.grid.Cluster, c) }},
	{"%cluster_ctaid", PerCTA, func(w *Warp, c uint8, _ int) uint64 { return at(w.cta.id, c) % at(w.cta.grid.Cluster, c) }},
	{"%cluster_nctaid", PerLaunch, func(w *Warp, c uint8, _ int) uint64 { return at(w.cta.grid.Cluster, c) }},
	{"%cluster_ctarank", PerCTA, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.crank) }},
	{"%cluster_nctarank", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return w.cta.grid.ClusterSize() }},

	{"%lanemask_eq", PerLane, func(_ *Warp, _ uint8, i int) uint64 { return 1 << i }},
	{"%lanemask_le", PerLane, func(_ *Warp, _ uint8, i int) uint64 { return 2<<i - 1 }},
	{"%lanemask_lt", PerLane, func(_ *Warp, _ uint8, i int) uint64 { return 1<<i - 1 }},
	{"%lanemask_ge", PerLane, func(_ *Warp, _ uint8, i int) uint64 { return uint64(^uint32(0) << i) }},
	{"%lanemask_gt", PerLane, func(_ *Warp, _ uint8, i int) uint64 { return uint64(^uint32(1) << i) }},

	{"%clock", Changing, func(w *Warp, _ uint8, _ int) uint64 { return uint64(uint32(w.clock())) }},
	{"%clock_hi", Changing, func(w *Warp, _ uint8, _ int) uint64 { return w.clock() >> 32 }},
	{"%clock64", Changing, func(w *Warp, _ uint8, _ int) uint64 { return w.clock() }},
	{"%globaltimer", Changing, func(w *Warp, _ uint8, _ int) uint64 { return w.timer() }},
	{"%globaltimer_lo", Changing, func(w *Warp, _ uint8, _ int) uint64 { return uint64(uint32(w.timer())) }},
	{"%globaltimer_hi", Changing, func(w *Warp, _ uint8, _ int) uint64 { return w.timer() >> 32 }},

	{"%reserved_smem_offset_begin", PerLaunch, func(*Warp, uint8, int) uint64 { return 0 }},
	{"%reserved_smem_offset_end", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.grid.Target.ReservedShared) }},
	{"%reserved_smem_offset_cap", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.grid.Target.ReservedShared) }},
	{"%total_smem_size", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.grid.unit(w.cta.grid.Shared)) }},
	{"%aggr_smem_size", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 {
		return uint64(w.cta.grid.unit(w.cta.grid.Shared + w.cta.grid.Target.ReservedShared))
	}},
	{"%dynamic_smem_size", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.grid.Dynamic) }},
	{"%envreg1", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return w.cta.grid.workspace >> 32 }},
	{"%envreg2", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return w.cta.grid.workspace & 0xffffffff }},
	{"%current_graph_exec", PerLaunch, func(*Warp, uint8, int) uint64 { return 0 }}, // 10.33: not launched by a graph
}

// zeroSections are those of numbered registers that no driver has filled (10.27) or whose
// behaviour the manual leaves undefined (10.25, 10.26): they read as zero.
var zeroSections = map[string]bool{"10.25": true, "10.26": true, "10.27": true}

func at(v [3]uint32, comp uint8) uint64 {
	if comp > 2 { // .w of a .v4 register reads as zero
		return 0
	}
	return uint64(v[comp])
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// bySpecial indexes the table by register.
var bySpecial = sync.OnceValue(func() []special {
	all := isa.Specials()
	table := make([]special, math.MaxUint8+1)
	table[SharedBase] = special{"shared base", PerCTA, func(w *Warp, _ uint8, _ int) uint64 { return uint64(w.cta.crank) << mem.RankShift }}
	table[KernelParams] = special{"kernel parameters", PerLaunch, func(w *Warp, _ uint8, _ int) uint64 { return w.Params() }}
	for _, s := range all {
		if zeroSections[s.Info().Section] {
			table[s] = special{s.String(), PerLaunch, func(*Warp, uint8, int) uint64 { return 0 }}
		}
	}
	for _, s := range specialTable {
		if id, ok := isa.LookupSpecial(s.name); ok {
			table[id] = s
		}
	}
	return table
})

// ClassOf says what a special register depends on.
func ClassOf(s isa.Special) SpecialClass { return bySpecial()[s].class }

// ctaParts are the registers that differ between the CTAs of a launch without clusters, with their
// first component's place in abi.Batch.Place.
var ctaParts = sync.OnceValue(func() map[isa.Special]uint8 {
	parts := map[isa.Special]uint8{}
	for name, part := range map[string]uint8{"%ctaid": 0, "%clusterid": 0, "%smid": 3} {
		if id, ok := isa.LookupSpecial(name); ok {
			parts[id] = part
		}
	}
	return parts
})

// CTAPart says where abi.Batch.Place has the value of a special register; false for those that
// are the same in all CTAs of a launch without clusters.
func (r *SpecialRef) CTAPart() (part uint8, ok bool) {
	if part, ok = ctaParts()[r.Reg]; r.Comp > 2 {
		return 0, false
	}
	return part + r.Comp, ok
}

// Special reads a special register for one lane at an instruction. The register must have a
// class.
func (w *Warp) Special(in *Inst, s isa.Special, comp uint8, lane int) uint64 {
	w.now = in
	if p := w.Proof(); p != nil {
		p.Break() // a clock, or what stands beside one
	}
	return bySpecial()[s].value(w, comp, lane)
}

// fillSpecials writes the constants' companions, the special registers, of a new frame.
func (w *Warp) fillSpecials(f *Frame) {
	for i := range f.code.Specials {
		f.fillSpecial(w, &f.code.Specials[i])
	}
}

// placeSpecials writes those that differ between CTAs.
func (w *Warp) placeSpecials(f *Frame) {
	for i := range f.code.Specials {
		if r := &f.code.Specials[i]; ClassOf(r.Reg) == PerCTA {
			f.fillSpecial(w, r)
		}
	}
}

// renewSpecials sees to it that a CTA has the special registers of its launch; filled tells that it has been in another.
func (c *CTA) renewSpecials(filled bool) {
	of := c.grid.of
	if filled && of != nil && c.of == of {
		return
	}
	like, own := c.grid.likeness(), c.warps[0].root.code.readsOwn()
	if filled && (c.like != like || own) {
		c.refillSpecials()
	}
	if c.of = of; own {
		c.of = nil
	}
	c.block, c.like = c.grid.Block, like
}

// readsOwn reports whether code reads what launches that are alike do not share: their number, and where their parameters are.
func (c *Code) readsOwn() bool {
	for i := range c.Specials {
		if reg := c.Specials[i].Reg; reg == gridID() || reg == KernelParams {
			return true
		}
	}
	return false
}

var gridID = sync.OnceValue(func() isa.Special {
	id, _ := isa.LookupSpecial("%gridid")
	return id
})

// refillSpecials writes those that may differ from the ones of another launch with the same code.
func (c *CTA) refillSpecials() {
	code, old, table := c.warps[0].root.code, c.block == c.grid.Block, bySpecial()
	for i := range code.Specials {
		r := &code.Specials[i]
		switch table[r.Reg].class {
		case PerLaunch:
			if c.warps[0].holds(r) { // as do the others
				continue
			}
		case PerLane, PerWarp:
			if old {
				continue
			}
		case PerCTA:
			if _, ok := r.CTAPart(); ok { // those who begin a warp write it
				continue
			}
		}
		for _, w := range c.warps {
			w.root.fillSpecial(w, r)
		}
	}
}

// holds reports whether the kernel's frame has the value of a special register that all lanes share.
func (w *Warp) holds(r *SpecialRef) bool {
	return w.root.regs.Holds(r.Off, r.Width, bySpecial()[r.Reg].value(w, r.Comp, 0)+r.Add)
}

func (f *Frame) fillSpecial(w *Warp, r *SpecialRef) {
	s := &bySpecial()[r.Reg]
	if s.class != PerLane {
		f.regs.Fill(r.Off, r.Width, s.value(w, r.Comp, 0)+r.Add)
		return
	}
	for i := range 32 {
		if !f.regs.Put(r.Off, r.Width, i, s.value(w, r.Comp, i)+r.Add) {
			return
		}
	}
}

// clock is what %clock64 shows (10.23), of one cycle a nanosecond: real time, or instructions that the CTA's warps have executed and
// time slept.
func (w *Warp) clock() uint64 {
	if real := w.cta.grid.Clock; real != nil {
		return real()
	}
	return w.cta.cycles + w.steps + w.slept + uint64(w.PC(w.now)-w.start)
}

// timer is the global timer in nanoseconds (10.28): of the real time of day, or of the launches before this one and the clock.
func (w *Warp) timer() uint64 {
	if w.cta.grid.Clock != nil {
		return w.cta.grid.ClockBegan + w.clock()
	}
	return w.cta.grid.epoch + w.clock()
}
