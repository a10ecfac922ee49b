package tensor

import "fmt"

// Descriptor is a matrix in shared memory (9.7.16.4.1, table 40). Addresses and offsets are in
// bytes.
type Descriptor struct {
	Start    uint32 // address of the matrix, without the rank of a CTA
	Leading  uint32 // leading-dimension offset, or address if Absolute
	Stride   uint32 // stride-dimension offset
	Base     uint32 // lines of 128 bytes by which the pattern starts behind a multiple of its period
	Absolute bool   // Leading is an address (sm_103a, K = 96)
	Swizzle  Swizzle
}

// The fields of a descriptor, by their lowest bit.
const (
	startBit    = 0
	leadingBit  = 16
	strideBit   = 32
	fixedBit    = 46
	baseBit     = 49
	absoluteBit = 52
	zeroBit     = 53
	swizzleBit  = 61

	unitBits   = 14 // of start, leading and stride, in units of 16 bytes
	fixedValue = 1  // of bits 46 to 48
)

func field(d uint64, at, bits uint) uint32 { return uint32(d >> at & (1<<bits - 1)) }

// Decode reads a descriptor. The error names the first field that holds what it may not.
func Decode(d uint64) (Descriptor, error) {
	m := Descriptor{
		Start:    field(d, startBit, unitBits) << 4,
		Leading:  field(d, leadingBit, unitBits) << 4,
		Stride:   field(d, strideBit, unitBits) << 4,
		Base:     field(d, baseBit, 3),
		Absolute: field(d, absoluteBit, 1) != 0,
		Swizzle:  Swizzle(field(d, swizzleBit, 3)),
	}
	switch {
	case field(d, startBit+unitBits, 2) != 0:
		return m, bad(d, 14, 15, "0", "they are not used")
	case field(d, leadingBit+unitBits, 2) != 0:
		return m, bad(d, 30, 31, "0", "they are not used")
	case field(d, fixedBit, 3) != fixedValue:
		return m, bad(d, 46, 48, "0b001", "the constant of a descriptor")
	case field(d, zeroBit, 8) != 0:
		return m, bad(d, 53, 60, "0", "a constant of a descriptor")
	case !m.Swizzle.Valid():
		return m, bad(d, 61, 63, "0, 1, 2, 4 or 6", "the swizzle")
	}
	return m, nil
}

// DecodeWgmma reads a descriptor of wgmma (9.7.15.5.1.2), whose swizzle has two bits and whose other bits are zero.
func DecodeWgmma(d uint64) (Descriptor, error) {
	for _, unused := range [][2]uint{{14, 15}, {30, 31}, {46, 48}, {52, 61}} {
		if from, to := unused[0], unused[1]; field(d, from, to-from+1) != 0 {
			return Descriptor{}, bad(d, from, to, "0", "they are not used")
		}
	}
	return Decode(d | fixedValue<<fixedBit)
}

func bad(d uint64, from, to uint, want, what string) error {
	return fmt.Errorf("matrix descriptor %#016x: bits %d to %d are %#b, must be %s (%s)", d, from, to, field(d, from, to-from+1), want, what)
}

// Encode is the inverse of Decode.
func (m Descriptor) Encode() uint64 {
	d := uint64(m.Start>>4&(1<<unitBits-1)) | uint64(m.Leading>>4&(1<<unitBits-1))<<leadingBit |
		uint64(m.Stride>>4&(1<<unitBits-1))<<strideBit | fixedValue<<fixedBit |
		uint64(m.Base&7)<<baseBit | uint64(m.Swizzle)<<swizzleBit
	if m.Absolute {
		d |= 1 << absoluteBit
	}
	return d
}

func (m Descriptor) String() string {
	leading := fmt.Sprintf("leading offset %d", m.Leading)
	if m.Absolute {
		leading = fmt.Sprintf("leading address %#x", m.Leading)
	}
	return fmt.Sprintf("start %#x, %s, stride offset %d, base offset %d, swizzle %s", m.Start, leading, m.Stride, m.Base, m.Swizzle)
}

// KMajor returns the address of byte k of row mn of a matrix whose rows run along K
// (9.7.16.3, canonical layouts). Bytes of one aligned unit of 16 are neighbours.
func (m *Descriptor) KMajor(mn, k uint32) uint32 {
	span := m.Swizzle.Span()
	off := mn%8*span + mn/8*m.Stride
	switch {
	case m.Swizzle == NoSwizzle:
		off += k/16*m.Leading + k%16
	case m.Absolute && m.Start%span+k >= span: // the row goes on in the buffer at Leading
		return m.Swizzle.Apply(m.Leading+off+m.Start%span+k-span, m.Base)
	default:
		off += k
	}
	return m.Swizzle.Apply(m.Start+off, m.Base)
}

// KMajorUnits appends the addresses of the units of 16 bytes of rows, of which each has so many bytes. It is the fast path of
// KMajor: within a row addresses differ in few bits.
func (m *Descriptor) KMajorUnits(list []uint32, first, rows, bytes int) []uint32 {
	span, next := m.Swizzle.Span(), uint32(16)
	if m.Swizzle == NoSwizzle {
		next = m.Leading
	}
	mode := &swizzles[m.Swizzle]
	for mn := uint32(first); mn < uint32(first+rows); mn++ {
		if m.Absolute {
			for k := 0; k < bytes; k += 16 {
				list = append(list, m.KMajor(mn, uint32(k)))
			}
			continue
		}
		at := m.Start + mn%8*span + mn/8*m.Stride
		for k := 0; k < bytes; k += 16 {
			list = append(list, at^((at>>7-m.Base)&mode.mask)<<mode.to)
			at += next
		}
	}
	return list
}

// Row says why a row of so many bytes along K cannot lie in the matrix; nil if it can: a swizzled row ends with its span,
// unless it goes on at an absolute address.
func (m *Descriptor) Row(bytes uint32) error {
	span := m.Swizzle.Span()
	if m.Swizzle == NoSwizzle || m.Absolute || m.Start%span+bytes <= span {
		return nil
	}
	return fmt.Errorf("a row has %d bytes along K; %d are left of the %d of a row of the swizzle (%s)", bytes, span-m.Start%span, span, m.Swizzle)
}

// MNMajor returns the address of byte mn of column k of a matrix whose columns run along M or
// N: mn counts bytes, k elements. Swizzled, the leading offset steps along mn from span to
// span and the stride offset along k; without a swizzle it is the other way round.
func (m *Descriptor) MNMajor(mn, k uint32) uint32 {
	span, group := m.Swizzle.Span(), uint32(8)
	if m.Swizzle == Swizzle128Atom32 {
		group = 4
	}
	along, across := m.Leading, m.Stride
	if m.Swizzle == NoSwizzle {
		along, across = across, along
	}
	off := mn%span + mn/span*along + k%group*span + k/group*across
	return m.Swizzle.Apply(m.Start+off, m.Base)
}
