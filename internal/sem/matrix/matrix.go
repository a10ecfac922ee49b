package matrix

// Matrices between shared memory and the registers of a warp, and inside the registers:
// 9.7.14.5.15 to 9.7.14.5.17.

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

func matrixLines() []sem.Line {
	return []sem.Line{
		{ID: isa.Ldmatrix, Do: sem.Plan(planLoadMatrix, isa.C_shape, isa.C_num, isa.C_ss, isa.C_type, isa.C_dst_fmt, isa.C_src_fmt).Sees(isa.M_trans)},
		{ID: isa.LdmatrixS4, Do: sem.Plan(planLoadMatrix, isa.C_shape, isa.C_num, isa.C_ss, isa.C_dst_fmt, isa.C_src_fmt)},
		{ID: isa.Stmatrix, Do: sem.Plan(planStoreMatrix, isa.C_shape, isa.C_num, isa.C_ss, isa.C_type).Sees(isa.M_trans)},
		{ID: isa.Movmatrix, Do: sem.Plan(planMoveMatrix, isa.C_shape, isa.C_type).Sees(isa.M_trans)},
	}
}

// lines are rows or columns of matrices in memory: each of the first lanes has the address of one.
type lines struct {
	machine.Request
	lanes uint32
}

// access checks the addresses, and tells observers of the lines.
func (l *lines) access(w *machine.Warp, in *machine.Inst, addr *[32]uint64) (*machine.Access, machine.State) {
	if bad := l.outside(addr); bad != 0 {
		return nil, w.Fault(in, &machine.Fault{
			Kind: faults.WrongWindow, Lanes: bad, Addr: addr[sem.Lowest(bad)], Size: l.Size, Align: l.Align, Access: l.Kind, Space: l.Space,
		})
	}
	if w.Observing() {
		w.Observe(in, machine.Event{Space: l.Space, Kind: l.Kind, Size: l.Size, Lanes: l.lanes, Addr: addr})
	}
	mask := w.Mask
	w.Mask = l.lanes
	a, st := w.Access(in, &l.Request, addr)
	w.Mask = mask
	return a, st
}

// outside returns the lanes whose generic address is in a window that matrices do not lie in.
func (l *lines) outside(addr *[32]uint64) (bad uint32) {
	if l.Space == machine.Generic {
		sem.Each(l.lanes, func(i int) { bad |= sem.Bit(mem.InLocal(addr[i]) || l.OwnCTA && !mem.InShared(addr[i])) << i })
	}
	return bad
}

// matrixOp is the decode-time constant of ldmatrix, stmatrix and movmatrix.
type matrixOp struct {
	uop.Private
	lines
	rows   tensor.Rows
	format tensor.Format
	at     sem.Address
	regs   []uint32 // rows of registers
	places []uint16 // of their pieces in the lines of 16 bytes: register, lane, piece
}

var rowsOf = map[[2]isa.Mod]tensor.Rows{
	{isa.M_m8n8}: tensor.Rows8, {isa.M_m8n8, isa.M_trans}: tensor.Rows8Trans, {isa.M_m8n16}: tensor.Rows8,
	{isa.M_m16n16, isa.M_trans}: tensor.Rows16Trans, {isa.M_m16n8, isa.M_trans}: tensor.Rows8x16,
}

var rowFormats = map[isa.Mod]tensor.Format{isa.M_b6x16_p32: tensor.B6x16P32, isa.M_b4x16_p64: tensor.B4x16P64, isa.M_s4: tensor.S4}

// newMatrixOp reads what a statement moves; regs are the rows of its registers.
func newMatrixOp(b *sem.Build, kind machine.AccessKind, regs []uint32) *matrixOp {
	key := [2]isa.Mod{b.Sel.Get(isa.C_shape)}
	if b.Sel.Has(isa.M_trans) {
		key[1] = isa.M_trans
	}
	o := &matrixOp{rows: rowsOf[key], format: rowFormats[b.Sel.Get(isa.C_src_fmt)], regs: regs}
	o.at = b.AddressAt(b.In.Op(isa.R_p))
	lanes := len(regs) * o.rows.Lanes() / o.rows.Registers()
	if len(regs)%o.rows.Registers() != 0 || lanes > 32 {
		b.Fail("%d registers are not executed here", len(regs)) // .x8 and more, by the length of the operand
	}
	o.lanes = uint32(1<<lanes - 1)
	o.Request = machine.Request{Space: sem.SpaceOf(b.Sel.Get(isa.C_ss)), Kind: kind, Size: o.format.Bytes(), Align: 16, OwnCTA: true}
	if o.format == tensor.S4 {
		o.Align = 8
	}
	o.place()
	b.Ext().Data = o
	return o
}

// place finds the pieces.
func (o *matrixOp) place() {
	for r := range o.regs {
		for lane := range 32 {
			for b := 0; b < 4; b += o.rows.Piece() {
				row, at := o.rows.Byte(lane, r, b)
				o.places = append(o.places, uint16(16*row+at))
			}
		}
	}
}

// matrixRows is the lines of up to four matrices, 16 bytes each.
type matrixRows [512]byte

// straight reports whether the lines of a matrix are a row of registers: four bytes of one line a lane, one line after the other.
func (o *matrixOp) straight() bool { return o.rows == tensor.Rows8 && o.format == tensor.Plain }

