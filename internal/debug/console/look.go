package console

// This file prints values and memory.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
)

// maxElements is how many elements of an array are printed.
const maxElements = 32

// formatOf reads /FMT in front of an expression.
func formatOf(args string) (format byte, rest string, err error) {
	if !strings.HasPrefix(args, "/") {
		return 0, args, nil
	}
	word, rest, _ := strings.Cut(args[1:], " ")
	if len(word) != 1 || !debug.IsFormat(word[0]) {
		return 0, "", fmt.Errorf("Undefined output format \"%s\".", word)
	}
	return word[0], strings.TrimSpace(rest), nil
}

func (c *Console) print(args string) error {
	format, text, err := formatOf(args)
	if err != nil {
		return err
	}
	if rest, ok := strings.CutPrefix(text, "frag "); ok {
		return c.fragment(rest)
	}
	if text == "" {
		text = "$"
	}
	e, err := debug.ParseExpr(text)
	if err != nil {
		return err
	}
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	values, err := scope.EachLane(e)
	if err != nil {
		return err
	}
	if e.Column() {
		for i := range values {
			out, err := c.text(scope, &values[i].Value, format)
			if err != nil {
				return err
			}
			c.printf("lane %2d  %s\n", values[i].Lane, out)
		}
		return nil
	}
	out, err := c.text(scope, &values[0].Value, format)
	if err != nil {
		return err
	}
	c.printf("$%d = %s\n", c.Session.Remember(values[0].Value), out)
	return nil
}

// text prints a value, an array in braces.
func (c *Console) text(scope *debug.Scope, v *debug.Value, format byte) (string, error) {
	if v.Count == 0 {
		return debug.FormatValue(v, format), nil
	}
	list, err := scope.Elements(v, maxElements)
	if err != nil {
		return "", err
	}
	var words []string
	for i := 0; i < len(list); {
		word, n := debug.FormatValue(&list[i], format), 1
		for i+n < len(list) && list[i+n].Low == list[i].Low && list[i+n].High == list[i].High {
			n++
		}
		if i += n; n >= 8 {
			word = fmt.Sprintf("%s <repeats %d times>", word, n)
			n = 1
		}
		for range n {
			words = append(words, word)
		}
	}
	end := ""
	if v.Count > len(list) {
		end = "..."
	}
	return "{" + strings.Join(words, ", ") + end + "}", nil
}

func (c *Console) display(args string) error {
	if args == "" {
		c.showDisplays()
		return nil
	}
	format, text, err := formatOf(args)
	if err != nil {
		return err
	}
	e, err := debug.ParseExpr(text)
	if err != nil {
		return err
	}
	c.shown++
	c.displays = append(c.displays, display{c.shown, format, e})
	c.showDisplay(&c.displays[len(c.displays)-1])
	return nil
}

func (c *Console) showDisplays() {
	for i := range c.displays {
		c.showDisplay(&c.displays[i])
	}
}

// showDisplay prints one; of what has no value here it prints nothing, as gdb does behind the block of a variable.
func (c *Console) showDisplay(d *display) {
	scope, err := c.Session.Scope()
	if err != nil {
		return
	}
	values, err := scope.EachLane(d.expr)
	var words []string
	for i := range values {
		var word string
		if err == nil {
			word, err = c.text(scope, &values[i].Value, d.format)
		}
		words = append(words, word)
	}
	if err == nil {
		c.printf("%d: %s = %s\n", d.number, diag.Escape(d.expr.Text), strings.Join(words, " "))
	}
}

