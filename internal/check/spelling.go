package check

// This file resolves opcodes and modifiers. Real modules use few distinct sequences of words, so each is
// resolved once.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// spelled is what one sequence of opcode and modifiers means.
type spelled struct {
	tokens   []string // as written
	suffix   string   // of an address operand: the .unified of [a].unified
	readings *isa.Forms

	inMemory bool // it reads or writes memory
	inBranch bool
	inCall   bool // its operands in parentheses are lists
}

// formCache remembers what was resolved.
type formCache struct {
	file  *syntax.File
	known map[uint64]*cachedForms
	near  [256]*cachedForms // by the low bits of the key: the last one found
}

// cachedForms is what one sequence of words resolved to.
type cachedForms struct {
	key   uint64
	first *syntax.Instruction // that has it
	spelled
	steady   bool // the kinds of the operands decide alone
	accepted accepted
}

// find returns what the words of s resolved to, nil if they were not met yet, and their key.
func (f *formCache) find(s *syntax.Instruction) (*cachedForms, uint64) {
	key := uint64(f.file.Word(s.Opcode))
	for _, m := range s.Mods {
		key = (key ^ key>>32 ^ uint64(f.file.Word(m))) * 0x9e3779b97f4a7c15
	}
	near := &f.near[key>>56]
	if *near == nil || (*near).key != key {
		hit := f.known[key]
		if hit == nil {
			return nil, key
		}
		*near = hit
	}
	if f.same((*near).first, s) {
		return *near, key
	}
	return nil, key
}

// same reports whether two instructions are spelled alike, but for their operands.
func (f *formCache) same(a, b *syntax.Instruction) bool {
	if len(a.Mods) != len(b.Mods) || f.file.Word(a.Opcode) != f.file.Word(b.Opcode) || f.file.Word(a.Suffix) != f.file.Word(b.Suffix) {
		return false
	}
	for i := range a.Mods {
		if f.file.Word(a.Mods[i]) != f.file.Word(b.Mods[i]) {
			return false
		}
	}
	return true
}

// add remembers what the words of s mean.
func (f *formCache) add(key uint64, s *syntax.Instruction, means spelled) *cachedForms {
	if f.known == nil {
		f.known = map[uint64]*cachedForms{}
	}
	c := &cachedForms{key: key, first: s, spelled: means, steady: means.readings.Steady()}
	f.known[key] = c
	return c
}

// spelling resolves opcode and modifiers.
func (c *checker) spelling(s *syntax.Instruction) *cachedForms {
	hit, key := c.forms.find(s)
	if hit == nil {
		hit = c.forms.add(key, s, c.resolveForms(s))
	}
	return hit
}

func (c *checker) resolveForms(s *syntax.Instruction) spelled {
	tokens := make([]string, 0, len(s.Mods)+1)
	tokens = append(tokens, c.text(s.Opcode))
	for _, m := range s.Mods {
		tokens = append(tokens, c.text(m))
	}
	out := spelled{tokens: tokens, suffix: c.text(s.Suffix)}
	out.readings = c.isa.Forms(tokens, out.suffix)
	if e := out.readings.Entry(); e != nil {
		out.inCall, out.inBranch = e.Effects.Has(isa.Calls), e.Effects.Has(isa.Branches)
		out.inMemory = e.Effects.Has(isa.Reads | isa.Writes)
	}
	return out
}
