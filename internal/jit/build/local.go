package build

import (
	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has local memory. That of a warp lies behind its register block, words interleaved by lane: word n of a lane is at 128·n + 4·lane.
// So an offset that all lanes have is a vector of words, and others are an index:
//
//	ld.local.u32 r, [8]            load elem 4 base rows step 4 disp 256
//	ld.local.u32 r, [4·i]          load elem 4 base rows index 4·(32·min(i, last) + lane)
//
// The code leaves in front of an access by a lane that is outside or misaligned; words of other lanes are bounded, so that no test is needed
// for what memory is touched, and loads are made for all lanes.

// localEnd is the end of what variables have of local memory.
func (b *builder) localEnd() int64 { return int64(b.code.ParamBytes + b.code.LocalBytes) }

// useLocal makes the check of local memory, if instructions name that.
func (b *builder) useLocal() {
	if b.namesRoom() {
		b.Checks = append(b.Checks, ssa.Check{Bounds: ssa.LocalBounds, Hi: 32 * int64(b.code.RoomUsed), Align: 128, Store: true})
		b.local = ssa.CheckID(len(b.Checks) - 1)
	}
}

// offset is where in local memory lanes access it: a constant, or a value plus a constant.
type offset struct {
	value ssa.Value // 0: none
	plus  int64
}

// localAccess builds a load or store.
func (p *path) localAccess(pc int32, op *sem.Operation, guard ssa.Value) {
	m := &op.Memory
	const far = 1 << 24
	off := p.localOffset(pc, m)
	if p.local == 0 || op.Scalar || len(m.At) > 4 || int64(m.Size) > p.localEnd() || off.plus <= -far || off.plus >= far {
		refuse("local memory of another kind")
	}
	for k, bits := range m.Bits {
		if bits > 64 || int(m.Elem)*8 > max(bits, 32) && bits != 0 || p.wide[m.At[k]] {
			refuse("local memory of another kind")
		}
	}
	if off.value == 0 && (off.plus < 0 || off.plus+int64(m.Size) > p.localEnd() || off.plus%int64(max(m.Align, 1)) != 0) {
		refuse("an access to local memory that faults")
	}
	l := &localAccess{path: p, pc: pc, m: m, mask: p.And(p.mask, guard), off: off}
	if off.value != 0 {
		l.test()
	}
	for k := range m.At {
		if op.Kind == sem.OpStoreLocal {
			l.store(k, p.read(pc, m.At[k], lane.TypeOf(m.Bits[k]), op.Scalar))
		} else if m.Bits[k] != 0 {
			p.put(m.At[k], l.load(k), guard)
		}
	}
}

// localOffset is the address of an access.
func (p *path) localOffset(pc int32, m *sem.MemoryUse) offset {
	in := &p.code.Insts[pc]
	o := offset{plus: int64(in.Imm)}
	switch m.By {
	case sem.ByConst, sem.ByParam:
		return o
	case sem.ByFrame:
		o.plus += int64(p.code.ParamBytes)
		return o
	case sem.ByRow64, sem.BySlot64:
		o.value = p.read(pc, in.A, ssa.X, m.By == sem.BySlot64)
	default:
		o.value = p.read(pc, in.A, ssa.W, m.By == sem.BySlot32)
	}
	if k, known := p.Known(o.value); known {
		return offset{plus: o.plus + int64(k)}
	}
	return o
}

// localAccess is one that is built.
type localAccess struct {
	*path
	pc   int32
	m    *sem.MemoryUse
	mask ssa.Value // lanes that execute it
	off  offset
	word ssa.Value // of the first word: its number, bounded; 0: it is known
	low  ssa.Value // the bits of the offset below that, where elements are narrow
}

// words are how many words an access has, at least one.
func (l *localAccess) words() int64 { return (int64(l.m.Size) + 3) / 4 }

// test leaves where a lane that runs is outside or misaligned, and makes the number of its first word.
func (l *localAccess) test() {
	last := l.localEnd() - int64(l.m.Size)
	at := l.off.value
	if l.TypeOf(at) == ssa.W {
		at = l.Make(ssa.Zext, ssa.X, 0, at)
	}
	at = l.Bin(ssa.Add, at, l.Wide(uint64(l.off.plus)))
	low := l.narrowed(at)
	wrong := l.outside(at, last)
	if align := uint32(l.m.Align); align > 1 && 1<<l.Trailing(at) < uint64(align) {
		wrong = l.Or(wrong, l.Cmp(ssa.Ne, l.Bin(ssa.And, low, l.Word(align-1)), l.Word(0)))
	}
	if fails := l.Any(l.And(l.mask, wrong)); !l.isNone(fails) {
		l.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: fails, State: l.state(l.pc), PC: l.pc})
	}
	most := l.Word(uint32(int64(l.code.RoomUsed)/4 - l.words()))
	l.word = l.Bin(ssa.MinU, l.Bin(ssa.Shr, low, l.Word(2)), most)
	if l.m.Size < 4 {
		l.low = l.Bin(ssa.And, low, l.Word(4-l.m.Size))
	}
}

