package calls

// vprintf: the kernel's printf. The arguments stand in a buffer, each at its natural alignment,
// as variadic functions of C pass them: nothing smaller than 32 bits, floats as f64.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/sem"
)

func assertText(text [3]string, line uint64) string {
	return fmt.Sprintf("%s:%d: %s: assertion `%s' failed", text[1], line, text[2], text[0])
}

// vprintf prints lane by lane, each message whole, and returns the number of arguments.
func vprintf(w *machine.Warp, in *machine.Inst, c *nativeCall) machine.State {
	p := printer{reader: reader{w: w, in: in}}
	return sem.OneByOne(w, func(lane int) machine.State {
		format := p.text(c.arg(w, 0, lane))
		p.next, p.count, p.out = c.arg(w, 1, lane), 0, p.out[:0]
		if p.format(format); p.st != machine.Next {
			return p.st
		}
		c.give(w, lane, uint64(p.count))
		if out := w.Launch().Output; out != nil && !out.Print(p.out) {
			return w.Fault(in, &machine.Fault{Kind: faults.OutputLimit, Lanes: w.Mask})
		}
		return machine.Next
	})
}

// printer formats messages, one after the other.
type printer struct {
	reader
	next  uint64 // address of the next argument
	count int
	out   []byte
}

// argument reads an argument of 4 or 8 bytes.
func (p *printer) argument(size uint64) uint64 {
	at := (p.next + size - 1) &^ (size - 1)
	p.next = at + size
	p.count++
	return p.read(at, uint32(size))
}

func (p *printer) format(f string) {
	for p.st == machine.Next {
		text, rest, found := strings.Cut(f, "%")
		p.out = append(p.out, text...)
		if !found {
			break
		}
		f = p.directive(rest)
	}
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
		p.out = append(p.out, '%')
		return f
	}
	p.convert(&d, f[0])
	return f[1:]
}

// parse reads flags, width, precision and length.
func (p *printer) parse(f string) (directive, string) {
	n := 0
	for n < len(f) && strings.IndexByte("-+ #0", f[n]) >= 0 {
		n++
	}
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
	for f != "" && strings.IndexByte("hljztL", f[0]) >= 0 {
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
		return min(max(int(int32(p.argument(4))), -maxField), maxField), f[1:]
	}
	n := 0
	for n < len(f) && '0' <= f[n] && f[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, f
	}
	v, _ := strconv.Atoi(f[:n]) // the largest int of too many digits
	return min(v, maxField), f[n:]
}

// convert formats one argument.
func (p *printer) convert(d *directive, verb byte) {
	switch verb {
	case '%':
		p.out = append(p.out, '%')
	case 'd', 'i':
		p.out = append(p.out, d.signed(p.integer(d))...)
	case 'u', 'x', 'X', 'o':
		p.out = append(p.out, d.unsigned(p.integer(d), verb)...)
	case 'c':
		p.out = append(p.out, d.pad(string([]byte{byte(p.argument(4))}))...)
	case 's':
		p.out = append(p.out, d.pad(d.cut(p.pointed()))...)
	case 'p':
		p.out = append(p.out, d.pad("0x"+strconv.FormatUint(p.argument(8), 16))...)
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		p.out = append(p.out, d.float(math.Float64frombits(p.argument(8)), verb)...)
	default: // as CUDA does, what is no conversion is printed as it stands
		p.out = append(p.out, '%')
		p.out = append(p.out, verb)
	}
}

// integer reads an integer argument, sign-extended by its length.
func (p *printer) integer(d *directive) int64 {
	if d.long {
		return int64(p.argument(8))
	}
	return d.cutInt(int64(int32(p.argument(4))))
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

// pointed is the string that a pointer to characters points to.
func (p *printer) pointed() string {
	if addr := p.argument(8); addr != 0 {
		return p.text(addr)
	}
	return "(null)"
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
