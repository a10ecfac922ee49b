package launches_test

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"

	"ptxvm.invalid/ptxvm"
)

var writePicture = flag.Bool("picture", false, "write testdata/surface/photo.png anew")

const photoWidth, photoHeight = 64, 48

// photo is the example's picture: a soft disc over a sky, with a frame and a translucent corner.
func photo() *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, photoWidth, photoHeight))
	for y := range photoHeight {
		for x := range photoWidth {
			c := color.NRGBA{uint8(2 * x), uint8(60 + 2*y), uint8(200 - y), 255}
			if d := (x-40)*(x-40) + (y-20)*(y-20); d < 196 {
				c = color.NRGBA{uint8(255 - d/3), uint8(210 - d/2), uint8(90 - d/4), 255}
			}
			if x < 2 || y < 2 || x >= photoWidth-2 || y >= photoHeight-2 {
				c = color.NRGBA{40, 40, 48, 255}
			}
			if x+y < 16 {
				c.A = uint8(120 + 8*(x+y))
			}
			im.SetNRGBA(x, y, c)
		}
	}
	return im
}

// sharpened is an independent filter: five times a pixel less its four neighbours, of which those
// beyond the edge are the nearest inside. Alpha stays.
func sharpened(im *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(im.Rect)
	at := func(x, y, c int) int {
		x, y = min(max(x, 0), photoWidth-1), min(max(y, 0), photoHeight-1)
		return int(im.Pix[im.PixOffset(x, y)+c])
	}
	for y := range photoHeight {
		for x := range photoWidth {
			for c := range 3 {
				v := 5*at(x, y, c) - at(x-1, y, c) - at(x+1, y, c) - at(x, y-1, c) - at(x, y+1, c)
				out.Pix[out.PixOffset(x, y)+c] = uint8(min(max(v, 0), 255))
			}
			out.Pix[out.PixOffset(x, y)+3] = uint8(at(x, y, 3))
		}
	}
	return out
}

func decodePNG(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(im.Bounds())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, im.At(x, y))
		}
	}
	return out.Pix
}

// TestSharpen runs the shipped example through the API and compares it with the filter above, and
// so the two pictures that the README shows.
func TestSharpen(t *testing.T) {
	if *writePicture {
		var b bytes.Buffer
		if err := png.Encode(&b, photo()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/surface/photo.png", b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, want := photo(), sharpened(photo()).Pix
	if !bytes.Equal(decodePNG(t, "testdata/surface/photo.png"), in.Pix) {
		t.Error("testdata/surface/photo.png is not the picture of this test; -picture writes it")
	}
	if !bytes.Equal(decodePNG(t, "testdata/surface/sharpened.png"), want) {
		t.Error("testdata/surface/sharpened.png is not the filtered picture; the README's command writes it")
	}
	src, err := os.ReadFile("testdata/surface/sharpen.sm_90.ptx")
	if err != nil {
		t.Fatal(err)
	}
	l := newSurfaceLab(t, string(src), nil)
	from := l.array("in", ptxvm.Array2D, "u8x4", photoWidth, photoHeight)
	to := l.array("out", ptxvm.Array2D, "u8x4", photoWidth, photoHeight)
	if err := from.Write(in.Pix); err != nil {
		t.Fatal(err)
	}
	k, err := l.p.Kernel("sharpen")
	if err != nil {
		t.Fatal(err)
	}
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: 3, Y: 6}, Block: ptxvm.Dim3{X: 24, Y: 8}}
	if _, err := k.Launch(context.Background(), shape, from.Surface(), to.Surface(), int32(photoWidth), int32(photoHeight)); err != nil {
		t.Fatal(err)
	}
	have := make([]byte, to.Len())
	if err := to.Read(have); err != nil || !bytes.Equal(have, want) {
		t.Errorf("the kernel's picture differs from the filter's: %v", err)
	}
}
