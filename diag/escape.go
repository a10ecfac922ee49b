package diag

// This file makes input text safe to print: a PTX file must not drive the terminal.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// Escape returns s with control characters, invalid UTF-8 and invisible format
// characters written as \xNN or \u{…}; tabs and line breaks count as control characters.
func Escape(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		appendEscaped(&b, s[:n], r)
		s = s[n:]
	}
	return b.String()
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

func appendEscaped(b *strings.Builder, raw string, r rune) {
	switch {
	case r == utf8.RuneError && len(raw) == 1, r < ' ', r == 0x7f:
		b.WriteString(`\x`)
		b.WriteByte(hexDigits[raw[0]>>4])
		b.WriteByte(hexDigits[raw[0]&15])
	case !unicode.IsPrint(r):
		b.WriteString(`\u{`)
		writeHex(b, uint32(r))
		b.WriteByte('}')
	default:
		b.WriteString(raw)
	}
}

func writeHex(b *strings.Builder, v uint32) {
	if v >= 16 {
		writeHex(b, v>>4)
	}
	b.WriteByte(hexDigits[v&15])
}
