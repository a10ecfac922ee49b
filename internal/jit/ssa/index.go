package ssa

// This file finds operations that have been made.

// index is a hash table of values with open addressing; what they are is in Func.Ops. Go's map hashes an operation field by field, which
// was a quarter of the time in which a kernel is built.
type index struct {
	slots []Value // a power of two, 0 where there is none
	n     int
}

// hash mixes what tells operations apart: how many operands there are follows from the code.
func (o *Op) hash() uint64 {
	h := o.Imm*0x9e3779b97f4a7c15 ^ (uint64(o.A)|uint64(o.B)<<32)*0xc2b2ae3d27d4eb4f
	h ^= (uint64(o.C) | uint64(o.Code)<<32 | uint64(o.Type)<<40 | uint64(o.Copy)<<48) * 0x165667b19e3779f9
	return (h ^ h>>29) * 0xbf58476d1ce4e5b9 >> 20
}

// find is the value of an operation among ops, 0 if it has none.
func (x *index) find(ops []Op, o *Op) Value {
	if len(x.slots) == 0 {
		return 0
	}
	for i := o.hash(); ; i++ {
		v := x.slots[i&uint64(len(x.slots)-1)]
		if v == 0 || ops[v] == *o {
			return v
		}
	}
}

// add adds a value whose operation is not there yet.
func (x *index) add(ops []Op, v Value) {
	if 2*x.n >= len(x.slots) {
		old := x.slots
		x.slots = make([]Value, max(256, 2*len(old)))
		for _, v := range old {
			if v != 0 {
				x.put(ops, v)
			}
		}
	}
	x.put(ops, v)
	x.n++
}

func (x *index) put(ops []Op, v Value) {
	i := ops[v].hash()
	for x.slots[i&uint64(len(x.slots)-1)] != 0 {
		i++
	}
	x.slots[i&uint64(len(x.slots)-1)] = v
}
