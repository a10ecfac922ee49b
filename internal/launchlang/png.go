package launchlang

// This file reads and writes pictures: PNG, through the standard library. The size is compared
// before anything is decoded, so a hostile file costs no more memory than the image.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	stdimage "image"
	"image/color"
	"image/png"

	"ptxvm.invalid/ptxvm"
)

// checkPicture tells whether an image can be a PNG.
func checkPicture(d ptxvm.ArrayDesc) error {
	n := d.Format.Channels()
	switch c := d.Format.Channel(); {
	case d.Geometry != ptxvm.Array2D:
		return fmt.Errorf("a PNG is a 2d image, not %v; .npy and raw files hold every geometry", d.Geometry)
	case c != "u8" && c != "unorm8" && c != "u16" && c != "unorm16" || n != 1 && n != 4:
		return fmt.Errorf("a PNG has 1 or 4 channels of u8, unorm8, u16 or unorm16, not %v; .npy and raw files hold every format", d.Format)
	}
	return nil
}

// readPicture reads a PNG of exactly the image's size, depth and channels: grey, or red, green,
// blue and alpha (not premultiplied).
func readPicture(name string, d ptxvm.ArrayDesc) ([]byte, error) {
	if err := checkPicture(d); err != nil {
		return nil, err
	}
	raw, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	out, err := decodePicture(raw, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func decodePicture(raw []byte, d ptxvm.ArrayDesc) ([]byte, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if cfg.Width != d.Size[0] || cfg.Height != d.Size[1] {
		return nil, fmt.Errorf("the picture has %dx%d pixels; write %dx%d", cfg.Width, cfg.Height, cfg.Width, cfg.Height)
	}
	if have := modelBytes(cfg.ColorModel); have != channelBytes(d) {
		return nil, fmt.Errorf("the picture has %d bits a channel; write u%dx%d", 8*have, 8*have, d.Format.Channels())
	}
	if d.Format.Channels() == 1 && !grey(cfg.ColorModel) {
		return nil, fmt.Errorf("the picture is in colour; write u%dx4", 8*channelBytes(d))
	}
	im, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, d.Size[0]*d.Size[1]*d.Format.Bytes())
	for y := range d.Size[1] {
		for x := range d.Size[0] {
			out = appendPixel(out, im.At(x+im.Bounds().Min.X, y+im.Bounds().Min.Y), d)
		}
	}
	return out, nil
}

func channelBytes(d ptxvm.ArrayDesc) int { return d.Format.Bytes() / d.Format.Channels() }

// modelBytes is the size of a channel of a colour model; palettes have 8 bits.
func modelBytes(m color.Model) int {
	switch m {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		return 2
	}
	return 1
}

func grey(m color.Model) bool { return m == color.GrayModel || m == color.Gray16Model }

// appendPixel appends the channels of a pixel.
func appendPixel(out []byte, c color.Color, d ptxvm.ArrayDesc) []byte {
	v := straight(c)
	for _, channel := range []uint16{v.R, v.G, v.B, v.A}[:d.Format.Channels()] {
		if channelBytes(d) == 1 {
			out = append(out, byte(channel>>8))
			continue
		}
		out = binary.LittleEndian.AppendUint16(out, channel)
	}
	return out
}

// straight is a pixel in 16 bits, exactly: colours of PNG are not premultiplied, and the general
// conversion would go through premultiplied ones.
func straight(c color.Color) color.NRGBA64 {
	if v, ok := c.(color.NRGBA); ok {
		return color.NRGBA64{R: uint16(v.R) * 0x101, G: uint16(v.G) * 0x101, B: uint16(v.B) * 0x101, A: uint16(v.A) * 0x101}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64) // straight already, or opaque
}

// encodePicture writes an image that checkPicture has admitted.
func encodePicture(data []byte, d ptxvm.ArrayDesc) ([]byte, error) {
	var out bytes.Buffer
	box := stdimage.Rect(0, 0, d.Size[0], d.Size[1])
	var im stdimage.Image
	switch {
	case d.Format.Bytes() == 1:
		im = &stdimage.Gray{Pix: data, Stride: d.Size[0], Rect: box}
	case d.Format.Bytes() == 4:
		im = &stdimage.NRGBA{Pix: data, Stride: 4 * d.Size[0], Rect: box}
	case d.Format.Bytes() == 2:
		im = &stdimage.Gray16{Pix: bigEndian(data), Stride: 2 * d.Size[0], Rect: box}
	default:
		im = &stdimage.NRGBA64{Pix: bigEndian(data), Stride: 8 * d.Size[0], Rect: box}
	}
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, im)
	return out.Bytes(), err
}

// bigEndian swaps the bytes of 16-bit channels.
func bigEndian(data []byte) []byte {
	out := bytes.Clone(data)
	swapBytes(out, 2)
	return out
}