// loadStraight and storeStraight move the lines that lie at addr to and from rows of registers: the fast way of gather and spread.
func (o *matrixOp) loadStraight(w *machine.Warp, a *machine.Access, addr *[32]uint64) {
	for r, off := range o.regs {
		loadLines(w.R32(off), a, addr, 8*r)
	}
}

func (o *matrixOp) storeStraight(w *machine.Warp, a *machine.Access, addr *[32]uint64) {
	for r, off := range o.regs {
		storeLines(w.R32(off), a, addr, 8*r)
	}
}

// gather moves pieces from lines to registers.
func (o *matrixOp) gather(w *machine.Warp, from *matrixRows) {
	for r, off := range o.regs {
		row := w.R32(off)
		switch at := o.places[32*4/o.rows.Piece()*r:]; o.rows.Piece() {
		case 4:
			for i := range row {
				row[i] = binary.LittleEndian.Uint32(from[at[i]&508:])
			}
		case 2:
			for i := range row {
				row[i] = uint32(binary.LittleEndian.Uint16(from[at[2*i]&510:])) | uint32(binary.LittleEndian.Uint16(from[at[2*i+1]&510:]))<<16
			}
		default:
			for i := range row {
				p := at[4*i : 4*i+4]
				row[i] = uint32(from[p[0]&511]) | uint32(from[p[1]&511])<<8 | uint32(from[p[2]&511])<<16 | uint32(from[p[3]&511])<<24
			}
		}
	}
}

// spread moves pieces from registers to lines.
func (o *matrixOp) spread(w *machine.Warp, to *matrixRows) {
	for r, off := range o.regs {
		row := w.R32(off)
		switch at := o.places[32*4/o.rows.Piece()*r:]; o.rows.Piece() {
		case 4:
			for i, v := range row {
				binary.LittleEndian.PutUint32(to[at[i]&508:], v)
			}
		case 2:
			for i, v := range row {
				binary.LittleEndian.PutUint16(to[at[2*i]&510:], uint16(v))
				binary.LittleEndian.PutUint16(to[at[2*i+1]&510:], uint16(v>>16))
			}
		default:
			for i, v := range row {
				p := at[4*i : 4*i+4]
				to[p[0]&511], to[p[1]&511], to[p[2]&511], to[p[3]&511] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
			}
		}
	}
}

// open waits for the whole warp and finds the lines.
func (o *matrixOp) open(w *machine.Warp, in *machine.Inst) (*machine.Access, *[32]uint64, machine.State) {
	if st := w.Collective(in); st != machine.Next {
		return nil, nil, st
	}
	addr := w.Addresses()
	o.at.Lanes(w, addr, 0)
	a, st := o.access(w, in, addr)
	return a, addr, st
}

// planLoadMatrix sets up ldmatrix r, [p].
func planLoadMatrix(b *sem.Build) {
	newMatrixOp(b, machine.Load, b.Rows(b.In.Op(isa.R_r), b.Dst, 32))
	b.Does(uop.LoadMatrix)
}

func loadMatrix(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*matrixOp)
	a, addr, st := o.open(w, in)
	if st != machine.Next {
		return st
	}
	if o.straight() {
		o.loadStraight(w, a, addr)
		return machine.Next
	}
	var rows matrixRows
	for i := range min(32, 8*len(o.regs)) {
		to := (*[16]byte)(rows[16*i:])
		if mem.LoadBytes(to[:o.Size], a.Ptr(addr, i, 0)); o.format != tensor.Plain {
			*to = o.format.Expand(to, 0)
		}
	}
	o.gather(w, &rows)
	return machine.Next
}

// planStoreMatrix sets up stmatrix [p], r.
func planStoreMatrix(b *sem.Build) {
	newMatrixOp(b, machine.Store, b.Rows(b.In.Op(isa.R_r), b.Src, 32))
	b.Does(uop.StoreMatrix)
}

func storeMatrix(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*matrixOp)
	a, addr, st := o.open(w, in)
	if st != machine.Next {
		return st
	}
	if o.straight() {
		o.storeStraight(w, a, addr)
		return machine.Next
	}
	var rows matrixRows
	o.spread(w, &rows)
	for i := range 8 * len(o.regs) {
		mem.StoreBytes(a.Ptr(addr, i, 0), rows[16*i:16*i+16])
	}
	return machine.Next
}

// matrixMove is the decode-time constant of movmatrix.
type matrixMove struct {
	uop.Private
	d, a matrixOp
}

// planMoveMatrix sets up movmatrix d, a: what stmatrix.m8n8 and ldmatrix.m8n8.trans would do.
func planMoveMatrix(b *sem.Build) {
	o := &matrixMove{d: matrixOp{rows: tensor.Rows8Trans}}
	o.d.regs, o.a.regs = []uint32{b.Dst(&b.In.Ops[0], 32)}, []uint32{b.Src(&b.In.Ops[1], 32)}
	o.d.place()
	o.a.place()
	b.Ext().Data = o
	b.Does(uop.MoveMatrix)
}

func moveMatrix(w *machine.Warp, in *machine.Inst) machine.State {
	st := w.Collective(in)
	if st == machine.Next {
		o := in.Ext.Data.(*matrixMove)
		var rows matrixRows
		o.a.spread(w, &rows)
		o.d.gather(w, &rows)
	}
	return st
}
