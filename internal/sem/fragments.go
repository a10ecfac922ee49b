package sem

// Products in the order in which registers have them: no element is moved.

import (
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// fragmentsOn are what multiplies fragments on an architecture, of which a device has one.
type fragmentsOn struct {
	arch int
	by   num.Multiplier
	num  *num.Fragments // nil: there is no code for them
}

// inRegisters multiplies where registers have the matrices; false: that cannot be, and nothing has changed.
func (o *productOp) inRegisters(w *machine.Warp, factors *scaleWords) bool {
	l := w.Launch()
	if l.Products == nil {
		return false
	}
	on := o.device.Load()
	if on == nil || on.arch != l.Target.Arch || on.by != l.Products {
		on = &fragmentsOn{arch: l.Target.Arch, by: l.Products}
		if !o.Wmma {
			on.num = o.fragmentsFor(on)
		}
		o.device.Store(on)
	}
	if on.num == nil {
		return false
	}
	var room *num.FragmentScales
	if factors != nil {
		room = fragmentScalesPool.Get().(*num.FragmentScales)
		defer fragmentScalesPool.Put(room)
		if !o.fragmentScales(room, factors, on.num.PerLine) {
			return false
		}
	}
	if !on.by.MultiplyFragments(on.num, w.R32(0), room) {
		return false
	}
	if o.fragments != nil { // others have been counted
		w.CountSums(o.M*o.N, 0)
	}
	return true
}

// fragmentScalesPool has room that is used again.
var fragmentScalesPool = sync.Pool{New: func() any { return new(num.FragmentScales) }}

// fragmentsFor has the code for the product.
func (o *productOp) fragmentsFor(on *fragmentsOn) *num.Fragments {
	f := num.Fragments{DenseShape: o.shapeOf(o.rule(on.arch)), Registers: slices.Concat(o.a, o.b, o.c, o.d)}
	if o.Sparse {
		f.Registers = append(f.Registers, o.meta)
		for r := range o.a {
			var list num.FragmentMeta
			for t := range 4 {
				for i, m := range o.denseMeta(o.A(t, r, 0)) {
					list[i].Lane[t], list[i].Bit[t] = uint32(m.lane&3), uint32(m.bit)
				}
			}
			f.Meta = append(f.Meta, list)
		}
	}
	return num.NewFragments(f, on.by)
}

// fragmentScales lays scale factors out, as many as a line of the product has; false if one is NaN.
func (o *productOp) fragmentScales(to *num.FragmentScales, from *scaleWords, perLine int) bool {
	fine := true
	for row := range o.M {
		fine = o.blocks.fragmentLine(&to.Rows[row>>3&1], row&7, from.ofRow(row), perLine) && fine
	}
	for column := range o.N {
		fine = o.blocks.fragmentLine(&to.Columns, column&7, from.ofColumn(column), perLine) && fine
	}
	return fine
}

// fragmentLine gives line g the factors in the bytes of a word.
func (s *blockScales) fragmentLine(lines *num.FragmentLines, g int, word uint32, perLine int) bool {
	fine := true
	for i := range perLine {
		f := &s.format[uint8(word>>(8*(i*s.perRow/perLine)))]
		lines.Set(g, i, f)
		fine = fine && !f.NaN
	}
	return fine
}
