package tensor

// This file flushes the elements of maps whose type says so.

import (
	"encoding/binary"
	"strings"

	"ptxvm.invalid/ptxvm/internal/num"
)

// Flushing says where subnormal elements of types with .ftz become zero (assumption U70).
type Flushing uint8

// The ways.
const (
	FlushBoth  Flushing = iota // in boxes that are loaded, and in those that are stored or combined
	FlushLoads                 // in those that are loaded alone
	FlushNone
)

// Flushes reports whether a copy with the map flushes its box, which it loads, or else stores.
func (m *Map) Flushes(f Flushing, load bool) bool {
	return strings.HasSuffix(m.Type.info().name, ".ftz") && (f == FlushBoth || f == FlushLoads && load)
}

// Flush makes the subnormal elements of a dense box, of 32 bits each, zeros of their sign.
func Flush(box []byte) {
	for ; len(box) >= 4; box = box[4:] {
		binary.LittleEndian.PutUint32(box, num.FtzF32(binary.LittleEndian.Uint32(box)))
	}
}
