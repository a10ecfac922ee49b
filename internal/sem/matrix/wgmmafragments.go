package matrix

// wgmma in the order of registers: D of a warp is that of an mma for each eight columns, one behind the other, and A is that
// of an mma, too. A line of shared memory has 16 bytes for each register of A or B, those of four lanes.

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/num"
)

// wgmmaTiles are the products of eight columns of a record, with room for what is not in registers: A and B from shared memory, D.
type wgmmaTiles struct {
	num.FragmentsAt
	rows [][32]uint32
	d    [][32]uint32 // the last of them; nil: D is not there
}

// inTiles multiplies in the order of registers; false: that cannot be.
func (r *wgmmaRecord) inTiles(op *machine.Op) bool {
	if r.by == nil || r.columns != [2]bool{} || r.negative != [2]bool{} {
		return false
	}
	f := r.tilesOn()
	if f == nil {
		return false
	}
	t, last := &r.tiles, len(r.dRows)
	t.rows = num.Grown(t.rows, r.roomOfTiles()+last)
	t.d = t.rows[len(t.rows)-last:]
	room := &t.rows[0]
	t.Registers = [5]*[32]uint32{room, room, r.registers, room, &r.meta}
	memory, start := op.SharedMemory(uint32(r.rank >> mem.RankShift))
	b := t.rows
	if r.productOp.a == nil {
		b = b[fillTile(b, r.a, 16, memory, start):]
	} else {
		t.Registers[0] = r.registers
	}
	for list, per := r.b, len(r.b)/r.N*8; len(list) > 0; list = list[per:] {
		b = b[fillTile(b, list[:per], 8, memory, start):]
	}
	if !r.add {
		t.Registers[2] = room
		clear(t.d)
	}
	if !r.by.MultiplyFragments(f, &t.FragmentsAt) {
		t.d = nil
		return false
	}
	op.CountSums(16*r.N, 0)
	return true
}

// fillTile puts lines of shared memory, 8 or 16, into rows of registers, and returns how many there are.
func fillTile(rows [][32]uint32, units []uint32, lines int, memory []byte, start uint32) (n int) {
	halves, perLine := lines/8, len(units)/lines
	for line := range lines {
		at, half := 4*(line&7), line>>3
		for i, unit := range units[line*perLine : (line+1)*perLine] {
			from, to := (*[16]byte)(memory[unit-start:]), (*[4]uint32)(rows[i*halves+half][at:])
			to[0], to[1] = binary.LittleEndian.Uint32(from[0:]), binary.LittleEndian.Uint32(from[4:])
			to[2], to[3] = binary.LittleEndian.Uint32(from[8:]), binary.LittleEndian.Uint32(from[12:])
		}
	}
	return halves * perLine
}

// roomOfTiles is how many registers of A and B are not such.
func (r *wgmmaRecord) roomOfTiles() int {
	perLine := func(elements int) int { return elements * r.Bits / 128 }
	n := r.N / 8 * perLine(r.K)
	if r.productOp.a == nil {
		n += 2 * perLine(r.Stored())
	}
	return n
}

// tilesOn has the code for the product; nil if there is none.
func (r *wgmmaRecord) tilesOn() *num.Fragments {
	at := &r.tileCode[0]
	if r.add {
		at = &r.tileCode[1]
	}
	on := at.Load()
	if on == nil || on.arch != r.arch || on.by != r.by {
		on = &fragmentsOn{arch: r.arch, by: r.by, num: num.NewFragments(r.newTiles(), r.by)}
		at.Store(on)
	}
	return on.num
}

// newTiles places the registers: those that are none in the order of their places in the room.
func (r *wgmmaRecord) newTiles() num.Fragments {
	f := num.Fragments{DenseShape: denseShape(16, 8, &r.Product, &r.elems, r.rule()), Tiles: r.N / 8}
	f.Saturate = r.saturate
	next := uint32(0)
	inRoom := func(n int) {
		for range n {
			f.Offsets = append(f.Offsets, next)
			next += 128
		}
	}
	a := 2 * r.Stored() * r.Bits / 128
	if r.productOp.a != nil {
		f.Offsets = append(f.Offsets, r.productOp.a...)
	} else {
		inRoom(a)
	}
	if r.Sparse {
		f.Offsets, f.Meta = append(f.Offsets, 0), r.fragmentMeta(a)
	}
	d := 128 * uint32(r.roomOfTiles())
	per := len(r.d) / f.Tiles
	for tile := range f.Tiles {
		inRoom(r.K * r.Bits / 128)
		for i := range 2 * per {
			register := tile*per + i%per
			if off := d + 128*uint32(register); i < per && r.add {
				f.Offsets = append(f.Offsets, r.d[register])
			} else {
				f.Offsets = append(f.Offsets, off)
			}
		}
	}
	return f
}

// rule is how products are added up, of floats.
func (r *wgmmaRecord) rule() num.DotRule {
	if f := r.elems[0]; f.float() {
		return f.format.WarpgroupRule(r.arch, r.elems[3].format)
	}
	return num.DotRule{}
}
