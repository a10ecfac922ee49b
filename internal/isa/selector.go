package isa

// This file holds the parts of a register that an operand of a video instruction may select
// (9.7.18): bytes and half-words, and lists of them.

import (
	"fmt"
	"strings"
)

// SelectorSet is a set of selectors. The notation gives the last one: .b3 is .b0 to .b3, .h33 two
// half-words, each of 0 to 3; of a mask the digits fall, so .h10 is .h0, .h1 and .h10.
type SelectorSet struct {
	last string
	mask bool
}

// selectorSets reads selectors joined by |.
func selectorSets(word string, mask bool) ([]SelectorSet, error) {
	var all []SelectorSet
	for last := range strings.SplitSeq(word, "|") {
		if len(last) < 3 || last[0] != '.' || strings.Trim(last[2:], "01234567") != "" {
			return nil, fmt.Errorf("%q selects no part of a register", last)
		}
		all = append(all, SelectorSet{last, mask})
	}
	return all, nil
}

// has reports whether a selector, with its point, is in the set.
func (set SelectorSet) has(word string) bool {
	if len(word) < 3 || word[:2] != set.last[:2] {
		return false
	}
	digits, last := word[2:], set.last[2:]
	if set.mask {
		return falling(digits) && digits[0] <= last[0]
	}
	for i := range len(digits) {
		if i >= len(last) || digits[i] < '0' || digits[i] > last[i] {
			return false
		}
	}
	return len(digits) == len(last)
}

// falling reports whether digits fall.
func falling(digits string) bool {
	for i := range len(digits) {
		if digits[i] < '0' || i > 0 && digits[i] >= digits[i-1] {
			return false
		}
	}
	return true
}

// At returns a selector of the set: each number below the size of the set names another one.
func (set SelectorSet) At(n int) string {
	word := []byte(set.last[:2])
	for i, last := range []byte(set.last[2:]) {
		choices := int(last-'0') + 1
		if set.mask {
			choices = 2
		}
		switch pick := n % choices; {
		case !set.mask:
			word = append(word, '0'+byte(pick))
		case pick == 1 || i == len(set.last)-3 && len(word) == 2: // at least one digit
			word = append(word, last)
		}
		n /= choices
	}
	return string(word)
}

func (set SelectorSet) String() string {
	if set.mask {
		return set.last + " or fewer"
	}
	return set.last[:2] + strings.Repeat("0", len(set.last)-2) + " to " + set.last
}

// TakesSelectors reports whether an instruction with these tokens selects parts of registers, or
// takes their negative.
func (t *ISA) TakesSelectors(tokens []string) bool {
	op, _ := t.findOpcode(tokens)
	if op == nil {
		return false
	}
	for _, id := range op.ids {
		for _, l := range t.Entry(id).lines {
			for i := range l.kinds {
				if l.kinds[i].selectors != nil || l.kinds[i].minus {
					return true
				}
			}
		}
	}
	return false
}

// misfitSelector: a selector, or a minus, stands only where the form has them.
func (k *kindSpec) misfitSelector(s *Shape) misfit {
	if s.Minus && (!k.minus || s.Type.Kind() == Packed) {
		return wrongSelector
	}
	if s.Selector == "" {
		return fits
	}
	for _, set := range k.selectors {
		if set.has(s.Selector) {
			return fits
		}
	}
	return wrongSelector
}
