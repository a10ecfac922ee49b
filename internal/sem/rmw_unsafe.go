package sem

// Read-modify-write of one element, by operation and type.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Rmw is what an atomic operation computes from the old value and its operand.
type Rmw struct {
	op    uop.Op // 0: exchange of 128 bits
	exact uop.Op // on shared memory and with .noftz, if it is another one
}

// RmwOf is what a statement computes by its operation and type; forms that only add do not say so by a class.
func RmwOf(sel *isa.Sel) Rmw { return rmws[rmwOf(sel)] }

// HasRmw reports whether there is such an operation.
func HasRmw(sel *isa.Sel) bool {
	_, ok := rmws[rmwOf(sel)]
	return ok
}

// RmwBy is the operation of this name on this type; false if there is none.
func RmwBy(op, typ isa.Mod) (Rmw, bool) {
	r, ok := rmws[rmwKey{op, typ}]
	return r, ok
}

// rmwOf reads operation and type.
func rmwOf(sel *isa.Sel) rmwKey {
	k := rmwKey{sel.Get(isa.C_op), sel.Get(isa.C_type)}
	if k.op == 0 {
		k.op = isa.M_add
	}
	return k
}

// Exact is the operation that keeps subnormals on global memory, too.
func (r Rmw) Exact() Rmw {
	if r.exact != uop.None {
		r.op = r.exact
	}
	return r
}

// as is the operation on shared memory, or on global memory.
func (r Rmw) as(shared bool) uop.Op {
	if shared && r.exact != uop.None {
		return r.exact
	}
	return r.op
}

// Updates are the functions of a Rmw on global and on shared memory: for elements of 64 bits, or for others.
type Updates struct {
	f64 func(old, b uint64) uint64
	f32 [2]func(old, b uint32) uint32
}

// Updates looks the functions up.
func (r Rmw) Updates() (u Updates) {
	if r.op.Shape().Result == 64 {
		u.f64 = function[func(old, b uint64) uint64](r.op)
		return u
	}
	u.f32[0], u.f32[1] = function[func(old, b uint32) uint32](r.op), function[func(old, b uint32) uint32](r.as(true))
	return u
}

// Combine is what an element of size bytes of global memory would become.
func (u *Updates) Combine(old, b uint64, size uint32) uint64 {
	if size == 8 {
		return u.f64(old, b)
	}
	return uint64(u.f32[0](uint32(old), uint32(b)))
}

// made is what Apply leaves where it has met an old value.
func (u *Updates) made(old, b uint64, size uint32, shared bool) uint64 {
	if size == 8 {
		return u.f64(old, b)
	}
	return uint64(u.f32[Bit(shared)](uint32(old), uint32(b)))
}

type rmwKey struct{ op, typ isa.Mod }

var rmws = map[rmwKey]Rmw{
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

// Apply updates one element of size bytes and returns what was there.
func (u *Updates) Apply(p mem.Pointer, size uint32, b uint64, shared bool) uint64 {
	f := u.f32[Bit(shared)]
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

func (u *Updates) swap64(p mem.Pointer, b uint64) uint64 {
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

// ApplyRun combines a run of elements of size bytes with another.
func (u *Updates) ApplyRun(to, with []byte, size uint32, shared bool) {
	for k := 0; k < len(with); k += int(size) {
		u.Apply(unsafe.Pointer(&to[k]), size, mem.LoadPlain(unsafe.Pointer(&with[k]), size), shared)
	}
}
