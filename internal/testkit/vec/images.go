package vec

// Surfaces of the blocks: names that begin with X are handles. Each lane has images of its own,
// byte i of the samples being 0x80+i at first.
//
//	X1 X2 X3   1d 8 u32x1, 2d 4x3 u8x4, 3d 4x3x2 u8x4
//	XL XA      1dlayered 4x3 u8x4, 2dlayered 4x3x2 u8x4
//	XN XS XF   1d 8 unorm8x4, 1d 4 s16x2, 1d 2 f32x2

import (
	"encoding/binary"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// imageKinds are in the order of the handles of a lane.
var imageKinds = []struct {
	name     string
	geometry ptxvm.Geometry
	size     []int
	format   string
}{
	{"X1", ptxvm.Array1D, []int{8}, "u32x1"}, {"X2", ptxvm.Array2D, []int{4, 3}, "u8x4"}, {"X3", ptxvm.Array3D, []int{4, 3, 2}, "u8x4"},
	{"XL", ptxvm.Array1DLayered, []int{4, 3}, "u8x4"}, {"XA", ptxvm.Array2DLayered, []int{4, 3, 2}, "u8x4"},
	{"XN", ptxvm.Array1D, []int{8}, "unorm8x4"}, {"XS", ptxvm.Array1D, []int{4}, "s16x2"}, {"XF", ptxvm.Array1D, []int{2}, "f32x2"},
}

// handlesAt is where the handles stand behind the memory of the lanes: laneBytes for each.
const handlesAt = memBytes

func init() {
	for i, k := range imageKinds {
		places = append(places, place{k.name, "", fmt.Sprintf("ld.param.u64 %s, [pmem]; add.u64 %s, %s, %%lane; ld.global.u64 %s, [%s+%d];",
			k.name, k.name, k.name, k.name, k.name, handlesAt+8*i)})
	}
}

// imagesUsed tells which kinds a block names.
func (w *Wrapped) imagesUsed() (kinds []bool) {
	for _, p := range used(w.Stmts) {
		for i, k := range imageKinds {
			if k.name == p.name {
				kinds = append(kinds, make([]bool, i+1-min(len(kinds), i+1))...)
				kinds[i] = true
			}
		}
	}
	return kinds
}

// handles makes the images of all lanes what they are at first, where they are used, and returns
// the handles of all.
func (d *device) handles(used []bool) ([]byte, error) {
	var out []byte
	for lane := range 32 {
		for i := range imageKinds {
			if len(d.images) <= lane*len(imageKinds)+i {
				if err := d.addImage(i); err != nil {
					return nil, err
				}
			}
			a := d.images[lane*len(imageKinds)+i]
			if i < len(used) && used[i] {
				if err := a.Write(Pattern(a.Len())); err != nil {
					return nil, err
				}
			}
			out = binary.LittleEndian.AppendUint64(out, a.Surface().Handle())
		}
	}
	return out, nil
}

// Pattern is what the samples of an image are at first.
func Pattern(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = patternByte(i)
	}
	return out
}

func (d *device) addImage(kind int) error {
	a, err := d.NewArray(imageDesc(kind))
	d.images = append(d.images, a)
	return err
}

// imageDesc describes the images of a kind.
func imageDesc(kind int) ptxvm.ArrayDesc {
	k := imageKinds[kind]
	f, err := ptxvm.ParseSampleFormat(k.format)
	if err != nil {
		panic(err) // the table above is at fault
	}
	return ptxvm.ArrayDesc{Name: strings.ToLower(k.name), Geometry: k.geometry, Size: k.size, Format: f}
}
