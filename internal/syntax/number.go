package syntax

// This file scans numeric literals (4.5.1, 4.5.2).

import (
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// number scans a literal that begins with a digit. A malformed one is reported and
// taken whole, so that the statement around it still parses.
func (s *scanner) number() (Kind, Word) {
	start := s.pos
	if s.text[start] == '0' {
		switch s.at(start+1) | 0x20 {
		case 'x':
			return s.prefixed(Int, hexDigits, 0), 0
		case 'b':
			return s.prefixed(Int, "01", 0), 0
		case 'f':
			return s.prefixed(HexFloat, hexDigits, 8), 0
		case 'd':
			return s.prefixed(HexFloat, hexDigits, 16), 0
		}
	}
	return s.decimal(start)
}

const hexDigits = "0123456789abcdefABCDEF"

// prefixed scans 0 and a letter, then digits: exactly want of them, or any number and
// an optional suffix U if want is 0.
func (s *scanner) prefixed(kind Kind, digits string, want int) Kind {
	start := s.pos
	s.pos = s.endOfName(start + 2)
	body := s.text[start+2 : s.pos]
	if want == 0 {
		body = strings.TrimSuffix(body, "U")
	}
	if n := len(body); strings.Trim(body, digits) != "" || n == 0 || want != 0 && n != want {
		s.badNumber(start, want)
	}
	return kind
}

// decimal scans decimal and octal integers and floats.
func (s *scanner) decimal(start int) (Kind, Word) {
	n, i := 0, start
	for ; i < len(s.text) && classes[s.text[i]] == classDigit; i++ {
		n = min(10*n+int(s.text[i]-'0'), maxWord)
	}
	if c := s.at(i); (s.text[start] != '0' || i == start+1) && c != '.' && !follows(c) {
		s.pos = i
		return Int, small(n)
	}
	kind := Int
	if s.at(i) == '.' {
		kind, i = Float, s.endOfDigits(i+1)
	}
	if end := s.endOfExponent(i); end > i {
		kind, i = Float, end
	}
	ok := kind == Float || s.octalOK(start, i)
	if kind == Int && s.at(i) == 'U' {
		i++
	}
	s.pos = s.endOfName(i)
	if !ok || s.pos != i {
		s.badNumber(start, 0)
	}
	return kind, 0
}

// octalOK reports whether digits that begin with 0 are octal.
func (s *scanner) octalOK(start, end int) bool {
	return s.text[start] != '0' || !strings.ContainsAny(s.text[start:end], "89")
}

func (s *scanner) endOfDigits(i int) int {
	for i < len(s.text) && classes[s.text[i]] == classDigit {
		i++
	}
	return i
}

// endOfExponent returns the end of an exponent at i, or i if there is none.
func (s *scanner) endOfExponent(i int) int {
	if s.at(i)|0x20 != 'e' {
		return i
	}
	j := i + 1
	if c := s.at(j); c == '+' || c == '-' {
		j++
	}
	if end := s.endOfDigits(j); end > j {
		return end
	}
	return i
}

func (s *scanner) badNumber(start, want int) {
	text := quote(s.text[start:s.pos])
	if want != 0 {
		s.errorf(start, diag.BadNumber, "an exact float needs %d hexadecimal digits, %s has %d", want, text, s.pos-start-2)
		return
	}
	s.errorf(start, diag.BadNumber, "malformed number %s", text)
}
