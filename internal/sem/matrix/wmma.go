package matrix

// Fragments of wmma, 9.7.14.4: loads and stores of matrices whose rows or columns lie a stride
// apart. Which lane holds what stands in tensor.Wmma; mma.go multiplies.

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/uop"
)

func wmmaLines() []sem.Line {
	return []sem.Line{
		{ID: isa.WmmaLoadA, Do: sem.Plan(planWmmaLoad(matrixA), isa.C_alayout, isa.C_shape, isa.C_ss, isa.C_atype).Sees(isa.M_aligned)},
		{ID: isa.WmmaLoadB, Do: sem.Plan(planWmmaLoad(matrixB), isa.C_blayout, isa.C_shape, isa.C_ss, isa.C_btype).Sees(isa.M_aligned)},
		{ID: isa.WmmaLoadC, Do: sem.Plan(planWmmaLoad(matrixC), isa.C_layout, isa.C_shape, isa.C_ss, isa.C_ctype).Sees(isa.M_aligned)},
		{ID: isa.WmmaStoreD, Do: sem.Plan(planWmmaStore, isa.C_layout, isa.C_shape, isa.C_ss, isa.C_dtype).Sees(isa.M_aligned)},
	}
}

// wmmaShapes are M, N and K by shape.
var wmmaShapes = map[isa.Mod][3]int{
	isa.M_m16n16k16: {16, 16, 16}, isa.M_m8n32k16: {8, 32, 16}, isa.M_m32n8k16: {32, 8, 16}, isa.M_m16n16k8: {16, 16, 8},
	isa.M_m8n8k4: {8, 8, 4}, isa.M_m8n8k32: {8, 8, 32}, isa.M_m8n8k128: {8, 8, 128},
}

// wmmaMatrix is one of the operands of a product: its type and layout, its place among the
// dimensions, and where its elements are.
type wmmaMatrix struct {
	typ, layout   isa.Class
	rows, columns int // index of the dimension: M, N, K
	at            func(f tensor.Wmma, lane, r, j, per int) (row, column int)
}

var (
	matrixA = &wmmaMatrix{isa.C_atype, isa.C_alayout, 0, 2, func(f tensor.Wmma, lane, r, j, _ int) (int, int) { return f.A(lane, r, j) }}
	matrixB = &wmmaMatrix{isa.C_btype, isa.C_blayout, 2, 1, func(f tensor.Wmma, lane, r, j, _ int) (int, int) { return f.B(lane, r, j) }}
	matrixC = &wmmaMatrix{isa.C_ctype, isa.C_layout, 0, 1, func(f tensor.Wmma, lane, r, j, per int) (int, int) { return f.C(lane, per*r+j) }}
	matrixD = &wmmaMatrix{isa.C_dtype, isa.C_layout, 0, 1, matrixC.at}
)

// wmmaOp is the decode-time constant of wmma.load and wmma.store.
type wmmaOp struct {
	uop.Private
	lines
	at     sem.Address
	count  int // lines
	stride uint32
	bits   int // of an element
	elem   int // bytes of what moves as a whole: an element, or a word of several small ones
	wide   bool
	regs   []uint32
	places []uint16 // of the elements of each register and lane in the lines, one behind the other
}

// wmmaBytes is the size of the largest matrix.
const wmmaBytes = 1024

// newWmmaOp reads what a statement moves.
func newWmmaOp(b *sem.Build, m *wmmaMatrix, kind machine.AccessKind, place func(*wmmaOp) []uint32) *wmmaOp {
	typ := matrixElements[b.Sel.Get(m.typ)]
	size := wmmaShapes[b.Sel.Get(isa.C_shape)]
	o := &wmmaOp{bits: typ.bits, elem: max(8, typ.bits) / 8, wide: typ.bits == 64}
	f := tensor.Wmma{M: size[0], N: size[1], K: size[2], Bits: typ.bits}
	if typ.bits < 8 { // only along K: words
		f.K, f.Bits, o.elem = f.K*typ.bits/32, 32, 4
		size[2] = f.K
	}
	rows, columns := size[m.rows], size[m.columns]
	across := b.Sel.Get(m.layout) == isa.M_col
	if o.count = rows; across {
		o.count = columns
	}
	o.regs = place(o)
	o.lanes = uint32(1<<o.count - 1)
	lead := rows * columns / o.count
	o.Request = machine.Request{Space: sem.SpaceOf(b.Sel.Get(isa.C_ss)), Kind: kind, Size: uint32(lead * o.elem), OwnCTA: b.Sel.Get(isa.C_ss) != 0}
	o.Align = min(16, uint32(max(4, o.elem)*len(o.regs))) // the fragment's size; 16 suffices, says the guide of CUDA C++
	o.at = b.AddressAt(b.In.Op(isa.R_p))
	o.stride = b.Constant(uint64(lead*max(8*o.elem, o.bits)/o.bits), 32)
	if s := b.Optional(isa.R_stride); s != nil {
		o.stride = *s
	}
	o.place(f, m, lead, across)
	b.Ext().Data = o
	return o
}