// outside is where an offset is not from 0 to last: of a word that is extended, scaled and added to, by the word.
func (l *localAccess) outside(at ssa.Value, last int64) ssa.Value {
	x, plus := at, int64(0)
	if o := l.Ops[x]; o.Code == ssa.Add {
		if k, known := l.Known(o.B); known {
			x, plus = o.A, int64(k)
		}
	}
	word, shift, signed := l.Extended(x)
	const far = 1 << 26
	if word == 0 || !signed || plus <= -far || plus >= far {
		return l.Cmp(ssa.LtU, l.Wide(uint64(last)), at)
	}
	first := (-plus + 1<<shift - 1) >> shift
	count := (last-plus)>>shift - first // of words less one
	if count < 0 {
		return l.Truth(true)
	}
	return l.Cmp(ssa.LtU, l.Word(uint32(count)), l.Bin(ssa.Sub, word, l.Word(uint32(first))))
}

// narrowed is the low half of what is computed in 64 bits, computed in 32 bits as far as it can be.
func (l *localAccess) narrowed(v ssa.Value) ssa.Value {
	o := l.Ops[v]
	switch o.Code {
	case ssa.Add, ssa.Sub:
		return l.Bin(o.Code, l.narrowed(o.A), l.narrowed(o.B))
	case ssa.Shl:
		if k, known := l.Known(o.B); known {
			return l.Bin(ssa.Shl, l.narrowed(o.A), l.Word(uint32(k)))
		}
	case ssa.Const:
		return l.Word(uint32(o.Imm))
	}
	return l.Make(ssa.Trunc, ssa.W, 0, v)
}

// access is that of n bytes of all lanes, byte by behind word j, and as much farther as the low bits of offsets say if they are asked for.
func (l *localAccess) access(n uint8, j, by int64, low ssa.Value) *ssa.Access {
	a := &ssa.Access{Elem: n, Count: 1, Align: n, Bits: []uint8{32}, Bounds: ssa.LocalBounds, Check: l.local, Disp: 128*j + by}
	a.Base = l.Make(ssa.Rows, ssa.X, uint64(l.code.FrameBytes), l.warp)
	if l.word == 0 {
		a.Disp += 128 * (l.off.plus >> 2)
		a.Step = 4
		return a
	}
	at := l.Bin(ssa.Shl, l.word, l.Word(7))
	if low != 0 {
		at, a.Align = l.Bin(ssa.Add, at, low), 1
	}
	switch {
	case l.IsNum(at):
		a.Base, a.Step = l.Bin(ssa.Add, a.Base, l.Make(ssa.Zext, ssa.X, 0, at)), 4
	case low != 0:
		a.Index = l.Make(ssa.Sext, ssa.X, 0, l.Bin(ssa.Add, at, l.Strided(l.Word(0), 4)))
	default:
		words := l.Bin(ssa.Add, l.Bin(ssa.Shl, l.word, l.Word(5)), l.Strided(l.Word(0), 1))
		a.Index = l.Bin(ssa.Shl, l.Make(ssa.Sext, ssa.X, 0, words), l.Wide(2))
	}
	l.constantOut(a)
	l.known(a)
	return a
}

