package launchlang

// This file shows a buffer as a picture of characters: the sink term. On a terminal a character is
// two pixels, one above the other (half blocks), in shades of grey, or in colour if the last of
// three extents is 3 or 4; elsewhere it is one of a ramp of ten, for two pixels as well, since
// characters are about twice as high as wide.

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/value"
)

// termRamp is from dark to bright.
const termRamp = " .:-=+*#%@"

// termColumns is the widest picture where there is no terminal to ask.
const termColumns = 120

// Screen is what pictures are shown on.
type Screen struct {
	Blocks  bool // it has colours
	Columns int  // 0: unknown
}

// picture is pixels with a brightness from 0 to 255 in each of three channels.
type picture struct {
	width, height int
	at            func(x, y int) [3]byte
}

// checkTerm tells whether such data can be shown: u8 from 0 to 255, f32 from 0 to 1.
func checkTerm(a Array) error {
	if name := a.Type.Name(); name != "u8" && name != "f32" || len(a.Shape) == 0 {
		return fmt.Errorf("the sink term shows u8 or f32 with a shape, such as out:u8x32x64:term for 32 rows of 64")
	}
	return nil
}

// asPicture is rows and columns of an array: the last extent runs along a row, all before it are rows.
func asPicture(a Array) picture {
	shape, channels := a.Shape, 1
	if n := len(shape); n == 3 && shape[2] >= 3 && shape[2] <= 4 {
		shape, channels = shape[:2], shape[2]
	}
	p := picture{width: shape[len(shape)-1]}
	if p.width > 0 {
		p.height = len(a.Bytes) / a.Type.Size() / channels / p.width
	}
	p.at = func(x, y int) (c [3]byte) {
		for i := range c {
			c[i] = brightness(a, (y*p.width+x)*channels+min(i, channels-1))
		}
		return c
	}
	return p
}

// brightness is an element from 0 to 255: f32 is black at 0 or NaN and white at 1.
func brightness(a Array, i int) byte {
	if a.Type.Name() == "u8" {
		return a.Bytes[i]
	}
	return value.Brightness(binary.LittleEndian.Uint32(a.Bytes[4*i:]))
}

// printTerm shows a result.
func printTerm(w io.Writer, r *Result, on Screen) error {
	if err := checkTerm(r.Array); err != nil {
		return err
	}
	p := asPicture(r.Array).shrunk(cmp.Or(on.Columns, termColumns))
	out := bufio.NewWriter(w)
	for y := 0; y < p.height; y += 2 {
		if on.Blocks {
			p.writeBlocks(out, y)
		} else {
			p.writeRamp(out, y)
		}
	}
	return out.Flush()
}

// shrunk is the picture in at most wide columns: every n-th pixel of every n-th row.
func (p picture) shrunk(wide int) picture {
	n := (p.width + wide - 1) / wide
	if n <= 1 {
		return p
	}
	whole := p
	p.width, p.height = (p.width+n-1)/n, (p.height+n-1)/n
	p.at = func(x, y int) [3]byte { return whole.at(x*n, y*n) }
	return p
}

// below is the pixel under (x, y), black under the last row.
func (p picture) below(x, y int) [3]byte {
	if y+1 < p.height {
		return p.at(x, y+1)
	}
	return [3]byte{}
}

// writeBlocks writes two rows of pixels as upper half blocks: foreground above, background below.
func (p picture) writeBlocks(out *bufio.Writer, y int) {
	for x := range p.width {
		a, b := p.at(x, y), p.below(x, y)
		fmt.Fprintf(out, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", a[0], a[1], a[2], b[0], b[1], b[2])
	}
	fmt.Fprint(out, "\x1b[0m\n")
}

// writeRamp writes two rows of pixels by their mean. Blanks at the end of a line stay: lines are
// equally long.
func (p picture) writeRamp(out *bufio.Writer, y int) {
	for x := range p.width {
		sum, n := luma(p.at(x, y)), 1
		if y+1 < p.height {
			sum, n = sum+luma(p.at(x, y+1)), 2
		}
		out.WriteByte(termRamp[sum*len(termRamp)/(256*n)])
	}
	out.WriteByte('\n')
}

// luma weighs the channels as Rec. 601 does, in 256ths.
func luma(c [3]byte) int { return (77*int(c[0]) + 150*int(c[1]) + 29*int(c[2])) >> 8 }
