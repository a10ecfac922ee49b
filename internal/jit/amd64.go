package jit

// The back end for amd64: vector programs on AVX-512 (32 registers of 16 lanes, masks in k
// registers) or AVX2 (16 registers of 8 lanes, masks as vectors). A program runs part by part:
// as many lanes at a time as a register holds of its widest elements.

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// Registers with a fixed use. RAX, RCX, RDX, R8 to R11 are free between instructions.
const (
	rCtx     = x86.RDI // abi.State
	rRegs    = x86.RSI // register block
	rMask    = x86.RBX // lanes that run, in masked code
	rFuel    = x86.R15
	rArena   = x86.R14 // what makes host addresses of global device addresses
	rSteps   = x86.R13 // steps of full warps, not counted yet
	rPending = x86.R12 // set of pending blocks
	rGuard   = x86.R9  // lanes that a guard leaves
)

// Mask registers: of the running lanes and of a guard, each also shifted to lane 16.
const (
	kMask  = x86.K1
	kGuard = x86.K3
	kShift = x86.K7 // a mask shifted to other lanes
)

// maskUse says which lanes an instruction writes.
type maskUse uint8

const (
	allLanes maskUse = iota
	runLanes
	guardLanes
)

// locKind says where a value is.
type locKind uint8

const (
	inVec   locKind = iota
	inMem           // a vector in memory
	inBcast         // one element in memory, for every lane
	inK
)

// loc is where a value of a part is.
type loc struct {
	kind  locKind
	v     x86.Vec
	k     x86.K
	m     x86.Mem
	owned bool // v or k is a temporary of the program
	elem  typ  // AVX2: what a mask has for each lane
}

// source is where a lane function finds an operand.
type source struct {
	typ   typ
	slot  bool   // one value for all lanes
	known bool   // value is known
	saved bool   // in place 0 of the state's rows
	off   uint32 // in the register block
	value uint64
	row   int // first register of a resident row, -1 if it is in memory
}

// size is the size of an element in a general register.
func (t typ) size() x86.Size {
	if t == tX {
		return x86.S64
	}
	return x86.S32
}

// shared tells whether a source is one number for all lanes.
func (s *source) shared() bool { return s.slot || s.known }

// emitter assembles one function.
type emitter struct {
	*x86.Asm
	evex    bool
	free    []x86.Vec
	freeK   []x86.K
	short   bool // temporaries have run out
	missing int  // vector registers, how many

	bcast residents                   // values of all lanes
	wmask x86.K                       // the next last instruction writes under it
	only  x86.K                       // lanes that the next instruction computes for, if it is one that rounds; 0: all
	aside func(body func()) x86.Label // assembles cold code; nil: there is no place for it
	part  int                         // being assembled
	lanes int                         // of a part
	wide  bool                        // the part has 64-bit elements
	alone bool                        // lane 0's elements are computed, of rows in registers

}

// bcastKey names a value that all lanes have: a constant, or a slot.
type bcastKey struct {
	typ   typ
	slot  bool
	value uint64 // or offset
}

// residents are values of all lanes that have a register, in the order in which they got it: code is the same
// each time it is made. There are few, so looking at each beats a map.
type residents []resident

type resident struct {
	key bcastKey
	v   x86.Vec
}

// of returns the register of a value.
func (r residents) of(k bcastKey) (x86.Vec, bool) {
	for i := range r {
		if r[i].key == k {
			return r[i].v, true
		}
	}
	return 0, false
}

// full is the widest register.
func (e *emitter) full() x86.Width {
	if e.evex {
		return x86.W512
	}
	return x86.W256
}

// width is the part's register width for elements of a type.
func (e *emitter) width(t typ) x86.Width {
	switch {
	case e.lanes == 1:
		return x86.W128
	case e.wide && t == tW:
		return e.full() - 1
	}
	return e.full()
}

func (e *emitter) regs(off uint32) x86.Mem { return x86.At(rRegs, int32(off)) }

func (e *emitter) alloc() x86.Vec {
	n := len(e.free)
	if n == 0 {
		e.short = true
		e.missing++ // it is among the free ones when it is given back
		return 0
	}
	v := e.free[n-1]
	e.free = e.free[:n-1]
	return v
}

