package tensor

// Copy is a form of tcgen05.cp (9.7.16.9.2): what it reads from shared memory and which lanes
// it writes.
type Copy struct {
	Rows  int // of the source
	Units int // of 16 bytes in a row: 1 or 2; each fills 4 columns
	Times int // lanes that get each row

	lane func(row, time int) int
}

// The copies, by shape and multicast. Lanes are relative to that of the address.
var (
	Copy128x256b     = Copy{128, 2, 1, func(i, _ int) int { return i }}
	Copy128x128b     = Copy{128, 1, 1, func(i, _ int) int { return i }}
	Copy4x256b       = Copy{4, 2, 1, func(i, _ int) int { return 32 * i }} // one lane of each warp's quarter
	Copy64x128b02_13 = Copy{64, 1, 2, func(i, t int) int { return i + 64*t }}
	Copy64x128b01_23 = Copy{64, 1, 2, func(i, t int) int { return i%32 + 64*(i/32) + 32*t }}
	Copy32x128b      = Copy{32, 1, 4, func(i, t int) int { return i + 32*t }}
)

// Columns returns the columns that are written.
func (c *Copy) Columns() int { return 4 * c.Units }

// Bytes returns the bytes that are read.
func (c *Copy) Bytes() int { return 16 * c.Rows * c.Units }

// Lane returns the time-th lane that gets a row of the source.
func (c *Copy) Lane(row, time int) int { return c.lane(row, time) }

// LastLane returns the highest lane that is written.
func (c *Copy) LastLane() int { return c.lane(c.Rows-1, c.Times-1) }

// Source returns the address of a unit of the source. The matrix is walked along K.
func (c *Copy) Source(m *Descriptor, row, unit int) uint32 {
	return m.KMajor(uint32(row), uint32(16*unit))
}

// MaxUnits is the most units that a copy reads.
const MaxUnits = 256

// Sources fills the addresses of all units, row after row. It is the fast path of Source: the 8
// rows of a group and the two units of a row differ in few bits.
func (c *Copy) Sources(m *Descriptor, to *[MaxUnits]uint32) []uint32 {
	span, second := m.Swizzle.Span(), uint32(16)
	if m.Swizzle == NoSwizzle {
		second = m.Leading
	}
	mode := &swizzles[m.Swizzle]
	list := to[:c.Rows*c.Units]
	group := m.Start
	for i := 0; i < len(list); group += m.Stride {
		at := group
		for range min(8, c.Rows) {
			list[i] = at ^ ((at>>7-m.Base)&mode.mask)<<mode.to
			i++
			if c.Units == 2 {
				x := at + second
				list[i] = x ^ ((x>>7-m.Base)&mode.mask)<<mode.to
				i++
			}
			at += span
		}
	}
	return list
}
