// Read-modify-write operators of atom and red (9.7.13.5, 9.7.13.6). Each takes
// the old value and the operand and returns the new one.
//
// The rest are the ordinary functions: Add32, And32, MinS32 and so on, and for
// floats AddF64, AddF16x2, AddBF16x2, MinF16x2 (all without flushing). f32 is
// AtomAddGlobalF32 or AddF32, by state space.

package num

// AtomIncU32 counts up and wraps to 0 beyond limit.
func AtomIncU32(old, limit uint32) uint32 {
	if old >= limit {
		return 0
	}
	return old + 1
}

// AtomDecU32 counts down; 0 and values beyond limit become limit.
func AtomDecU32(old, limit uint32) uint32 {
	if old == 0 || old > limit {
		return limit
	}
	return old - 1
}

// AtomExch32 and AtomExch64 store the operand.
func AtomExch32(_, b uint32) uint32 { return b }
func AtomExch64(_, b uint64) uint64 { return b }

// AtomCas16, AtomCas32 and AtomCas64 store b if the old value equals compare.
// Bits decide, for every type.
func AtomCas16(old, compare, b uint32) uint32 { return AtomCas32(old, compare, b) }
func AtomCas32(old, compare, b uint32) uint32 {
	if old == compare {
		return b
	}
	return old
}
func AtomCas64(old, compare, b uint64) uint64 {
	if old == compare {
		return b
	}
	return old
}

// AtomAddGlobalF32 is atom.add.f32 on global memory, which flushes subnormal
// operands and results; on shared memory the operator is AddF32.
func AtomAddGlobalF32(old, b uint32) uint32 { return AddFtzF32(old, b) }
