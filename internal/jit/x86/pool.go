package x86

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// pool holds the constants that will stand behind the code. Equal ones are kept once.
type pool struct {
	bytes []byte
	align int
	found map[string]Label // the logarithm of the alignment in a byte, then the constant
	key   []byte
}

func (p *pool) reset() {
	p.bytes, p.align = p.bytes[:0], 0
	clear(p.found)
}

// Const32 returns the place of a constant of 4 bytes behind the code.
func (a *Asm) Const32(v uint32) Mem {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	return a.ConstRow(b[:], 4)
}

// Const64 returns the place of a constant of 8 bytes behind the code.
func (a *Asm) Const64(v uint64) Mem {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	return a.ConstRow(b[:], 8)
}

// Const128 returns the place of a constant of 16 bytes, low half first, behind the code.
func (a *Asm) Const128(low, high uint64) Mem {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], low)
	binary.LittleEndian.PutUint64(b[8:], high)
	return a.ConstRow(b[:], 16)
}

// ConstRow returns the place of row, aligned to align bytes (a power of two), behind the code.
func (a *Asm) ConstRow(row []byte, align int) Mem {
	p := &a.pool
	if bits.OnesCount(uint(align)) != 1 {
		a.fail("an alignment of %d is no power of two", align)
		align = 1
	}
	p.key = append(append(p.key[:0], byte(bits.Len(uint(align)))), row...)
	if l, ok := p.found[string(p.key)]; ok {
		return AtLabel(l)
	}
	for len(p.bytes)&(align-1) != 0 {
		p.bytes = append(p.bytes, 0)
	}
	l := a.NewLabel()
	a.labels[l-1] = poolBase - int32(len(p.bytes))
	p.bytes, p.align = append(p.bytes, row...), max(p.align, align)
	if p.found == nil {
		p.found = map[string]Label{}
	}
	p.found[string(p.key)] = l
	return AtLabel(l)
}

// append puts the pool behind a's code, as far behind as its alignment wants, and returns where
// it starts.
func (p *pool) append(a *Asm) int32 {
	if len(p.bytes) == 0 {
		return int32(len(a.buf))
	}
	if a.listing != nil {
		a.listing.add(len(a.buf), fmt.Sprintf(".balign %d, 0xcc", p.align))
	}
	for len(a.buf)&(p.align-1) != 0 {
		a.buf = append(a.buf, 0xcc) // int3: nothing runs into constants
	}
	start := len(a.buf)
	a.buf = append(a.buf, p.bytes...)
	if a.listing != nil {
		p.list(a, start)
	}
	return int32(start)
}

// list puts the constants, which stand at start, into the listing, four bytes or one at a time.
func (p *pool) list(a *Asm, start int) {
	at := map[int]Label{}
	for i, place := range a.labels {
		if place <= poolBase {
			at[int(poolBase-place)] = Label(i + 1)
		}
	}
	for i := 0; i < len(p.bytes); {
		if l := at[i]; l != 0 {
			a.listing.add(start+i, l.String()+":")
		}
		n := 1
		for n < 4 && i+n < len(p.bytes) && at[i+n] == 0 {
			n++
		}
		a.listing.add(start+i, dataText(p.bytes[i:i+n]))
		i += n
	}
}

// dataText returns bytes as a directive: a word of four, or single ones.
func dataText(b []byte) string {
	if len(b) == 4 {
		return fmt.Sprintf(".long %#x", binary.LittleEndian.Uint32(b))
	}
	text := fmt.Sprintf(".byte %#x", b[0])
	for _, v := range b[1:] {
		text += fmt.Sprintf(", %#x", v)
	}
	return text
}
