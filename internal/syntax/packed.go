package syntax

// This file packs what fills much of a compiler's output and says little: lines of bytes in debugging sections, and
// .loc lines. Each becomes one token instead of dozens. A caller that only judges a module needs no more; one that prints it or
// makes code of it has it parsed whole. Only the shape that compilers write is packed, digit by digit: everything
// else is scanned as usual, and a module with syntax errors is parsed again as a whole.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/quota"
)

// ParsePacked is Parse for callers that judge a module and then drop it: the tree has [SectionLine]s without values that
// anything could be wrong with, and Locs with Packed.
func ParsePacked(name string, text []byte) *File { return ParsePackedWithin(nil, name, text) }

// ParsePackedWithin is ParsePacked with limits.
func ParsePackedWithin(q *quota.Quota, name string, text []byte) *File {
	f := parse(q, diag.NewSource(name, text), true)
	if len(f.Errors) > 0 && f.Packed() {
		f.Release()
		return ParseWithin(q, name, text)
	}
	return f
}

// Packed reports whether lines of the file were packed.
func (f *File) Packed() bool { return f.packed }

// PackedLoc is what stands behind .loc:
//
//	file line column {, function_name label, inlined_at file line column}
type PackedLoc struct {
	At       Place
	Function Word // WordNone if the code is not inlined
	Caller   Place
}

// Place is where code comes from.
type Place struct{ File, Line, Col uint32 }

// packedWord scans the rest of a line whose first token is a word, if it can be packed; the current position is
// behind the white space that follows the word.
func (s *scanner) packedWord(w Word) {
	switch w {
	case WordB8:
		s.data()
	case WordLoc:
		s.packedLoc()
	}
}

// ---- bytes

// data packs numbers of bytes, and lines of them that follow, up to the last that is nothing else.
func (s *scanner) data() {
	end := s.endOfBytes(s.pos)
	for next := end; next != 0; {
		if next = s.nextBytes(end); next != 0 {
			end = next
		}
	}
	if end != 0 {
		s.packedToken(Data, s.pos, end, 0)
	}
}

// nextBytes returns the end of the line of bytes that follows one that ends at a place, 0 if another line does.
func (s *scanner) nextBytes(end int) int {
	const line = "\n.b8 "
	if start := end + len(line); start < len(s.text) && s.text[end:start] == line {
		return s.endOfBytes(start)
	}
	return 0
}

// endOfBytes returns the end of a list of numbers from 0 to 255 that ends its line, 0 if something else stands there.
func (s *scanner) endOfBytes(at int) int {
	for at+8 <= len(s.text) {
		word := load64(s.text[at : at+8])
		n := digits(word)
		if n == 0 || n > 3 {
			return 0
		}
		value := decimal(word, n)
		if value > 255 || n > 1 && value < pow10[n-1] { // 010 is octal
			return 0
		}
		at += n
		switch s.text[at] {
		case '\n':
			return at
		case ',':
			at++
		default:
			return 0
		}
	}
	return 0
}

var pow10 = [...]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// digits counts the decimal digits at the beginning of eight bytes, the first in the low bits.
func digits(word uint64) int {
	low := word ^ '0'*eachByte // 0 to 9 for a digit
	other := (low + (0x80-10)*eachByte | low) & highBits
	return bits.TrailingZeros64(other) / 8
}

// decimal is the value of the first n digits of eight bytes, 1 to 8 of them.
func decimal(word uint64, n int) uint64 {
	word = (word ^ '0'*eachByte) << (64 - 8*n) // zeros in front
	word = (word*10 + word>>8) & 0x00ff00ff00ff00ff
	word = (word*100 + word>>16) & 0x0000ffff0000ffff
	return (word*10_000 + word>>32) & 0xffffffff
}

// ---- .loc

// packedLoc packs a line of numbers, or of numbers and the place that code is inlined at.
func (s *scanner) packedLoc() {
	if len(s.packedLocs) >= maxWord {
		return
	}
	var l PackedLoc
	end := s.place(s.pos, &l.At)
	if end == 0 {
		return
	}
	if s.at(end) == ',' {
		if end = s.packedInlined(end, &l); end == 0 {
			return
		}
	}
	if !s.endsLine(end) {
		return
	}
	s.packedLocs = append(s.packedLocs, l)
	s.packedToken(LocData, s.pos, end, Word(len(s.packedLocs)-1))
}

// endsLine reports whether nothing but white space, or what may be a comment, stands between a place and the end of its
// line.
func (s *scanner) endsLine(at int) bool {
	for s.at(at) == ' ' {
		at++
	}
	c := s.at(at)
	return c == '\n' || c == '/'
}

// packedInlined reads what stands between the first place and the end of the line; 0 is none.
func (s *scanner) packedInlined(at int, l *PackedLoc) (end int) {
	const function, inlinedAt = ", function_name ", ", inlined_at "
	start := at + len(function)
	if start >= len(s.text) || s.text[at:start] != function || classes[s.text[start]] != classMark {
		return 0
	}
	end = s.endOfName(start + 1)
	next := end + len(inlinedAt)
	if end == start+1 || next >= len(s.text) || s.text[end:next] != inlinedAt {
		return 0
	}
	if l.Function = s.words.intern(s.text, start, end); l.Function == 0 {
		return 0
	}
	return s.place(next, &l.Caller)
}

// place reads three numbers with a blank between; end is 0 if something else stands there.
func (s *scanner) place(at int, to *Place) (end int) {
	if to.File, at = s.packedNumber(at); at == 0 || s.at(at) != ' ' {
		return 0
	}
	if to.Line, at = s.packedNumber(at + 1); at == 0 || s.at(at) != ' ' {
		return 0
	}
	to.Col, at = s.packedNumber(at + 1)
	return at
}

// packedNumber reads a decimal number of at most seven digits; end is 0 if something else stands there.
func (s *scanner) packedNumber(at int) (n uint32, end int) {
	if at+8 > len(s.text) {
		return 0, 0
	}
	word := load64(s.text[at : at+8])
	d := digits(word)
	if d == 0 || d == 8 {
		return 0, 0
	}
	n = uint32(decimal(word, d))
	if d > 1 && uint64(n) < pow10[d-1] { // octal
		return 0, 0
	}
	return n, at + d
}

// packedToken ends what was packed.
func (s *scanner) packedToken(kind Kind, start, end int, payload Word) {
	s.pos = end
	t := makeToken(start, kind, payload)
	t.bits |= s.behind() << kindBits
	s.tokens = append(s.tokens, t)
	s.packed = true
}
