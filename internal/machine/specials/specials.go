// Package specials says what each special register holds (chapter 10), where it may stand in a register block,
// and when it has to be written there anew.
package specials

import (
	"math"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Ref asks for a special register in a register block. Component 0 is x.
type Ref struct {
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

// Class says what a special register depends on.
type Class uint8

// The classes.
const (
	None      Class = iota // the machine does not have it
	PerLaunch              // one value a launch
	PerCTA                 // one value a CTA
	PerWarp                // one value a warp, fixed by its place in the CTA
	PerLane                // fixed by the thread's place in the CTA
	Changing               // another value at every read: only Read has it
)

// Reader is a warp whose lanes read special registers.
type Reader interface {
	Launch() *Launch
	CTA() CTA
	Warp() int32   // its index in the CTA
	Clock() uint64 // what %clock64 shows (10.23)
	Timer() uint64 // in nanoseconds (10.28)
}

// Launch is what the registers of a launch follow from.
type Launch struct {
	Facts
	Number uint64 // of the launch on its device
	Params uint64 // address of the parameter block
}

// Facts are what launches have in common that differ in nothing but Launch's own fields.
type Facts struct {
	shape.Shape
	Shared, Dynamic uint32 // bytes of shared memory of a CTA, of which so many are dynamic
	Explicit        bool   // the launch says how large clusters are
	Target          sizes.Target
	Workspace       uint64 // address of the grid workspace
}

// shared rounds the shared memory of a CTA, and some more, up as 10.30 says.
func (f *Facts) shared(more uint32) uint64 { return uint64(f.Target.Unit(f.Shared + more)) }

// CTA is where a CTA is.
type CTA struct {
	ID          [3]uint32
	Rank        uint64 // linear index in the grid
	ClusterRank uint32
}

// line is one line of the table. The name is the manual's; value gets the component and lane.
type line struct {
	name  string
	class Class
	value func(w Reader, comp uint8, lane int) uint64
}

var table = []line{
	{"%tid", PerLane, func(w Reader, c uint8, i int) uint64 { return at(w.Launch().Thread(w.Warp(), i), c) }},
	{"%ntid", PerLaunch, func(w Reader, c uint8, _ int) uint64 { return at(w.Launch().Block, c) }},
	{"%laneid", PerLane, func(_ Reader, _ uint8, i int) uint64 { return uint64(i) }},
	{"%warpid", PerWarp, func(w Reader, _ uint8, _ int) uint64 { return uint64(w.Warp()) }},
	{"%nwarpid", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return uint64(w.Launch().Target.WarpsPerSM) }},
	{"%ctaid", PerCTA, func(w Reader, c uint8, _ int) uint64 { return at(w.CTA().ID, c) }},
	{"%nctaid", PerLaunch, func(w Reader, c uint8, _ int) uint64 { return at(w.Launch().Grid, c) }},
	{"%smid", PerCTA, func(w Reader, _ uint8, _ int) uint64 { return w.CTA().Rank % uint64(w.Launch().Target.SMs) }},
	{"%nsmid", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return uint64(w.Launch().Target.SMs) }},
	{"%gridid", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return w.Launch().Number }},

	{"%is_explicit_cluster", PerLaunch, func(w Reader, _ uint8, _ int) uint64 {
		return boolBit(w.Launch().Explicit)
	}},
	{"%clusterid", PerCTA, func(w Reader, c uint8, _ int) uint64 {
		return at(w.CTA().ID, c) / at(w.Launch().Cluster, c)
	}},
	{"%nclusterid", PerLaunch, func(w Reader, c uint8, _ int) uint64 {
		return at(w.Launch().Grid, c) / at(w.Launch().Cluster, c)
	}},
	{"%cluster_ctaid", PerCTA, func(w Reader, c uint8, _ int) uint64 {
		return at(w.CTA().ID, c) % at(w.Launch().Cluster, c)
	}},
	{"%cluster_nctaid", PerLaunch, func(w Reader, c uint8, _ int) uint64 { return at(w.Launch().Cluster, c) }},
	{"%cluster_ctarank", PerCTA, func(w Reader, _ uint8, _ int) uint64 { return uint64(w.CTA().ClusterRank) }},
	{"%cluster_nctarank", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return w.Launch().ClusterSize() }},

	{"%lanemask_eq", PerLane, func(_ Reader, _ uint8, i int) uint64 { return 1 << i }},
	{"%lanemask_le", PerLane, func(_ Reader, _ uint8, i int) uint64 { return 2<<i - 1 }},
	{"%lanemask_lt", PerLane, func(_ Reader, _ uint8, i int) uint64 { return 1<<i - 1 }},
	{"%lanemask_ge", PerLane, func(_ Reader, _ uint8, i int) uint64 { return uint64(^uint32(0) << i) }},
	{"%lanemask_gt", PerLane, func(_ Reader, _ uint8, i int) uint64 { return uint64(^uint32(1) << i) }},

	{"%clock", Changing, func(w Reader, _ uint8, _ int) uint64 { return uint64(uint32(w.Clock())) }},
	{"%clock_hi", Changing, func(w Reader, _ uint8, _ int) uint64 { return w.Clock() >> 32 }},
	{"%clock64", Changing, func(w Reader, _ uint8, _ int) uint64 { return w.Clock() }},
	{"%globaltimer", Changing, func(w Reader, _ uint8, _ int) uint64 { return w.Timer() }},
	{"%globaltimer_lo", Changing, func(w Reader, _ uint8, _ int) uint64 { return uint64(uint32(w.Timer())) }},
	{"%globaltimer_hi", Changing, func(w Reader, _ uint8, _ int) uint64 { return w.Timer() >> 32 }},

	{"%reserved_smem_offset_begin", PerLaunch, func(Reader, uint8, int) uint64 { return 0 }},
	{"%reserved_smem_offset_end", PerLaunch, func(w Reader, _ uint8, _ int) uint64 {
		return uint64(w.Launch().Target.ReservedShared)
	}},
	{"%reserved_smem_offset_cap", PerLaunch, func(w Reader, _ uint8, _ int) uint64 {
		return uint64(w.Launch().Target.ReservedShared)
	}},
	{"%total_smem_size", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return uint64(w.Launch().shared(0)) }},
	{"%aggr_smem_size", PerLaunch, func(w Reader, _ uint8, _ int) uint64 {
		return uint64(w.Launch().shared(w.Launch().Target.ReservedShared))
	}},
	{"%dynamic_smem_size", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return uint64(w.Launch().Dynamic) }},
	{"%envreg1", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return w.Launch().Workspace >> 32 }},
	{"%envreg2", PerLaunch, func(w Reader, _ uint8, _ int) uint64 { return w.Launch().Workspace & 0xffffffff }},
	{"%current_graph_exec", PerLaunch, func(Reader, uint8, int) uint64 {
		return 0
	}}, // 10.33: not launched by a graph
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

