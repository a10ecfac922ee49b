package matrix

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
	at := fragmentsPool.Get().(*fragmentsRoom)
	done := o.multiplyIn(at, w, on, factors)
	fragmentsPool.Put(at)
	return done
}

// multiplyIn does it where there is code.
func (o *productOp) multiplyIn(at *fragmentsRoom, w *machine.Warp, on *fragmentsOn, factors *scaleWords) bool {
	if at.Scales = nil; factors != nil {
		if at.Scales = &at.scales; !o.fragmentScales(at.Scales, factors, on.num.PerLine) {
			return false
		}
	}
	first := w.R32(0)
	at.Registers = [5]*[32]uint32{first, first, first, first, first}
	if !on.by.MultiplyFragments(on.num, &at.FragmentsAt) {
		return false
	}
	if o.fragments != nil { // others have been counted
		w.CountSums(o.M*o.N, 0)
	}
	return true
}

// fragmentsPool has room that is used again.
var fragmentsPool = sync.Pool{New: func() any { return new(fragmentsRoom) }}

// fragmentsRoom is room for what a multiplication wants.
type fragmentsRoom struct {
	num.FragmentsAt
	scales num.FragmentScales
}

// fragmentsFor has the code for the product.
func (o *productOp) fragmentsFor(on *fragmentsOn) *num.Fragments {
	f := num.Fragments{DenseShape: o.shapeOf(o.rule(on.arch)), Tiles: 1, Offsets: slices.Clone(o.a)}
	if o.Sparse {
		f.Offsets, f.Meta = append(f.Offsets, o.meta), o.fragmentMeta(len(o.a))
	}
	f.Offsets = slices.Concat(f.Offsets, o.b, o.c, o.d)
	return num.NewFragments(f, on.by)
}

// fragmentMeta says where the metadata of A's registers are.
func (o *productOp) fragmentMeta(registers int) (meta []num.FragmentMeta) {
	for r := range registers {
		var list num.FragmentMeta
		for t := range 4 {
			for i, m := range o.denseMeta(o.A(t, r, 0)) {
				list[i].Lane[t], list[i].Bit[t] = uint32(m.lane&3), uint32(m.bit)
			}
		}
		meta = append(meta, list)
	}
	return meta
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