func (c *Console) undisplay(args string) error {
	list, err := numbers(args)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		c.displays = nil
	}
	for _, n := range list {
		found := false
		for i := range c.displays {
			if c.displays[i].number == n {
				c.displays = append(c.displays[:i:i], c.displays[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("Could not find display number %d.", n)
		}
	}
	return nil
}

func (c *Console) infoDisplay() error {
	if len(c.displays) == 0 {
		c.printf("There are no auto-display expressions now.\n")
	}
	for i := range c.displays {
		d := &c.displays[i]
		slash := ""
		if d.format != 0 {
			slash = "/" + string(d.format) + " "
		}
		c.printf("%d:   y  %s%s\n", d.number, slash, diag.Escape(d.expr.Text))
	}
	return nil
}

// examined is what x shows next.
type examined struct {
	space  string
	addr   uint64
	format byte
	size   int
	count  int
}

// Bounds of x.
const maxExamined = 4096

// sizes are the letters of sizes.
var sizes = map[byte]int{'b': 1, 'h': 2, 'w': 4, 'g': 8}

func (c *Console) examine(args string) error {
	to := c.next
	if to.count = 1; to.format == 0 {
		to.format, to.size = 'x', 4
	}
	if strings.HasPrefix(args, "/") {
		word, rest, _ := strings.Cut(args[1:], " ")
		if err := to.read(word); err != nil {
			return err
		}
		args = strings.TrimSpace(rest)
	}
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	switch {
	case args != "":
		if err := c.aim(scope, args, &to); err != nil {
			return err
		}
	case to.space == "" && to.format != 'i':
		return errors.New("Argument required (starting display address).")
	}
	if to.format == 'i' {
		return c.instructions(to.count)
	}
	defer func() { c.next = to }()
	if to.format == 's' {
		return c.strings(scope, &to)
	}
	return c.rows(scope, &to)
}

// aim reads where to look. A space may stand in front: x/4x shared 0x400.
func (c *Console) aim(scope *debug.Scope, args string, to *examined) error {
	if word, rest, two := strings.Cut(args, " "); two && debug.IsSpace(word) {
		args = "[" + word + " " + rest + "]"
	}
	e, err := debug.ParseExpr(args)
	if err != nil {
		return err
	}
	space, addr, _, err := scope.Address(e)
	if err != nil {
		return err
	}
	if to.space, to.addr = space, addr*debug.Scale(space); space == "" {
		to.space = "generic"
	}
	return nil
}

// read reads a count and letters.
func (x *examined) read(word string) error {
	digits := len(word) - len(strings.TrimLeft(word, "0123456789"))
	if digits > 0 {
		n, err := strconv.Atoi(word[:digits])
		if err != nil || n < 1 || n > maxExamined {
			return fmt.Errorf("Invalid number \"%s\": want 1 to %d.", word[:digits], maxExamined)
		}
		x.count = n
	}
	sized := false
	for _, r := range []byte(word[digits:]) {
		switch {
		case sizes[r] != 0:
			x.size, sized = sizes[r], true
		case debug.IsFormat(r) || r == 's' || r == 'i':
			x.format = r
		default:
			return fmt.Errorf("Undefined output format \"%s\".", string(rune(r)))
		}
	}
	if x.format == 'a' && !sized {
		x.size = 8
	}
	if x.format == 'c' && !sized {
		x.size = 1
	}
	return nil
}

// rows prints memory, up to eight values a line.
func (c *Console) rows(scope *debug.Scope, to *examined) error {
	across := map[int]int{1: 8, 2: 8, 4: 4, 8: 2}[to.size]
	for i := range to.count {
		v, err := scope.Load(to.space, to.addr, to.size)
		if err != nil {
			if i%across != 0 {
				c.printf("\n")
			}
			return err
		}
		switch {
		case i%across == 0:
			c.printf("%#x:\t%s", to.addr/debug.Scale(to.space), debug.FormatValue(&v, to.format))
		default:
			c.printf("\t%s", debug.FormatValue(&v, to.format))
		}
		if i%across == across-1 || i == to.count-1 {
			c.printf("\n")
		}
		to.addr += uint64(to.size)
	}
	return nil
}

// strings prints strings that end with a zero.
func (c *Console) strings(scope *debug.Scope, to *examined) error {
	for range to.count {
		start := to.addr
		var text []byte
		for len(text) < maxExamined {
			v, err := scope.Load(to.space, to.addr, 1)
			if err != nil {
				return err
			}
			to.addr++
			if v.Low == 0 {
				break
			}
			text = append(text, byte(v.Low))
		}
		c.printf("%#x:\t%s\n", start, strconv.QuoteToASCII(string(text)))
	}
	return nil
}

func (c *Console) set(args string) error {
	args = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(args, "var "), "variable "))
	to, from, ok := cutAssignment(args)
	if !ok {
		return errors.New("Usage: set WHAT = EXPR")
	}
	left, err := debug.ParseExpr(to)
	if err != nil {
		return err
	}
	right, err := debug.ParseExpr(from)
	if err != nil {
		return err
	}
	_, err = c.Session.Set(left, right)
	return err
}

// cutAssignment divides a text at the = that is no comparison.
func cutAssignment(text string) (to, from string, ok bool) {
	for i := range len(text) {
		if text[i] != '=' || i > 0 && strings.ContainsRune("=!<>", rune(text[i-1])) || i+1 < len(text) && text[i+1] == '=' {
			continue
		}
		return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
	}
	return "", "", false
}