// byRegister indexes the table.
var byRegister = sync.OnceValue(func() *[math.MaxUint8 + 1]line {
	all := new([math.MaxUint8 + 1]line)
	all[SharedBase] = line{"shared base", PerCTA, func(w Reader, _ uint8, _ int) uint64 {
		return uint64(w.CTA().ClusterRank) << mem.RankShift
	}}
	all[KernelParams] = line{"kernel parameters", PerLaunch, func(w Reader, _ uint8, _ int) uint64 {
		return w.Launch().Params
	}}
	for _, s := range isa.Specials() {
		if zeroSections[s.Info().Section] {
			all[s] = line{s.String(), PerLaunch, func(Reader, uint8, int) uint64 { return 0 }}
		}
	}
	for _, l := range table {
		if id, ok := isa.LookupSpecial(l.name); ok {
			all[id] = l
		}
	}
	return all
})

// ClassOf says what a special register depends on.
func ClassOf(s isa.Special) Class { return byRegister()[s].class }

// Read reads a special register, which must have a class, for one lane.
func Read(w Reader, s isa.Special, comp uint8, lane int) uint64 {
	return byRegister()[s].value(w, comp, lane)
}

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
func (r *Ref) CTAPart() (part uint8, ok bool) {
	if part, ok = ctaParts()[r.Reg]; r.Comp > 2 {
		return 0, false
	}
	return part + r.Comp, ok
}

// Class says what the register depends on.
func (r *Ref) Class() Class { return ClassOf(r.Reg) }

// Value is what is asked for, for one lane.
func (r *Ref) Value(w Reader, lane int) uint64 { return Read(w, r.Reg, r.Comp, lane) + r.Add }

// Fill writes it into a register block of the warp.
func (r *Ref) Fill(b regs.Block, w Reader) {
	if r.Class() != PerLane {
		b.Fill(r.Off, r.Width, r.Value(w, 0))
		return
	}
	for i := range 32 {
		if !b.Put(r.Off, r.Width, i, r.Value(w, i)) {
			return
		}
	}
}

// HeldBy reports whether a register block has it, of one that all lanes share.
func (r *Ref) HeldBy(b regs.Block, w Reader) bool { return b.Holds(r.Off, r.Width, r.Value(w, 0)) }

// ReadOwn reports whether some read what launches with the same Facts do not share.
func ReadOwn(refs []Ref) bool {
	for i := range refs {
		if reg := refs[i].Reg; reg == gridID() || reg == KernelParams {
			return true
		}
	}
	return false
}

var gridID = sync.OnceValue(func() isa.Special {
	id, _ := isa.LookupSpecial("%gridid")
	return id
})
