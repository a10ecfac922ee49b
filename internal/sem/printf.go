package sem

// vprintf: the kernel's printf. The arguments stand in a buffer, each at its natural alignment,
// as variadic functions of C pass them: nothing smaller than 32 bits, floats as f64.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ptxvm/internal/machine"
)

func assertText(text [3]string, line uint64) string {
	return fmt.Sprintf("%s:%d: %s: assertion `%s' failed", text[1], line, text[2], text[0])
}

// vprintf prints lane by lane, each message whole, and returns the number of arguments.
func vprintf(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	return perLane(w, func(lane int) machine.State {
		format, st := readString(w, in, c.arg(w, 0, lane))
		if st != machine.Next {
			return st
		}
		p := printer{w: w, in: in, at: c.arg(w, 1, lane)}
		if st := p.format(format); st != machine.Next {
			return st
		}
		c.give(w, lane, uint64(p.count))
		if out := w.Launch().Output; out != nil {
			if fits, _ := out.Print([]byte(p.out.String())); !fits {
				return w.Fault(in, &machine.Fault{Kind: machine.OutputLimit, Lanes: w.Mask})
			}
		}
		return machine.Next
	})
}

// printer formats one message.
type printer struct {
	w     *machine.Warp
	in    *machine.Inst
	at    uint64 // of the next argument
	count int
	out   strings.Builder
	st    machine.State
}

// next reads an argument of 4 or 8 bytes.
func (p *printer) next(size uint64) uint64 {
	p.at = (p.at + size - 1) &^ (size - 1)
	v, st := readGeneric(p.w, p.in, p.at, uint32(size))
	if st != machine.Next {
		p.st = st
	}
	p.at += size
	p.count++
	return v
}

func (p *printer) format(f string) machine.State {
	for p.st == machine.Next {
		text, rest, found := strings.Cut(f, "%")
		p.out.WriteString(text)
		if !found {
			break
		}
		f = p.directive(rest)
	}
	return p.st
}

// directive is one conversion of a format: %[flags][width][.precision][length]verb.
type directive struct {
	flags     string
	width     int
	precision int // -1: none
	long      bool
	half      int // 1: h, 2: hh
}

// directive formats what follows a % and returns the rest.
func (p *printer) directive(f string) string {
	d, f := p.parse(f)
	if f == "" {
		p.out.WriteByte('%')
		return f
	}
	p.convert(&d, f[0])
	return f[1:]
}

// parse reads flags, width, precision and length.
func (p *printer) parse(f string) (directive, string) {
	n := len(f) - len(strings.TrimLeft(f, "-+ #0"))
	d := directive{flags: f[:n], precision: -1}
	d.width, f = p.number(f[n:])
	if d.width < 0 {
		d.flags, d.width = d.flags+"-", -d.width
	}
	if strings.HasPrefix(f, ".") {
		if d.precision, f = p.number(f[1:]); d.precision < 0 {
			d.precision = -1
		}
	}
	for f != "" && strings.ContainsRune("hljztL", rune(f[0])) {
		if f[0] == 'h' {
			d.half++
		} else {
			d.long = f[0] != 'L'
		}
		f = f[1:]
	}
	return d, f
}

// maxField bounds widths and precisions: more is a mistake of the kernel.
const maxField = 1 << 12

// number reads digits or a *.
func (p *printer) number(f string) (int, string) {
	if strings.HasPrefix(f, "*") {
		return min(max(int(int32(p.next(4))), -maxField), maxField), f[1:]
	}
	n := len(f) - len(strings.TrimLeft(f, "0123456789"))
	v, _ := strconv.Atoi(f[:n]) // 0 of no digits, the largest int of too many
	return min(v, maxField), f[n:]
}

// convert formats one argument.
func (p *printer) convert(d *directive, verb byte) {
	switch verb {
	case '%':
		p.out.WriteByte('%')
	case 'd', 'i':
		p.out.WriteString(d.signed(p.integer(d)))
	case 'u', 'x', 'X', 'o':
		p.out.WriteString(d.unsigned(p.integer(d), verb))
	case 'c':
		p.out.WriteString(d.pad(string([]byte{byte(p.next(4))})))
	case 's':
		p.out.WriteString(d.pad(d.cut(p.text())))
	case 'p':
		p.out.WriteString(d.pad("0x" + strconv.FormatUint(p.next(8), 16)))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		p.out.WriteString(d.float(math.Float64frombits(p.next(8)), verb))
	default: // as CUDA does, what is no conversion is printed as it stands
		p.out.WriteByte('%')
		p.out.WriteByte(verb)
	}
}

// integer reads an integer argument, sign-extended by its length.
func (p *printer) integer(d *directive) int64 {
	if d.long {
		return int64(p.next(8))
	}
	return d.cutInt(int64(int32(p.next(4))))
}

