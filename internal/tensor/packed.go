package tensor

// Elements of less than a byte (5.5.1.1, 9.7.9.27.1.1). They lie packed in global memory; in shared memory 16 of them take 16
// bytes, unless they are of type b4x16: behind packed ones there is padding, and of b6p2x16 each has a byte.

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	packed4     Element = 14 // b4x16_p64: loaded only
	packed6     Element = 15 // b6x16_p32 where it is loaded, b6p2x16 where it is stored
	packedStore         = "b6p2x16"
)

// packedRow is the elements of a row of a box.
const packedRow = 128

// padded reports whether elements take more room in shared memory than in global memory.
func (m *Map) padded() bool { return m.Type == packed4 || m.Type == packed6 }

// half reports whether a map is one of half rows, which sm_103 stores.
func (m *Map) half() bool { return m.Type == packed6 && m.Box[0] == packedRow/2 }

// checkPacked says what is wrong with a map of such elements.
func (m *Map) checkPacked() error {
	many := m.Type.info().many
	if many == 1 {
		return nil
	}
	row, unit := many, uint64(16)
	if m.padded() {
		if row, unit = packedRow, 32; m.half() {
			row, unit = packedRow/2, 16
		}
	}
	switch {
	case m.dim(0)%int64(row) != 0:
		return fmt.Errorf("dimension 0 has %d elements: of type %v it has a multiple of %d", m.dim(0), m.Type, row)
	case m.padded() && m.Box[0] != row, m.Box[0]%many != 0:
		return fmt.Errorf("the box has %d elements of type %v along dimension 0: want %d", m.Box[0], m.Type, max(row, packedRow))
	case m.Address%unit != 0:
		return fmt.Errorf("the address %#x is no multiple of %d, as elements of type %v want", m.Address, unit, m.Type)
	case m.padded() && (m.Swizzle != 0 && m.Swizzle != 3 || m.Atomicity == 2):
		return fmt.Errorf("elements of type %v have no swizzle or one of 128 bytes, without a flip of 8", m.Type)
	}
	for d, s := range m.Strides[:max(m.Rank-1, 0)] {
		if s%unit != 0 {
			return fmt.Errorf("the stride of dimension %d is %d bytes: elements of type %v want a multiple of %d", d+1, s, m.Type, unit)
		}
	}
	return nil
}

// fitsPacked says why a statement cannot copy such elements.
func (m *Map) fitsPacked(u *Use) error {
	switch {
	case m.Type.info().many == 1:
		return nil
	case u.Store && m.Type == packed4:
		return fmt.Errorf("elements of type %v are loaded only", m.Type)
	case !u.Store && u.Arch/10 == 12:
		return fmt.Errorf("sm_%d loads no elements of type %v", u.Arch, m.Type)
	case m.half() && (!u.Store || u.Arch != 103):
		return errors.New("rows of 64 elements of six bits are stored by sm_103 only")
	}
	return nil
}

// Aligned says why a box cannot begin at coordinates.
func (m *Map) Aligned(at [MaxRank]int32) error {
	unit := int32(m.Type.info().many)
	switch {
	case m.half():
		unit = packedRow / 2
	case m.padded():
		unit = packedRow
	case m.Interleave != 0:
		unit = int32(m.channels())
	}
	if at[0]%unit != 0 {
		return fmt.Errorf("coordinate 0 is %d: the box begins at a multiple of %d", at[0], unit)
	}
	return nil
}

// InBox is how many bytes of a box some bytes of global memory are.
func (m *Map) InBox(n uint32) uint32 {
	info := m.Type.info()
	if info.size == info.shared {
		return n
	}
	return n / info.size * info.shared
}

// Packed is what bytes of a box are in global memory.
func (m *Map) Packed(n uint32) uint32 { return n / m.Type.info().shared * m.Type.info().size }

// Unpack copies elements from global memory to a box, Pack those of a box to global memory. Padding becomes zero.
func (m *Map) Unpack(box, memory []byte) {
	if !m.padded() {
		copy(box, memory)
		return
	}
	for size := int(m.Type.info().size); len(memory) > 0; box, memory = box[16:], memory[size:] {
		copy(box, memory[:size])
		clear(box[size:16])
	}
}

func (m *Map) Pack(memory, box []byte) {
	if m.Type != packed6 {
		copy(memory, box)
		return
	}
	for ; len(box) > 0; memory, box = memory[12:], box[16:] {
		var low [12]byte
		for i := range 4 { // four elements of six bits are three bytes
			four := uint32(0)
			for k, b := range box[4*i : 4*i+4] {
				four |= uint32(b&63) << (6 * k)
			}
			var bytes [4]byte
			binary.LittleEndian.PutUint32(bytes[:], four)
			copy(low[3*i:], bytes[:3])
		}
		copy(memory, low[:])
	}
}