func (e *emitter) allocK() x86.K {
	n := len(e.freeK)
	if n == 0 {
		e.short = true
		return x86.K6
	}
	k := e.freeK[n-1]
	e.freeK = e.freeK[:n-1]
	return k
}

// release gives back what a value holds.
func (e *emitter) release(l loc) {
	switch {
	case !l.owned:
	case l.kind == inK:
		e.freeK = append(e.freeK, l.k)
	default:
		e.free = append(e.free, l.v)
	}
}

func vecAt(v x86.Vec) loc { return loc{kind: inVec, v: v} }
func temp(v x86.Vec) loc  { return loc{kind: inVec, v: v, owned: true} }

// constant is an operand with a value in every lane.
func (e *emitter) constant(t typ, v uint64) loc {
	if r, ok := e.bcast.of(bcastKey{typ: t, value: v}); ok {
		return vecAt(r)
	}
	switch {
	case e.evex && t == tX:
		return loc{kind: inBcast, m: e.Const64(v)}
	case e.evex:
		return loc{kind: inBcast, m: e.Const32(uint32(v))}
	}
	return loc{kind: inMem, m: e.constRow(t, func(int) uint64 { return v })}
}

// constRow is a register full of constants in the pool.
func (e *emitter) constRow(t typ, value func(i int) uint64) x86.Mem {
	row := make([]byte, 0, 64)
	for i := 0; len(row) < e.full().Bytes(); i++ {
		if t == tX {
			row = binary.LittleEndian.AppendUint64(row, value(i))
		} else {
			row = binary.LittleEndian.AppendUint32(row, uint32(value(i)))
		}
	}
	return e.ConstRow(row, e.full().Bytes())
}

// load brings an operand into a register.
func (e *emitter) load(l loc, t typ) loc {
	switch l.kind {
	case inMem:
		v := e.alloc()
		e.move(e.width(t), v, l.m)
		return temp(v)
	case inBcast:
		v := e.alloc()
		e.broadcast(e.width(t), t, v, l.m)
		return temp(v)
	}
	return l
}

func (e *emitter) broadcast(w x86.Width, t typ, v x86.Vec, m x86.Mem) {
	if t == tX {
		e.VM(x86.VPBROADCASTQ, w, v, m)
	} else {
		e.VM(x86.VPBROADCASTD, w, v, m)
	}
}

// replicate fills a vector with a general register.
func (e *emitter) replicate(w x86.Width, t typ, v x86.Vec, r x86.Reg) {
	switch {
	case e.evex && t == tX:
		e.VR(x86.VPBROADCASTQ, w, v, r)
	case e.evex:
		e.VR(x86.VPBROADCASTD, w, v, r)
	case t == tX:
		e.VR(x86.VMOVQ, x86.W128, v, r)
		e.VV(x86.VPBROADCASTQ, w, v, v)
	default:
		e.VR(x86.VMOVD, x86.W128, v, r)
		e.VV(x86.VPBROADCASTD, w, v, v)
	}
}

// zero clears a whole register.
func (e *emitter) zero(v x86.Vec) { e.VVV(e.opFor(cXor, tW), e.full(), v, v, v) }

// move loads a vector; store writes one; copy copies a register.
func (e *emitter) move(w x86.Width, v x86.Vec, m x86.Mem)  { e.VM(x86.VMOVUPS, w, v, m) }
func (e *emitter) store(w x86.Width, m x86.Mem, v x86.Vec) { e.MV(x86.VMOVUPS, w, m, v) }
func (e *emitter) copy(w x86.Width, d, s x86.Vec) {
	if d != s {
		e.VV(x86.VMOVAPS, w, d, s)
	}
}