// cutInt cuts an int to the shorter length that the directive gives it.
func (d *directive) cutInt(v int64) int64 {
	switch d.half {
	case 1:
		return int64(int16(v))
	case 2:
		return int64(int8(v))
	}
	return v
}

func (p *printer) text() string {
	addr := p.next(8)
	if addr == 0 {
		return "(null)"
	}
	s, st := readString(p.w, p.in, addr)
	if st != machine.Next {
		p.st = st
	}
	return s
}

// mask cuts an integer to its length.
func (d *directive) mask(v int64) uint64 {
	switch {
	case d.long:
		return uint64(v)
	case d.half == 1:
		return uint64(uint16(v))
	case d.half > 1:
		return uint64(uint8(v))
	}
	return uint64(uint32(v))
}

func (d *directive) has(flag string) bool { return strings.Contains(d.flags, flag) }

func (d *directive) cut(s string) string {
	if d.precision >= 0 && d.precision < len(s) {
		return s[:d.precision]
	}
	return s
}

func (d *directive) signed(v int64) string {
	sign := ""
	switch {
	case v < 0:
		sign = "-"
	case d.has("+"):
		sign = "+"
	case d.has(" "):
		sign = " "
	}
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	return d.digits(sign, strconv.FormatUint(u, 10), v == 0)
}

func (d *directive) unsigned(v int64, verb byte) string {
	u, prefix := d.mask(v), ""
	switch verb {
	case 'x', 'X':
		if d.has("#") && u != 0 {
			prefix = "0" + string(verb)
		}
		s := strconv.FormatUint(u, 16)
		if verb == 'X' {
			s = strings.ToUpper(s)
		}
		return d.digits(prefix, s, u == 0)
	case 'o':
		s := strconv.FormatUint(u, 8)
		if d.has("#") && s[0] != '0' {
			s = "0" + s
		}
		return d.digits("", s, u == 0 && !d.has("#"))
	}
	return d.digits("", strconv.FormatUint(u, 10), u == 0)
}

// digits pads a number with zeros to its precision, or to its width if the 0 flag asks.
func (d *directive) digits(prefix, s string, zero bool) string {
	if zero && d.precision == 0 {
		s = ""
	}
	want := d.precision
	if want < 0 && d.has("0") && !d.has("-") {
		want = d.width - len(prefix)
	}
	if n := want - len(s); n > 0 {
		s = strings.Repeat("0", n) + s
	}
	return d.pad(prefix + s)
}

func (d *directive) pad(s string) string {
	n := d.width - len(s)
	switch {
	case n <= 0:
		return s
	case d.has("-"):
		return s + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + s
}

// float formats as C does: two exponent digits at least, inf and nan in letters.
func (d *directive) float(v float64, verb byte) string {
	upper := verb < 'a'
	sign := ""
	switch {
	case math.Signbit(v):
		sign, v = "-", -v
	case d.has("+"):
		sign = "+"
	case d.has(" "):
		sign = " "
	}
	var s string
	switch {
	case math.IsInf(v, 0):
		s = "inf"
	case v != v:
		s = "nan"
	default:
		s = d.finite(v, verb|0x20)
		if n := d.width - len(sign) - len(s); n > 0 && d.has("0") && !d.has("-") {
			s = zeros(s, n)
		}
	}
	if upper {
		s = strings.ToUpper(s)
	}
	return d.pad(sign + s)
}

// zeros puts zeros before the digits, behind 0x.
func zeros(s string, n int) string {
	if strings.HasPrefix(s, "0x") {
		return "0x" + strings.Repeat("0", n) + s[2:]
	}
	return strings.Repeat("0", n) + s
}

// finite formats a number that is not negative.
func (d *directive) finite(v float64, verb byte) string {
	prec := d.precision
	switch {
	case verb == 'a':
		return hexFloat(v, prec)
	case prec < 0:
		prec = 6
	}
	if verb == 'g' {
		return d.general(v, max(prec, 1))
	}
	s := strconv.FormatFloat(v, verb, prec, 64)
	if prec == 0 && d.has("#") && verb == 'f' {
		s += "."
	}
	return s
}

// general is %g: the shorter of %e and %f, without trailing zeros unless # asks.
func (d *directive) general(v float64, prec int) string {
	e := strconv.FormatFloat(v, 'e', prec-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	s, tail := e, ""
	if exp >= -4 && exp < prec {
		s = strconv.FormatFloat(v, 'f', prec-1-exp, 64)
	} else if i := strings.IndexByte(e, 'e'); i >= 0 {
		s, tail = e[:i], e[i:]
	}
	if !d.has("#") && strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + tail
}

// hexFloat is %a: C writes the exponent without leading zeros.
func hexFloat(v float64, prec int) string {
	s := strconv.FormatFloat(v, 'x', prec, 64)
	i := strings.IndexByte(s, 'p')
	exp, _ := strconv.Atoi(s[i+1:])
	return fmt.Sprintf("%sp%+d", s[:i], exp)
}
