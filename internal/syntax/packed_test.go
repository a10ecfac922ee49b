package syntax

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
)

// TestPackedBytes: which lines of bytes become one token, and which stay as they are.
func TestPackedBytes(t *testing.T) {
	for lines, want := range map[string]string{
		".b8 0\n":                            "0",
		".b8 1,22,255,100\n":                 "1,22,255,100",
		".b8 1\n.b8 2,3\n.b8 4\n":            "1\n.b8 2,3\n.b8 4",
		".b8 1\n.b8 256\n.b8 3\n":            "1|3",
		".b8 1\n.b8 2, 3\n":                  "1",
		".b8 1 \n.b8 2\n":                    "2",
		".b8 1\n.b16 2\n.b8 3,4\n":           "1|3,4",
		".b8 1\nlabel:\n.b8 3\n":             "1|3",
		".b8 1,\n2\n":                        "",
		".b8 1,02\n.b8 00\n.b8 007\n":        "",
		".b8 0x1\n.b8 1U\n.b8 1+1\n.b8 -1\n": "",
		".b8 999\n.b8 1000\n.b8 1.5\n":       "",
		".b16 1\n.b8\t7\n":                   "7",
	} {
		f := parse(nil, diag.NewSource("packed.ptx", []byte(".version 9.0\n.target sm_90\n.section .debug_str {\n"+lines+"}\n// the end of the text")), true)
		checkInvariants(t, f)
		if have := packedTexts(f, Data); have != want {
			t.Errorf("%q is packed to %q, want %q", lines, have, want)
		}
	}
}

func packedTexts(f *File, kind Kind) string {
	var texts []string
	for i := range f.Tokens {
		if t := TokenID(i); f.Kind(t) == kind {
			texts = append(texts, f.Text(t))
		}
	}
	return strings.Join(texts, "|")
}

// TestPackedLocs: which .loc lines become one token, and what they say.
func TestPackedLocs(t *testing.T) {
	for line, want := range map[string]string{
		"1 2 3":              "{1 2 3} {0 0 0}",
		"0 1234567 89":       "{0 1234567 89} {0 0 0}",
		"1 2 3   // comment": "{1 2 3} {0 0 0}",
		"1 2 3, function_name $a, inlined_at 40 50 60":                   "{1 2 3}$a {40 50 60}",
		"1 2 3, function_name $L__info_string19, inlined_at 40 50 60   ": "{1 2 3}$L__info_string19 {40 50 60}",
		"1 2 12345678": "",
		"1 2 03":       "",
		"1 2  3":       "",
		"1 2 3;":       "",
		"1 2 3 , function_name $a, inlined_at 4 5 6":        "",
		"1 2 3, function_name $a+1, inlined_at 4 5 6":       "",
		"1 2 3, function_name $, inlined_at 4 5 6":          "",
		"1 2 3, function_name .debug_str, inlined_at 4 5 6": "",
		"1 2 3, function_name $a, inlined_at 4 5":           "",
		"1 2 3, inlined_at 4 5 6":                           "",
		"1 2":                                               "",
	} {
		f := parse(nil, diag.NewSource("packed.ptx", []byte(".version 9.0\n.target sm_90\n.entry k() {\n.loc\t"+line+"\nret;\n}\n// the end of the text")), true)
		checkInvariants(t, f)
		have := ""
		if f.packed {
			l := f.arena.packedLocs[0]
			have = fmt.Sprint(l.At, f.Words[l.Function]+" ", l.Caller)
		}
		if have != want {
			t.Errorf("%q says %q, want %q", line, have, want)
		}
	}
}

// TestPackedErrors: where a packed line does not go on as it should, the file is parsed again whole.
func TestPackedErrors(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.section .debug_str {\n.b8 1,2\n}\n// the end\n"
	if f := ParsePacked("good.ptx", []byte(text)); !f.Packed() || len(f.Errors) > 0 {
		t.Errorf("packed %v, %v", f.Packed(), f.Errors)
	}
	for _, bad := range []string{"add.s32\n.b8 7\n;", ".loc 1 2 3\n", ".entry k() { .loc 1 2 3\n, function_name $a, inlined_at 1 2 3\n}"} {
		f, whole := ParsePacked("bad.ptx", []byte(text+bad)), Parse("bad.ptx", []byte(text+bad))
		if f.Packed() || fmt.Sprint(f.Errors) != fmt.Sprint(whole.Errors) {
			t.Errorf("%q: packed %v, %v; want %v", bad, f.Packed(), f.Errors, whole.Errors)
		}
	}
}

// TestDigits holds the numbers of eight bytes to those read digit by digit.
func TestDigits(t *testing.T) {
	for _, text := range []string{"0,000000", "7\n.b8 123", "12345678", "00000000", "99999999", "1234567 ", "255,1,2,", "/1234567", ":1234567",
		"1/345678", "12:45678", "123\xb9\xb91xx", "1234\x80000", "90\xff\xff\xff\xff\xff\xff", "5\x00111111"} {
		n, value := 0, uint64(0)
		for ; n < 8 && text[n] >= '0' && text[n] <= '9'; n++ {
			value = 10*value + uint64(text[n]-'0')
		}
		word := load64(text)
		if have := digits(word); have != n || n > 0 && decimal(word, n) != value {
			t.Errorf("%q has %d digits, which are %d; want %d and %d", text, have, decimal(word, max(n, 1)), n, value)
		}
	}
}