// operand is where a source is in the running part.
func (e *emitter) operand(s *source) loc {
	switch {
	case s.typ == tM:
		return e.predicate(s)
	case s.saved:
		return loc{kind: inMem, m: x86.At(rCtx, saveRow+int32(e.part*e.lanes*4))}
	case e.alone && e.lanes == 1 && s.row >= 0:
		return vecAt(x86.Vec(s.row))
	case e.lanes == 1:
		v := e.alloc()
		e.scalarLoad(s, v)
		return temp(v)
	case s.slot:
		if r, ok := e.bcast.of(bcastKey{s.typ, true, uint64(s.off)}); ok {
			return vecAt(r)
		}
		return e.slotOperand(s)
	case s.row < 0:
		return loc{kind: inMem, m: e.regs(s.off + uint32(e.part*e.lanes*s.typ.bits()/8))}
	case e.wide && s.typ == tW:
		return e.half(s.row)
	}
	return vecAt(x86.Vec(s.row + e.part))
}

func (e *emitter) slotOperand(s *source) loc {
	m := loc{kind: inBcast, m: e.regs(s.off)}
	if e.evex {
		return m
	}
	return e.load(m, s.typ)
}

func (e *emitter) scalarLoad(s *source, v x86.Vec) {
	if s.typ == tX {
		e.VM(x86.VMOVQ, x86.W128, v, e.regs(s.off))
	} else {
		e.VM(x86.VMOVD, x86.W128, v, e.regs(s.off))
	}
}

// half is the part's half of a register of a resident 32-bit row.
func (e *emitter) half(row int) loc {
	r := x86.Vec(row + e.part/2)
	if e.part%2 == 0 {
		return vecAt(r)
	}
	v := e.alloc()
	if e.evex {
		e.VVI(x86.VEXTRACTI64X4, x86.W512, v, r, 1)
	} else {
		e.VVI(x86.VEXTRACTI128, x86.W256, v, r, 1)
	}
	return temp(v)
}

// predicate brings the part's bits of a predicate into a mask.
func (e *emitter) predicate(s *source) loc {
	if e.evex {
		k := e.allocK()
		op := x86.KMOVB
		if e.lanes == 16 {
			op = x86.KMOVW
		}
		e.KM(op, k, e.regs(s.off+uint32(e.part*e.lanes/8)))
		return loc{kind: inK, k: k, owned: true}
	}
	t := tW
	if e.wide {
		t = tX
	}
	v := e.alloc()
	e.VM(x86.VPBROADCASTD, e.full(), v, e.regs(s.off))
	e.expand(v, v, t)
	return loc{kind: inVec, v: v, owned: true, elem: t}
}

// expand turns 32 mask bits, in every element of all, into a vector of truth values for the part.
func (e *emitter) expand(v, all x86.Vec, t typ) {
	first := e.part * e.lanes
	bits := e.constRow(t, func(i int) uint64 { return 1 << (first + i) })
	e.VVM(x86.VPAND, e.full(), v, all, bits)
	if t == tX {
		e.VVM(x86.VPCMPEQQ, e.full(), v, v, bits)
	} else {
		e.VVM(x86.VPCMPEQD, e.full(), v, v, bits)
	}
}

// laneMask is the mask register of the part's lanes.
func (e *emitter) laneMask(use maskUse) x86.K {
	k := kMask
	if use == guardLanes {
		k = kGuard
	}
	switch shift := e.part * e.lanes; shift {
	case 0:
		return k
	case 16:
		return k + 1
	default:
		e.KKI(x86.KSHIFTRD, kShift, k, uint8(shift))
		return kShift
	}
}

// laneVector is the same as a vector of truth values (AVX2): a temporary.
func (e *emitter) laneVector(use maskUse, t typ) loc {
	m, v := e.lanesAt(use), e.alloc()
	if t == tX {
		e.VM(x86.VPMOVSXDQ, e.full(), v, m)
	} else {
		e.move(e.width(t), v, m)
	}
	return loc{kind: inVec, v: v, owned: true, elem: t}
}

// lanesAt is where the truth values of the part's lanes are (AVX2).
func (e *emitter) lanesAt(use maskUse) x86.Mem {
	first := e.part * e.lanes
	if use != guardLanes {
		return x86.At(rCtx, saveRun+int32(4*first))
	}
	return x86.At(rCtx, saveGuard+int32(4*first))
}
