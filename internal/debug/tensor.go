package debug

// This file reads tensor memory of the CTA in focus, by lane and column.

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm/internal/tensor"
)

// tensorSpace is how expressions call it. A Home there has the address of a word (9.7.16.1.1: the lane in the upper half, the column in the
// lower one) times tensorWord, so that bytes of a row follow each other.
const (
	tensorSpace = "tmem"
	tensorWord  = 4
)

// errTensor is what tmem alone answers.
var errTensor = errors.New("tmem has lanes and columns: tmem[3][16] is a word, tmem[3] a lane, [tmem %r1]:f32 the word at an address; info cuda tmem shows what is allocated.")

// isTensor reports whether a name means tensor memory, and nothing of the program.
func (c *evaluation) isTensor(name string) bool {
	_, variable := c.variable(name)
	_, parameter := c.parameter(name)
	return name == tensorSpace && !variable && !parameter
}

// tensorLane is the columns of a lane.
func (c *evaluation) tensorLane(at node) (Value, error) {
	if c.Warp == nil {
		return Value{}, ErrNotRunning
	}
	v, err := at.eval(c)
	lane := v.integer()
	switch {
	case err != nil:
		return v, err
	case lane < 0 || lane >= tensor.Lanes:
		return v, fmt.Errorf("Tensor memory has lanes 0 to %d, not %d.", tensor.Lanes-1, lane)
	}
	home := &Home{Space: tensorSpace, Addr: uint64(tensor.At(int(lane), 0)) * tensorWord, Lane: c.lane}
	return Value{Type: bitsOf(32), Count: int(c.Warp.Tensor().Width), Home: home}, nil
}

// tensorRow is the words that hold n bytes from an address on.
func (s *Scope) tensorRow(addr uint64, n int) ([]uint32, error) {
	if s.Warp == nil {
		return nil, ErrNotRunning
	}
	word := tensor.Addr(addr / tensorWord)
	words := (int(addr%tensorWord) + n + tensorWord - 1) / tensorWord
	if addr/tensorWord > 1<<32-1 {
		return nil, &MemoryError{tensorSpace, addr / tensorWord, "want lane<<16 | column"}
	}
	t := s.Warp.Tensor()
	if err := t.Check(word.Lane(), 1, word.Column(), max(words, 1)); err != nil {
		return nil, &MemoryError{tensorSpace, uint64(word), err.Error()}
	}
	return t.Row(word.Lane(), word.Column(), words), nil
}

func (s *Scope) readTensor(addr uint64, n int) ([]byte, error) {
	row, err := s.tensorRow(addr, n)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, w := range row {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out[addr%tensorWord:][:n], nil
}

func (s *Scope) writeTensor(addr uint64, data []byte) error {
	row, err := s.tensorRow(addr, len(data))
	for i, b := range data {
		if err == nil {
			at := int(addr%tensorWord) + i
			shift := at % tensorWord * 8
			row[at/tensorWord] = row[at/tensorWord]&^(0xff<<shift) | uint32(b)<<shift
		}
	}
	return err
}

// Scale is how many bytes lie between two addresses of a space that follow each other.
func Scale(space string) uint64 {
	if space == tensorSpace {
		return tensorWord
	}
	return 1
}
