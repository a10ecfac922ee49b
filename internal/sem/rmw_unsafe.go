package sem

// Read-modify-write of one element, by operation and type.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// rmw is what an atomic operation computes from the old value and its operand.
type rmw struct {
	op    uop.Op // 0: exchange of 128 bits
	exact uop.Op // on shared memory and with .noftz, if it is another one
}

// as is the operation on shared memory, or on global memory.
func (r rmw) as(shared bool) uop.Op {
	if shared && r.exact != uop.None {
		return r.exact
	}
	return r.op
}

// updates are the functions of a rmw on global and on shared memory: for elements of 64 bits, or for others.
type updates struct {
	f64 func(old, b uint64) uint64
	f32 [2]func(old, b uint32) uint32
}

func (r rmw) updates() (u updates) {
	if r.op.Shape().Result == 64 {
		u.f64 = function[func(old, b uint64) uint64](r.op)
		return u
	}
	u.f32[0], u.f32[1] = function[func(old, b uint32) uint32](r.op), function[func(old, b uint32) uint32](r.as(true))
	return u
}

type rmwKey struct{ op, typ isa.Mod }

var rmws = map[rmwKey]rmw{
	{isa.M_and, isa.M_b32}:  {op: uop.And32},
	{isa.M_and, isa.M_b64}:  {op: uop.And64},
	{isa.M_or, isa.M_b32}:   {op: uop.Or32},
	{isa.M_or, isa.M_b64}:   {op: uop.Or64},
	{isa.M_xor, isa.M_b32}:  {op: uop.Xor32},
	{isa.M_xor, isa.M_b64}:  {op: uop.Xor64},
	{isa.M_exch, isa.M_b32}: {op: uop.AtomExch32},
	{isa.M_exch, isa.M_b64}: {op: uop.AtomExch64},

	{isa.M_exch, isa.M_b128}: {}, // exchange128

	{isa.M_add, isa.M_u32}: {op: uop.Add32},
	{isa.M_add, isa.M_s32}: {op: uop.Add32},
	{isa.M_add, isa.M_u64}: {op: uop.Add64},
	{isa.M_add, isa.M_s64}: {op: uop.Add64},
	{isa.M_add, isa.M_f32}: {uop.AtomAddGlobalF32, uop.AddF32},
	{isa.M_add, isa.M_f64}: {op: uop.AddF64},
	{isa.M_inc, isa.M_u32}: {op: uop.AtomIncU32},
	{isa.M_dec, isa.M_u32}: {op: uop.AtomDecU32},
	{isa.M_min, isa.M_u32}: {op: uop.MinU32},
	{isa.M_min, isa.M_s32}: {op: uop.MinS32},
	{isa.M_min, isa.M_u64}: {op: uop.MinU64},
	{isa.M_min, isa.M_s64}: {op: uop.MinS64},
	{isa.M_max, isa.M_u32}: {op: uop.MaxU32},
	{isa.M_max, isa.M_s32}: {op: uop.MaxS32},
	{isa.M_max, isa.M_u64}: {op: uop.MaxU64},
	{isa.M_max, isa.M_s64}: {op: uop.MaxS64},

	{isa.M_add, isa.M_f16}:    {op: uop.AddF16},
	{isa.M_min, isa.M_f16}:    {op: uop.MinF16},
	{isa.M_max, isa.M_f16}:    {op: uop.MaxF16},
	{isa.M_add, isa.M_bf16}:   {op: uop.AddBF16},
	{isa.M_min, isa.M_bf16}:   {op: uop.MinBF16},
	{isa.M_max, isa.M_bf16}:   {op: uop.MaxBF16},
	{isa.M_add, isa.M_f16x2}:  {op: uop.AddF16x2},
	{isa.M_min, isa.M_f16x2}:  {op: uop.MinF16x2},
	{isa.M_max, isa.M_f16x2}:  {op: uop.MaxF16x2},
	{isa.M_add, isa.M_bf16x2}: {op: uop.AddBF16x2},
	{isa.M_min, isa.M_bf16x2}: {op: uop.MinBF16x2},
	{isa.M_max, isa.M_bf16x2}: {op: uop.MaxBF16x2},
}

// apply updates one element and returns what was there.
func (u *updates) apply(p mem.Pointer, size uint32, b uint64, shared bool) uint64 {
	f := u.f32[bit(shared)]
	switch {
	case size == 8 && shared:
		at := (*uint64)(p)
		old := *at
		*at = u.f64(old, b)
		return old
	case size == 8:
		return u.swap64(p, b)
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

func (u *updates) swap64(p mem.Pointer, b uint64) uint64 {
	old := mem.Load64(p)
	for {
		was := mem.CAS64(p, old, u.f64(old, b))
		if was == old {
			return old
		}
		old = was
	}
}

func swap32(p mem.Pointer, b uint32, f func(old, b uint32) uint32) uint32 {
	old := mem.Load32(p)
	for {
		was := mem.CAS32(p, old, f(old, b))
		if was == old {
			return old
		}
		old = was
	}
}

func swap16(p mem.Pointer, b uint32, f func(old, b uint32) uint32) uint32 {
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
func (u *updates) applyRun(to, with []byte, size uint32, shared bool) {
	for k := 0; k < len(with); k += int(size) {
		u.apply(unsafe.Pointer(&to[k]), size, mem.LoadPlain(unsafe.Pointer(&with[k]), size), shared)
	}
}
