package matrix

// Where the matrices of wgmma are in shared memory.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// unitsKey is what the units of a matrix depend on.
type unitsKey struct {
	descriptor      uint64
	first, lines, k int  // of the lines, and the elements that each has
	bits            int  // of an element
	columns         bool // they lie along M and N
	start, end      uint32
}

// placedUnits are the lists of units that a record has made last, of A or of B. The four warps of a group have one B, and A's rows side by side.
type placedUnits struct {
	keys  [4]unitsKey
	lists [4][]uint32
	next  int
}

// place finds the units of the matrices in shared memory.
func (r *wgmmaRecord) place(w *machine.Warp) (err error) {
	if r.placed == nil {
		r.placed = new([2]placedUnits)
	}
	shared, start := w.SharedMemory(uint32(r.rank >> mem.RankShift))
	key := unitsKey{k: r.Stored(), lines: 64, bits: r.Bits, columns: r.columns[0], start: start, end: start + uint32(len(shared))}
	if r.productOp.a == nil {
		if key.columns {
			key.first, key.lines = 16*r.warp, 16
		}
		if r.a, err = r.placed[0].units(&key, w.R64(r.aDesc)); err != nil {
			return fmt.Errorf("A: %w", err)
		}
		if n := len(r.a) / 4; !key.columns {
			r.a = r.a[n*r.warp:][:n]
		}
	}
	key.first, key.lines, key.k, key.columns = 0, r.N, r.K, r.columns[1]
	if r.b, err = r.placed[1].units(&key, w.R64(r.bDesc)); err != nil {
		return fmt.Errorf("B: %w", err)
	}
	return nil
}

// units are those of each line, or by columns of each element of K, by the descriptor that all lanes have.
func (p *placedUnits) units(key *unitsKey, descriptors *[32]uint64) ([]uint32, error) {
	key.descriptor = descriptors[0]
	for _, v := range descriptors {
		if v != key.descriptor {
			return nil, fmt.Errorf("the lanes give different descriptors, %#016x and %#016x", key.descriptor, v)
		}
	}
	for i := range p.keys {
		if p.keys[i] == *key {
			return p.lists[i], nil
		}
	}
	d, err := tensor.DecodeWgmma(key.descriptor)
	if err != nil {
		return nil, err
	}
	i := p.next % len(p.keys)
	p.next++
	p.keys[i], p.lists[i] = unitsKey{}, key.list(p.lists[i][:0], &d)
	if bad, out := outside(p.lists[i], key.start, key.end-key.start); out {
		return nil, fmt.Errorf("matrix descriptor %#016x (%v): 16 bytes lie at offset %#x; the CTA's shared memory is %#x to %#x", key.descriptor, d, p.lists[i][bad], key.start, key.end)
	}
	p.keys[i] = *key
	return p.lists[i], nil
}

// list appends the units.
func (key *unitsKey) list(to []uint32, d *tensor.Descriptor) []uint32 {
	if key.columns {
		return matrixUnits(to, d, key.first*key.bits/8, key.k, key.lines*key.bits/8, true)
	}
	return matrixUnits(to, d, key.first, key.lines, key.k*key.bits/8, false)
}