// known takes numbers out of the index, and the index away where lanes are as far apart, of a place that is known but for them.
func (l *localAccess) known(a *ssa.Access) {
	if a.Index == 0 {
		return
	}
	if word, _, _ := l.Extended(a.Index); word != 0 {
		return
	}
	if base, step, even := l.AsStrided(a.Index); even {
		a.Index, a.Step = 0, step
		a.Base = l.Bin(ssa.Add, a.Base, base)
	} else {
		base, index := l.parted(a, a.Index)
		a.Base, a.Index = l.Bin(ssa.Add, a.Base, base), index
	}
	l.constantOut(a)
}

// place is the word that has element k, and where in that it lies in front of low.
func (l *localAccess) place(k int) (j, by int64) {
	at := int64(k) * int64(l.m.Elem)
	if l.word == 0 {
		at += l.off.plus & 3
	}
	return at >> 2, at & 3
}

// load loads element k.
func (l *localAccess) load(k int) ssa.Value {
	bits := l.m.Bits[k]
	j, by := l.place(k)
	v := l.loadWord(j)
	if l.m.Elem < 4 {
		v = l.extracted(v, by, bits)
	}
	if bits <= 32 {
		return v
	}
	if l.m.Elem == 8 {
		high := l.Make(ssa.Zext, ssa.X, 0, l.loadWord(j+1))
		return l.Bin(ssa.Or, l.Make(ssa.Zext, ssa.X, 0, v), l.Bin(ssa.Shl, high, l.Wide(32)))
	}
	if l.m.Signed {
		return l.Make(ssa.Sext, ssa.X, 0, v)
	}
	return l.Make(ssa.Zext, ssa.X, 0, v)
}

// extracted is a narrow element of a word, for a register of so many bits.
func (l *localAccess) extracted(v ssa.Value, by int64, bits int) ssa.Value {
	elem := 8 * l.m.Elem
	count := l.Word(uint32(8 * by))
	if l.low != 0 {
		count = l.Bin(ssa.Add, l.Bin(ssa.Shl, l.low, l.Word(3)), count)
	}
	v = l.Bin(ssa.Shr, v, count)
	if !l.m.Signed {
		return l.Bin(ssa.And, v, l.Word(1<<elem-1))
	}
	v = l.Bin(ssa.Sar, l.Bin(ssa.Shl, v, l.Word(32-elem)), l.Word(32-elem))
	if bits < 32 {
		v = l.Bin(ssa.And, v, l.Word(1<<bits-1))
	}
	return v
}

func (l *localAccess) loadWord(j int64) ssa.Value {
	e := l.block.Add(&ssa.Effect{Kind: ssa.Load, Access: l.access(4, j, 0, 0), PC: l.pc, Mask: l.mask})
	return l.NewResult(l.block, e, ssa.W, false)
}

// store stores element k.
func (l *localAccess) store(k int, v ssa.Value) {
	j, by := l.place(k)
	if l.m.Elem == 8 {
		high := l.Make(ssa.Trunc, ssa.W, 0, l.Bin(ssa.Shr, v, l.Wide(32)))
		v = l.Make(ssa.Trunc, ssa.W, 0, v)
		l.storeTo(l.access(4, j, 0, 0), v)
		l.storeTo(l.access(4, j+1, 0, 0), high)
		return
	}
	if l.TypeOf(v) == ssa.X {
		v = l.Make(ssa.Trunc, ssa.W, 0, v)
	}
	l.storeTo(l.access(uint8(l.m.Elem), j, by, l.low), v)
}

func (l *localAccess) storeTo(a *ssa.Access, v ssa.Value) {
	l.block.Add(&ssa.Effect{Kind: ssa.Store, Access: a, PC: l.pc, Mask: l.mask, Args: []ssa.Value{v}})
}
