package async

// What a statement says in the place of fields of a tensor map (9.4: 9.7.10.28.5.2).

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// override has the rows of the new values.
type override struct {
	address     uint32
	dims, lower []uint32 // nil: only the address is replaced
	upper       uint32   // four bits of each stride, from bit 0 on, if lower is not nil
}

// newOverride finds the operands of .override::global_address and its like; nil if there are none.
func newOverride(b *sem.Build) *override {
	op := b.In.Op(isa.R_address)
	if op == nil {
		return nil
	}
	o := &override{address: b.Src(op, 64)}
	if sizes := b.In.Op(isa.R_sizes); sizes != nil {
		o.dims = b.Rows(sizes, b.Src, 32)
	}
	if lower := b.In.Op(isa.R_lower); lower != nil {
		o.lower, o.upper = b.Rows(lower, b.Src, 32), b.Src(b.In.Op(isa.R_upper), 32)
	}
	return o
}

// apply replaces fields of a map that has been read. Dimensions have eight bits; strides come in units of 16 bytes, with
// four bits above the 32 of the lower operand.
func (o *override) apply(w *machine.Warp, m *tensor.Map, lane int) {
	m.Address = w.R64(o.address)[lane]
	for i, row := range o.dims {
		m.Dims[i] = w.R32(row)[lane] & 0xff
	}
	for i, row := range o.lower {
		high := uint64(w.R32(o.upper)[lane]) >> (4 * i) & 15
		m.Strides[i] = (uint64(w.R32(row)[lane]) | high<<32) << 4
	}
}