// place finds the elements.
func (o *wmmaOp) place(f tensor.Wmma, m *wmmaMatrix, lead int, across bool) {
	per := max(1, 4/o.elem)
	for r := range o.regs {
		for lane := range 32 {
			for j := range per {
				line, at := m.at(f, lane, r, j, per)
				if across {
					line, at = at, line
				}
				o.places = append(o.places, uint16((line*lead+at)*o.elem))
			}
		}
	}
}

// open finds the lines: all lanes must name one matrix.
func (o *wmmaOp) open(w *machine.Warp, in *machine.Inst, addr *[32]uint64) (*machine.Access, machine.State) {
	if st := w.Collective(in); st != machine.Next {
		return nil, st
	}
	o.at.Lanes(w, addr, 0)
	stride, same := uniform(w, o.stride)
	for _, x := range addr {
		same = same && x == addr[0]
	}
	if !same {
		return nil, w.Fault(in, &machine.Fault{Kind: faults.PartialWarp, Lanes: w.Mask, Text: "the lanes give different addresses or strides"})
	}
	step := uint64(stride) * uint64(o.bits)
	if step%8 != 0 {
		return nil, w.Fault(in, &machine.Fault{Kind: faults.IllegalInstruction, Lanes: w.Mask, Value: uint64(stride), Align: uint32(8 / o.bits), Text: "stride"})
	}
	for i := range o.count {
		addr[i] = addr[0] + uint64(i)*step/8
	}
	return o.access(w, in, addr)
}

// planWmmaLoad sets up wmma.load r, [p]{, stride}.
func planWmmaLoad(m *wmmaMatrix) func(*sem.Build) {
	return func(b *sem.Build) {
		newWmmaOp(b, m, machine.Load, func(o *wmmaOp) []uint32 { return b.Rows(b.In.Op(isa.R_r), b.Dst, max(32, o.bits)) })
		b.Does(uop.LoadFragment)
	}
}

func loadWmma(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*wmmaOp)
	var addr [32]uint64
	a, st := o.open(w, in, &addr)
	if st != machine.Next {
		return st
	}
	var data [wmmaBytes]byte
	for i := range o.count {
		mem.LoadBytes(data[i*int(o.Size):(i+1)*int(o.Size)], a.Ptr(&addr, i, 0))
	}
	places := o.places
	for _, off := range o.regs {
		if o.wide {
			for lane := range 32 {
				w.R64(off)[lane] = binary.LittleEndian.Uint64(data[places[lane]:])
			}
			places = places[32:]
			continue
		}
		row := w.R32(off)
		for lane := range row {
			row[lane], places = o.word(&data, places), places[max(1, 4/o.elem):]
		}
	}
	return machine.Next
}

// word collects the elements of a register.
func (o *wmmaOp) word(data *[wmmaBytes]byte, places []uint16) (v uint32) {
	switch o.elem {
	case 1:
		return uint32(data[places[0]]) | uint32(data[places[1]])<<8 | uint32(data[places[2]])<<16 | uint32(data[places[3]])<<24
	case 2:
		return uint32(binary.LittleEndian.Uint16(data[places[0]:])) | uint32(binary.LittleEndian.Uint16(data[places[1]:]))<<16
	}
	return binary.LittleEndian.Uint32(data[places[0]:])
}

// planWmmaStore sets up wmma.store.d [p], r{, stride}.
func planWmmaStore(b *sem.Build) {
	newWmmaOp(b, matrixD, machine.Store, func(o *wmmaOp) []uint32 { return b.Rows(b.In.Op(isa.R_r), b.Src, max(32, o.bits)) })
	b.Does(uop.StoreFragment)
}

func storeWmma(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*wmmaOp)
	var addr [32]uint64
	a, st := o.open(w, in, &addr)
	if st != machine.Next {
		return st
	}
	var data [wmmaBytes]byte
	places := o.places
	for _, off := range o.regs {
		for lane := range 32 {
			v := uint64(0)
			if o.wide {
				v = w.R64(off)[lane]
			} else {
				v = uint64(w.R32(off)[lane])
			}
			for j := 0; j < max(1, 4/o.elem); j, places = j+1, places[1:] {
				putElement(data[places[0]:], v>>(8*o.elem*j), o.elem)
			}
		}
	}
	for i := range o.count {
		mem.StoreBytes(a.Ptr(&addr, i, 0), data[i*int(o.Size):(i+1)*int(o.Size)])
	}
	return machine.Next
}

// putElement writes the low n bytes of v.
func putElement(to []byte, v uint64, n int) {
	for i := range n {
		to[i] = byte(v >> (8 * i))
	}
}
