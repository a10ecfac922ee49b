package sem

// Read-modify-write of one element, by operation and type.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
)

// rmw computes the new value from the old one and the operand; one of f32 and f64 is set.
type rmw struct {
	f32   func(old, b uint32) uint32 // elements of up to 32 bits
	f64   func(old, b uint64) uint64
	exact func(old, b uint32) uint32 // on shared memory and with .noftz, if it differs
}

type rmwKey struct{ op, typ isa.Mod }

var rmws = map[rmwKey]rmw{
	{isa.M_and, isa.M_b32}:  {f32: num.And32},
	{isa.M_and, isa.M_b64}:  {f64: num.And64},
	{isa.M_or, isa.M_b32}:   {f32: num.Or32},
	{isa.M_or, isa.M_b64}:   {f64: num.Or64},
	{isa.M_xor, isa.M_b32}:  {f32: num.Xor32},
	{isa.M_xor, isa.M_b64}:  {f64: num.Xor64},
	{isa.M_exch, isa.M_b32}: {f32: num.AtomExch32},
	{isa.M_exch, isa.M_b64}: {f64: num.AtomExch64},

	{isa.M_exch, isa.M_b128}: {}, // exchange128

	{isa.M_add, isa.M_u32}: {f32: num.Add32},
	{isa.M_add, isa.M_s32}: {f32: num.Add32},
	{isa.M_add, isa.M_u64}: {f64: num.Add64},
	{isa.M_add, isa.M_s64}: {f64: num.Add64},
	{isa.M_add, isa.M_f32}: {f32: num.AtomAddGlobalF32, exact: num.AddF32},
	{isa.M_add, isa.M_f64}: {f64: num.AddF64},
	{isa.M_inc, isa.M_u32}: {f32: num.AtomIncU32},
	{isa.M_dec, isa.M_u32}: {f32: num.AtomDecU32},
	{isa.M_min, isa.M_u32}: {f32: num.MinU32},
	{isa.M_min, isa.M_s32}: {f32: num.MinS32},
	{isa.M_min, isa.M_u64}: {f64: num.MinU64},
	{isa.M_min, isa.M_s64}: {f64: num.MinS64},
	{isa.M_max, isa.M_u32}: {f32: num.MaxU32},
	{isa.M_max, isa.M_s32}: {f32: num.MaxS32},
	{isa.M_max, isa.M_u64}: {f64: num.MaxU64},
	{isa.M_max, isa.M_s64}: {f64: num.MaxS64},

	{isa.M_add, isa.M_f16}:    {f32: num.AddF16},
	{isa.M_min, isa.M_f16}:    {f32: num.MinF16},
	{isa.M_max, isa.M_f16}:    {f32: num.MaxF16},
	{isa.M_add, isa.M_bf16}:   {f32: num.AddBF16},
	{isa.M_min, isa.M_bf16}:   {f32: num.MinBF16},
	{isa.M_max, isa.M_bf16}:   {f32: num.MaxBF16},
	{isa.M_add, isa.M_f16x2}:  {f32: num.AddF16x2},
	{isa.M_min, isa.M_f16x2}:  {f32: num.MinF16x2},
	{isa.M_max, isa.M_f16x2}:  {f32: num.MaxF16x2},
	{isa.M_add, isa.M_bf16x2}: {f32: num.AddBF16x2},
	{isa.M_min, isa.M_bf16x2}: {f32: num.MinBF16x2},
	{isa.M_max, isa.M_bf16x2}: {f32: num.MaxBF16x2},
}

// apply updates one element and returns what was there.
func (r *rmw) apply(p pointer, size uint32, b uint64, shared bool) uint64 {
	f := r.f32
	if shared && r.exact != nil {
		f = r.exact
	}
	switch {
	case size == 8 && shared:
		at := (*uint64)(p)
		old := *at
		*at = r.f64(old, b)
		return old
	case size == 8:
		return r.swap64(p, b)
	case size == 4 && shared:
		at := (*uint32)(p)
		old := *at
		*at = f(old, uint32(b))
		return uint64(old)
	case size == 4:
		return uint64(swap32(p, uint32(b), f))
	}
	return uint64(swap16(p, uint32(b), f))
}

func (r *rmw) swap64(p pointer, b uint64) uint64 {
	old := mem.Load64(p)
	for {
		was := mem.CAS64(p, old, r.f64(old, b))
		if was == old {
			return old
		}
		old = was
	}
}

func swap32(p pointer, b uint32, f func(old, b uint32) uint32) uint32 {
	old := mem.Load32(p)
	for {
		was := mem.CAS32(p, old, f(old, b))
		if was == old {
			return old
		}
		old = was
	}
}

func swap16(p pointer, b uint32, f func(old, b uint32) uint32) uint32 {
	old := mem.Load16(p)
	for {
		was := mem.CAS16(p, old, uint16(f(uint32(old), b)))
		if was == old {
			return uint32(old)
		}
		old = was
	}
}

// applyRun combines a run of elements with another.
func (r *rmw) applyRun(to, with []byte, size uint32, shared bool) {
	for k := 0; k < len(with); k += int(size) {
		r.apply(unsafe.Pointer(&to[k]), size, plainLoad(unsafe.Pointer(&with[k]), size), shared)
	}
}
