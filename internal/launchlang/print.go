package launchlang

// This file prints result buffers.

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxPrinted is how many values of a buffer are shown; longer ones are cut in the middle.
const maxPrinted = 64

// PrintArray writes a result buffer: `name f32[8] = [0 0.5 …]`, or a hex dump
// where the buffer has no type.
func PrintArray(w io.Writer, name string, a Array) error {
	if a.Shape == nil {
		_, err := fmt.Fprintf(w, "%s bytes[%d]\n%s", name, len(a.Bytes), hexDump(a.Bytes))
		return err
	}
	extents := make([]string, len(a.Shape))
	for i, n := range a.Shape {
		extents[i] = fmt.Sprint(n)
	}
	head := fmt.Sprintf("%s %s[%s] = ", name, a.Type.Name(), strings.Join(extents, "x"))
	if len(a.Shape) > 1 && a.count() > 0 {
		return a.printRows(w, head)
	}
	_, err := fmt.Fprintf(w, "%s[%s]\n", head, strings.Join(a.words(), " "))
	return err
}

// maxSide is how many rows, and values of a row, are shown; more are cut in the middle.
const maxSide = 16

// printRows writes an array of several dimensions, a line for each row of the last, in columns.
func (a Array) printRows(w io.Writer, head string) error {
	n := a.Shape[len(a.Shape)-1]
	rows := a.count() / n
	var lines [][]string
	var widths []int
	for i := range rows {
		if rows > maxSide && i >= maxSide/2 && i < rows-maxSide/2 {
			continue
		}
		line := a.rowWords(i*n, n)
		for k, word := range line {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], utf8.RuneCountInString(word))
		}
		lines = append(lines, line)
	}
	var b strings.Builder
	b.WriteString(head + "[\n")
	for i, line := range lines {
		if rows > maxSide && i == maxSide/2 {
			fmt.Fprintf(&b, "  … %d more rows …\n", rows-maxSide)
		}
		for k, word := range line {
			indent := 1
			if k == 0 {
				indent = 2
			}
			fmt.Fprintf(&b, "%*s%s", indent+widths[k]-utf8.RuneCountInString(word), "", word)
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// rowWords formats n values, cut in the middle.
func (a Array) rowWords(from, n int) []string {
	if n <= maxSide {
		return a.formatRange(nil, from, from+n)
	}
	line := a.formatRange(nil, from, from+maxSide/2)
	return a.formatRange(append(line, fmt.Sprintf("… %d …", n-maxSide)), from+n-maxSide/2, from+n)
}

// words formats the values with the shortest digits that read back, at most
// maxPrinted of them and an ellipsis that says how many are left out.
func (a Array) words() []string {
	n := a.count()
	if n <= maxPrinted {
		return a.formatRange(nil, 0, n)
	}
	head := a.formatRange(nil, 0, maxPrinted/2)
	head = append(head, fmt.Sprintf("… %d more …", n-maxPrinted))
	return a.formatRange(head, n-maxPrinted/2, n)
}

func (a Array) formatRange(out []string, from, to int) []string {
	size := a.Type.Size()
	for i := from; i < to; i++ {
		out = append(out, a.Type.Format(a.Bytes[i*size:(i+1)*size]))
	}
	return out
}

// hexDump shows raw bytes as hex.Dump does, cut in the middle beyond 64 lines.
func hexDump(data []byte) string {
	const line, lines = 16, 64
	if len(data) <= line*lines {
		return hex.Dump(data)
	}
	tail := len(data) - line*lines/2
	tail -= tail % line
	cut := tail - line*lines/2
	return hex.Dump(data[:line*lines/2]) + fmt.Sprintf("… %d more bytes …\n", cut) + offsetDump(data[tail:], tail)
}

// offsetDump is hex.Dump with addresses that start at base, a multiple of 16.
func offsetDump(data []byte, base int) string {
	var b strings.Builder
	for line := range strings.Lines(hex.Dump(data)) {
		if len(line) < 10 { // the last line of hex.Dump may be a lone offset
			continue
		}
		var offset int
		fmt.Sscanf(line[:8], "%x", &offset)
		fmt.Fprintf(&b, "%08x%s", base+offset, line[8:])
	}
	return b.String()
}
