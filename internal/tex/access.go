package tex

// This file finds the bytes that a surface instruction accesses (9.7.11).

import "fmt"

// Reach is the geometry that an instruction names.
type Reach uint8

// The geometries of instructions.
const (
	Reach1D Reach = iota
	Reach2D
	Reach3D
	ReachA1D
	ReachA2D
	ReachCube // the rest: textures alone
	ReachACube
	Reach2DMS
	ReachA2DMS
)

// String is the modifier without its dot.
func (r Reach) String() string {
	return [...]string{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"}[r]
}

// Cube reports whether it reaches faces of a cube.
func (r Reach) Cube() bool { return r == ReachCube || r == ReachACube }

// Bounds says what an instruction does outside of the surface.
type Bounds uint8

// The modes.
const (
	Trap Bounds = iota
	Clamp
	Zero
)

// Access is what an instruction accesses, the same in every lane.
type Access struct {
	Reach   Reach
	Bounds  Bounds
	Size    uint64 // bytes, of all elements of a vector; 0: one sample, of whatever size
	Samples bool   // x counts pieces of Size bytes; else bytes
	Mask    bool   // a misaligned x loses its low bits; else it is a fault
	AnyMode bool   // a layer that is out of range counts as the last one in every mode
}

// Point is where a lane accesses the surface. K is the slice of a volume, signed, or a layer, of which
// 16 bits count (an H100 takes layer 0x10001 for 1); coordinates that the instruction lacks are 0.
type Point struct {
	X, Y int32
	K    uint32
}

// Outcome says what is at a point.
type Outcome uint8

// The outcomes.
const (
	Inside     Outcome = iota
	Dropped            // loads give 0, stores do nothing
	Outside            // a fault of .trap
	Misaligned         // a fault
)

// size is the bytes of one access.
func (a *Access) size(im *Image) uint64 {
	if a.Size == 0 {
		return uint64(im.Format.Bytes())
	}
	return a.Size
}

// Window is what Fast needs to know about a surface: which points are plainly inside.
type Window struct {
	Scale      uint64 // bytes of one step of x
	Room       uint64 // the last byte at which an access may begin, if Fits
	Low        uint64 // bits of that byte that must be clear
	Height     uint32
	Slices     uint32
	Pitch      uint64
	Slice      uint64
	Fits       bool // an access fits a row
	Accessible bool // the surface has the geometry that the instruction names
}

// Window prepares an access to one surface.
func (a *Access) Window(im *Image) Window {
	size, row := a.size(im), im.Row()
	v := Window{Scale: 1, Height: im.Height, Slices: im.Slices, Pitch: im.Pitch, Slice: im.Slice,
		Fits: row >= size, Accessible: im.Geometry.Reach() == a.Reach}
	if v.Fits {
		v.Room = row - size
	}
	if a.Samples {
		v.Scale = size
	} else {
		v.Low = size - 1
	}
	return v
}

// Inside returns the byte of a point that is plainly inside: in range and aligned.
func (v *Window) Inside(x, y, k uint32) (off uint64, ok bool) {
	at := uint64(x) * v.Scale
	ok = at <= v.Room && at&v.Low == 0 && y < v.Height && k < v.Slices && v.Fits
	return at + uint64(y)*v.Pitch + uint64(k)*v.Slice, ok
}

// Locate returns the first byte that an access touches, for any point.
func (a *Access) Locate(im *Image, p Point) (off uint64, out Outcome) {
	v := a.Window(im)
	size := int64(a.size(im))
	at := int64(p.X) * int64(v.Scale)
	if !a.Samples && at&(size-1) != 0 {
		if !a.Mask {
			return 0, Misaligned
		}
		at &^= size - 1
	}
	if a.Reach == ReachA1D || a.Reach == ReachA2D {
		p.K &= 0xffff
		if a.AnyMode {
			p.K = min(p.K, im.Slices-1)
		}
	}
	out = Inside
	if !v.Fits && a.Bounds == Clamp { // there is no nearest place; an H100 drops the access
		return 0, Dropped
	}
	if !v.Fits || at < 0 || at > int64(v.Room) || uint32(p.Y) >= im.Height || p.K >= im.Slices {
		out = [...]Outcome{Trap: Outside, Clamp: Inside, Zero: Dropped}[a.Bounds]
	}
	if out != Inside {
		return 0, out
	}
	last := int64(v.Room) / size * size // the last place that a whole access fits
	at = min(max(at, 0), last)
	y := uint64(min(max(p.Y, 0), int32(im.Height-1)))
	return uint64(at) + y*im.Pitch + uint64(a.slice(im, p.K))*im.Slice, Inside
}

// slice is the nearest slice or layer. That of a volume has a sign.
func (a *Access) slice(im *Image, k uint32) uint32 {
	if a.Reach == Reach3D && int32(k) < 0 {
		return 0
	}
	return min(k, im.Slices-1)
}

// Point writes a point with the coordinates that the instruction has.
func (a *Access) Point(p Point) string {
	unit := "byte x "
	if a.Samples {
		unit = "sample x "
	}
	switch a.Reach {
	case Reach1D:
		return fmt.Sprintf("%s%d", unit, p.X)
	case Reach2D:
		return fmt.Sprintf("%s%d, y %d", unit, p.X, p.Y)
	case Reach3D:
		return fmt.Sprintf("%s%d, y %d, z %d", unit, p.X, p.Y, int32(p.K))
	case ReachA1D:
		return fmt.Sprintf("layer %d, %s%d", p.K, unit, p.X)
	}
	return fmt.Sprintf("layer %d, %s%d, y %d", p.K, unit, p.X, p.Y)
}

// Why says what is wrong with a point that Locate refuses.
func (a *Access) Why(im *Image, p Point, out Outcome) string {
	size := a.size(im)
	at := int64(p.X) * int64(a.Window(im).Scale)
	switch {
	case out == Misaligned:
		return fmt.Sprintf("x is no multiple of the %d bytes accessed", size)
	case im.Row() < size:
		return fmt.Sprintf("%d bytes do not fit a row of %d", size, im.Row())
	case at < 0:
		return "x is negative"
	case at > int64(im.Row()-size):
		return fmt.Sprintf("the access ends at byte %d of a row of %d", at+int64(size), im.Row())
	case p.Y < 0 || uint32(p.Y) >= im.Height:
		return fmt.Sprintf("y is not in 0 to %d", im.Height-1)
	case a.Reach == Reach3D:
		return fmt.Sprintf("z is not in 0 to %d", im.Slices-1)
	}
	return fmt.Sprintf("the layer is not in 0 to %d", im.Slices-1)
}
