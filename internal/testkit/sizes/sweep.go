package sizes

// The registers that every instruction takes: each register operand of statements of all entries,
// declared with each type. Outside of ld, st and cvt nothing is to be relaxed (9.4.1).

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/judge"
)

// Question is an operand of a statement that ptxas is asked about with each type of register.
type Question struct {
	Entry    string
	Operand  int
	Case     judge.Case // with open as the type of the operand's registers
	Verdicts []Verdict  // by the types of RegisterTypes
}

// open stands for the type in the names of registers.
const open = "%T_"

// RegisterTypes are all types that registers have.
var RegisterTypes = registerTypes("pred b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 f16x2")

func registerTypes(names string) (list []isa.Type) {
	for _, name := range strings.Fields(names) {
		t, _ := isa.LookupType("." + name)
		list = append(list, t)
	}
	return list
}

// sweepTargets know all types of registers, and among them they have all entries of today.
var sweepTargets = []isa.Target{
	isa.MustTarget("sm_90a"), isa.MustTarget("sm_100a"), isa.MustTarget("sm_103a"), isa.MustTarget("sm_107a"), isa.MustTarget("sm_120a"),
}

// Questions draws statements of each entry in the latest version, and asks about each operand.
func Questions(seed uint64, perEntry int) (list []Question) {
	g := generate.New(seed, nil, sweepTargets)
	mark := RegisterTypes[1]
	for _, e := range isa.Table().Entries() {
		for range perEntry {
			s := latest(g, e)
			if s == nil {
				break
			}
			for _, i := range s.Registers() {
				f := s.Retyped(i, mark).Function()
				f.Text = strings.ReplaceAll(f.Text, "%b8_", open)
				list = append(list, Question{Entry: e.Name, Operand: i, Case: judge.Case{Function: f}})
			}
		}
	}
	return list
}

// latest draws a statement that is legal in the latest version, nil if there is none.
func latest(g *generate.Generator, e *isa.Entry) *generate.Statement {
	for range 4 {
		s := g.Legal(e)
		if s == nil {
			return nil
		}
		s.Version = isa.Latest
		if _, fails := isa.Table().Match(s.Query()); fails == nil && !strings.Contains(s.Text(), "%b8_") {
			return s
		}
	}
	return nil
}

// cases are the statement with each type.
func (q *Question) cases() (list []*judge.Case) {
	for _, t := range RegisterTypes {
		c := q.Case
		c.Text = strings.ReplaceAll(c.Text, open, "%"+t.String()[1:]+"_")
		c.Change = fmt.Sprintf("operand %d a %v register", q.Operand, t)
		list = append(list, &c)
	}
	return list
}

// AskAll asks ptxas about all.
func AskAll(path string, list []Question) error {
	var cases []*judge.Case
	for i := range list {
		cases = append(cases, list[i].cases()...)
	}
	if err := judge.Ask(path, cases); err != nil {
		return err
	}
	for i := range list {
		list[i].Verdicts = nil
		for range RegisterTypes {
			list[i].Verdicts = append(list[i].Verdicts, verdictOf(cases[0].Ptxas))
			cases = cases[1:]
		}
	}
	return nil
}

// letters are the verdicts as they are recorded.
const letters = "-+!"

// WriteQuestions records them, a line each: the entry, the operand, a letter for each type, the
// target and the statement.
func WriteQuestions(w io.Writer, list []Question) error {
	b := bufio.NewWriter(w)
	for i := range list {
		q := &list[i]
		var text []byte
		for _, v := range q.Verdicts {
			text = append(text, letters[v])
		}
		fmt.Fprintf(b, "%s %d %s %v %s\n", q.Entry, q.Operand, text, q.Case.Target, q.Case.Body())
	}
	return b.Flush()
}

// ReadQuestions reads what WriteQuestions has written.
func ReadQuestions(r io.Reader) (list []Question, err error) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		words := strings.SplitN(lines.Text(), " ", 5)
		if words[0] == "#" {
			continue
		}
		q := Question{Entry: words[0]}
		if len(words) < 5 || len(words[2]) != len(RegisterTypes) {
			return nil, fmt.Errorf("%q is no question", lines.Text())
		}
		if _, err := fmt.Sscan(words[1], &q.Operand); err != nil {
			return nil, err
		}
		for _, letter := range words[2] {
			q.Verdicts = append(q.Verdicts, Verdict(strings.IndexRune(letters, letter)))
		}
		if q.Case.Target, err = isa.ParseTarget(words[3]); err != nil {
			return nil, err
		}
		q.Case.Version = isa.Latest
		q.Case.SetBody(words[4])
		list = append(list, q)
	}
	return list, nil
}
