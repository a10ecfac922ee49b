package flow

// This file moves the shadows of registers.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// result is the shadow that a register gets when its instruction has run.
type result struct {
	dirty, tagged uint32
	poison        [32]uint64
	tags          [32]uint32
	from          *origin
}

// results are those of one instruction, in the order of Flow.Dst or of the elements of a load.
type results struct{ of []result }

// reset makes room for n results, all of them written and no pointers.
func (r *results) reset(n int) {
	for len(r.of) < n {
		r.of = append(r.of, result{})
	}
	for i := range n {
		r.of[i].dirty, r.of[i].tagged, r.of[i].from = 0, 0, nil
	}
}

// spoil notes the unwritten bits of a lane.
func (r *result) spoil(lane int, poison uint64, from *origin) {
	if poison == 0 {
		return
	}
	r.dirty |= 1 << lane
	r.poison[lane] = poison
	if r.from == nil {
		r.from = from
	}
}

// point notes what a lane points to.
func (r *result) point(lane int, tag uint32) {
	if tag != 0 {
		r.tagged |= 1 << lane
		r.tags[lane] = tag
	}
}

// put writes the poison of a register.
func (r *result) put(w *machine.Warp, d regs.Shadowed, lanes uint32, fr *frame) {
	words := w.P(d.Words)
	dirty := r.dirty & lanes
	if (*words|dirty)&lanes == 0 {
		return
	}
	*words = *words&^lanes | dirty
	if dirty == 0 {
		return
	}
	fr.begins(d, r.from)
	for m := dirty; m != 0; m &= m - 1 {
		switch i := bits.TrailingZeros32(m) & 31; d.Width {
		case regs.Row32:
			w.R32(d.Poison)[i] = uint32(r.poison[i])
		case regs.Row64:
			w.R64(d.Poison)[i] = r.poison[i]
		}
	}
}

// putTags writes the tags of a register.
func (r *result) putTags(w *machine.Warp, d regs.Shadowed, lanes uint32) {
	if d.Width == regs.Pred {
		return
	}
	words := w.P(d.Words + 4)
	tagged := r.tagged & lanes
	if (*words|tagged)&lanes == 0 {
		return
	}
	*words = *words&^lanes | tagged
	row := w.R32(d.Tags)
	for m := tagged; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		row[i] = r.tags[i]
	}
}

// destinations are the registers that get the results.
func destinations(f *dataflow.Flow) []regs.Shadowed {
	if f.Rule == dataflow.FlowLoad {
		return f.Mem.Regs
	}
	return f.Dst
}

// value reads a source.
func value(w *machine.Warp, a *dataflow.FlowArg, lane int) uint64 {
	switch {
	case a.Pred:
		v := uint64(*w.P(a.At) >> lane & 1)
		if a.Flip {
			v ^= 1
		}
		return v
	case a.Slot && a.Wide:
		return *w.S64(a.At)
	case a.Slot:
		return uint64(*w.S32(a.At))
	case a.Wide:
		return w.R64(a.At)[lane&31]
	}
	return uint64(w.R32(a.At)[lane&31])
}

// poisonOf reads the unwritten bits of a register.
func poisonOf(w *machine.Warp, r regs.Shadowed, lane int) uint64 {
	switch {
	case r.Words == 0 || *w.P(r.Words)>>lane&1 == 0:
		return 0
	case r.Width == regs.Pred:
		return 1
	case r.Width == regs.Row64:
		return w.R64(r.Poison)[lane&31]
	}
	return uint64(w.R32(r.Poison)[lane&31])
}

// tagOf reads the tag of a register.
func tagOf(w *machine.Warp, r regs.Shadowed, lane int) uint32 {
	if r.Words == 0 || r.Width == regs.Pred || *w.P(r.Words + 4)>>lane&1 == 0 {
		return 0
	}
	return w.R32(r.Tags)[lane&31]
}
