// Package constraints holds the checker to what the manual demands beyond syntax: one constraint
// after the other, each with statements and modules that satisfy it and others that just do not. The
// verdicts are those of ptxas; the place of an error is what a user should look at.
//
// A file of testdata is a list of constraints:
//
//	= 9.7.14.5.14 mma.satfinite  only whole numbers are clamped
//	in 9.5 sm_80
//	accept mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%s32_0..1}, {%b32_0}, {%b32_1}, {%s32_2..3};
//	reject mma.sync.aligned.m16n8k8.row.col`.satfinite`.f32.f16.f16.f32 …
//
// "in" and "function" give version and target of the statements that follow, which stand in a kernel or in
// a device function; "module" those of bodies of modules, and "text" begins whole ones, with the header. "outside"
// and "inside" add a declaration to the statements up to the next of these lines. Names of registers say their type
// (internal/testkit/generate), and {%f32_0..3} is a vector of four. Backquotes enclose what the first error points at.
package constraints

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
)

// Constraint is a rule and its cases.
type Constraint struct {
	Section, Name, Rule string
	Cases               []Case
}

// Case is a module, the verdict of ptxas, and where the error should be.
type Case struct {
	Line    int // of the file
	Accept  bool
	Text    string // as it stands in the file
	Target  isa.Target
	Module  string
	Pointed string // the text at the first error, "" if the case has no mark
	At      int    // its offset in the module
}

// surroundings are what the lines before a case say about it.
type surroundings struct {
	kind            string
	version         isa.Version
	target          isa.Target
	outside, inside []string
}

// Read reads a file.
func Read(r io.Reader) (list []*Constraint, err error) {
	var around surroundings
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		word, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		switch word {
		case "", "#":
		case "=":
			c, err := heading(rest)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			list, around = append(list, c), surroundings{}
		case "in", "function", "module", "text":
			if around, err = place(word, rest); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		case "outside":
			around.outside = append(around.outside, rest)
		case "inside":
			around.inside = append(around.inside, rest)
		case "accept", "reject":
			if len(list) == 0 || around.kind == "" {
				return nil, fmt.Errorf("line %d: nothing says what the case is in", n)
			}
			c, err := around.read(rest)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			c.Line, c.Accept = n, word == "accept"
			last := list[len(list)-1]
			last.Cases = append(last.Cases, c)
		default:
			return nil, fmt.Errorf("line %d: %q", n, word)
		}
	}
	return list, lines.Err()
}

var headingLine = regexp.MustCompile(`^((?:9\.\d: )?[0-9.]+) (\S+)  (.+)$`)

func heading(text string) (*Constraint, error) {
	m := headingLine.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("want = section name, two blanks and the rule: %q", text)
	}
	return &Constraint{Section: m[1], Name: m[2], Rule: m[3]}, nil
}

func place(kind, text string) (s surroundings, err error) {
	s.kind = kind
	if kind == "text" {
		s.target, err = isa.ParseTarget(text) // that ptxas compiles for
		return s, err
	}
	version, target, _ := strings.Cut(text, " ")
	if s.version, err = isa.ParseVersion(version); err != nil {
		return s, err
	}
	s.target, err = isa.ParseTarget(target)
	return s, err
}

// read makes the module of a case, and takes the mark out of it.
func (s *surroundings) read(text string) (Case, error) {
	c := Case{Text: text, Target: s.target, At: -1}
	marked := strings.ReplaceAll(vectors(text), `\n`, "\n")
	switch s.kind {
	case "text":
		c.Module = marked + "\n"
	case "module":
		c.Module = header(s.version, s.target) + marked + "\n"
	default:
		c.Module = generate.Print([]generate.Function{{
			Version: s.version, Target: s.target, Device: s.kind == "function",
			Outside: s.outside, Inside: s.inside, Text: marked,
		}}).Text
	}
	before, rest, found := strings.Cut(c.Module, "`")
	if !found {
		return c, nil
	}
	pointed, after, found := strings.Cut(rest, "`")
	if !found {
		return c, fmt.Errorf("one backquote: %s", text)
	}
	c.Module, c.Pointed, c.At = before+pointed+after, pointed, len(before)
	return c, nil
}

func header(v isa.Version, t isa.Target) string {
	text := fmt.Sprintf(".version %v\n.target %v\n", v, t)
	if !v.Before(isa.V(2, 3)) {
		text += ".address_size 64\n"
	}
	return text
}

var vector = regexp.MustCompile(`(%[a-z0-9]+_)(\d+)\.\.(\d+)`)

// vectors writes out the registers of ranges.
func vectors(text string) string {
	return vector.ReplaceAllStringFunc(text, func(r string) string {
		m := vector.FindStringSubmatch(r)
		first, _ := strconv.Atoi(m[2])
		last, _ := strconv.Atoi(m[3])
		var names []string
		for n := first; n <= last; n++ {
			names = append(names, m[1]+strconv.Itoa(n))
		}
		return strings.Join(names, ", ")
	})
}
