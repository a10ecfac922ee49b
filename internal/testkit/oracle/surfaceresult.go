package main

// What came of one question: a fault, or the components that were read, or the bytes of the
// array that have changed.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// result is comparable: two are equal if nothing tells them apart.
type result struct {
	fault bool
	read  string // bytes
	image string // bytes of the array afterwards
}

// write tells a result as the case has it.
func (r result) write(c *surfaceCase) string {
	switch {
	case r.fault:
		return "fault"
	case !c.store && r.image == string(vec.Pattern(len(r.image))):
		return r.components(c.access)
	case !c.store:
		return r.components(c.access) + ", and changes " + r.changes()
	}
	if text := r.changes(); text != "" {
		return text
	}
	return "nothing"
}

// components writes what a load has read, a register each.
func (r result) components(a *access) string {
	var words []string
	for i := range a.count {
		var word [8]byte
		copy(word[:], r.read[i*a.bits/8:(i+1)*a.bits/8])
		words = append(words, fmt.Sprintf("0x%0*x", a.bits/4, binary.LittleEndian.Uint64(word[:])))
	}
	return strings.Join(words, " ")
}

// changes writes the runs of bytes that differ from the array's first contents: @12 41 42.
func (r result) changes() string {
	var words []string
	before, open := vec.Pattern(len(r.image)), false
	for i := range before {
		differs := r.image[i] != before[i]
		if differs && !open {
			words = append(words, fmt.Sprintf("@%d", i))
		}
		if differs {
			words = append(words, fmt.Sprintf("%02x", r.image[i]))
		}
		open = differs
	}
	return strings.Join(words, " ")
}

// poison is what the room for components holds at first.
func poison() []byte { return bytes.Repeat([]byte{0xcc}, outBytes) }
