package forms

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestTensorPicture reads back what --show-to FILE.png holds: a row a lane, a pixel a word.
func TestTensorPicture(t *testing.T) {
	m := &ptxvm.TensorMemory{Columns: []int{4, 5, 6}, Words: [][]uint32{{0x01020304, 0, 0xffffffff}, {0, 0x80000000, 0xff}}}
	data, err := TensorPicture(m)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Dx() != 3 || img.Bounds().Dy() != 2 {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{0, 0, color.NRGBA{1, 2, 3, 255}}, {2, 0, color.NRGBA{255, 255, 255, 255}}, {1, 1, color.NRGBA{128, 0, 0, 255}}, {2, 1, color.NRGBA{0, 0, 0, 255}}} {
		if got := color.NRGBAModel.Convert(img.At(c.x, c.y)); got != c.want {
			t.Errorf("pixel %d,%d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}
