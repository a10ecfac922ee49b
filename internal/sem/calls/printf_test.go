package calls

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestPrintf compares conversions with what the C library printed for the same argument.
func TestPrintf(t *testing.T) {
	text, err := os.ReadFile("testdata/printf.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n")[1:] {
		f := strings.SplitN(line, "\t", 4)
		if got := format(t, f[0], f[1], f[2]); got != f[3] {
			t.Errorf("%s of %s %s is %q, want %q", f[0], f[1], f[2], got, f[3])
		}
	}
}

// format prints one argument as printer.convert does, without a kernel around it.
func format(t *testing.T, f, typ, value string) string {
	t.Helper()
	var p printer
	text, rest, _ := strings.Cut(f, "%")
	d, rest := p.parse(rest)
	verb, tail := rest[0], rest[1:]
	switch typ {
	case "double":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		return text + d.float(v, verb) + tail
	case "str":
		return text + d.pad(d.cut(value)) + tail
	}
	v, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		u, _ := strconv.ParseUint(value, 10, 64)
		v = int64(u)
	}
	switch verb {
	case 'c':
		return text + d.pad(string(rune(v))) + tail
	case 'd', 'i':
		return text + d.signed(d.cutInt(v)) + tail
	}
	return text + d.unsigned(v, verb) + tail
}

// TestPrintfIsBounded: no format makes a message grow without bound.
func TestPrintfIsBounded(t *testing.T) {
	var p printer
	for _, f := range []string{"999999999d", ".999999999f", "-99999999999999999999d"} {
		d, _ := p.parse(f)
		if d.width > maxField || d.precision > maxField {
			t.Errorf("%%%s: width %d, precision %d", f, d.width, d.precision)
		}
		if n := len(d.float(math.Pi, 'f')); n > 2*maxField+8 {
			t.Errorf("%%%s prints %d bytes", f, n)
		}
	}
}

// TestPrintfText: text before, between and behind directives stays; a lone % at the end
// prints itself.
func TestPrintfText(t *testing.T) {
	for f, want := range map[string]string{"a%%b%%c": "a%b%c", "%%": "%", "plain": "plain", "50%": "50%"} {
		var p printer
		p.format(f)
		if got := string(p.out); got != want {
			t.Errorf("%q prints %q, want %q", f, got, want)
		}
	}
}
