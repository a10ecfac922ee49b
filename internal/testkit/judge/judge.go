// Package judge compares the checker's verdicts with those of ptxas: on generated statements,
// legal and one change away from legal, and on whole modules.
package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

// Case is a statement in its surroundings and the verdict of ptxas.
type Case struct {
	generate.Function
	Entry  *isa.Entry     // that the statement was drawn from, nil if it was not
	Class  generate.Class // of the change
	Gate   int            // as in generate.Statement
	Change string         // what makes it differ from a legal statement, "" if it is one
	Ptxas  string         // its first error, "" if it accepts
	Died   bool           // ptxas has died of it, or of its own code: no verdict
}

// Here is the checker's verdict on a case alone in its module: its first error, "" if it accepts.
func (c *Case) Here() string {
	diags, err := ptxvm.Check("case.ptx", []byte(generate.Print([]generate.Function{c.Function}).Text), nil)
	if err != nil {
		return err.Error()
	}
	for _, d := range diags {
		if d.Severity == diag.Error {
			return d.Error()
		}
	}
	return ""
}

// String is the case in one line.
func (c *Case) String() string {
	s := fmt.Sprintf("%v %v: %s", c.Version, c.Target, c.Text)
	if len(c.Outside)+len(c.Inside) > 0 {
		s += "  // " + strings.Join(slices.Concat(c.Outside, c.Inside), " ")
	}
	if c.Change != "" {
		s += "  // " + c.Change
	}
	return s
}

// perModule is the number of statements that ptxas is given at a time.
const perModule = 60

// Ask fills in the verdicts of ptxas, two modules at a time.
func Ask(path string, cases []*Case) error {
	work := make(chan []*Case)
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for group := range work {
				errs[i] = cmp.Or(errs[i], ask(path, group))
			}
		})
	}
	for _, group := range modules(cases) {
		work <- group
	}
	close(work)
	wg.Wait()
	return cmp.Or(errs[0], errs[1])
}

// modules groups cases by version and target.
func modules(cases []*Case) [][]*Case {
	type key struct {
		v isa.Version
		t isa.Target
	}
	groups := map[key][]*Case{}
	for _, c := range cases {
		k := key{c.Version, c.Target}
		groups[k] = append(groups[k], c)
	}
	var out [][]*Case
	for _, g := range groups {
		out = slices.AppendSeq(out, slices.Chunk(g, perModule))
	}
	return out
}

// ask asks about one module. Errors hide what later stages would find, so the rest is judged
// again until it passes as a whole. An error without a line, or a death, which may leave errors that
// are none, is in one half of the module or in the other.
func ask(path string, left []*Case) error {
	for len(left) > 0 {
		m := module(left)
		r, err := ptxas.Judge(path, m.Text, left[0].Target)
		if err != nil || r.Accepted {
			return err
		}
		if len(left) == 1 {
			left[0].Ptxas = rejection(r)
			left[0].Died = r.Died || strings.Contains(left[0].Ptxas, "Internal compiler error")
			return nil
		}
		rest := left
		if !r.Died {
			rest = blame(m, r, left)
		}
		if len(rest) == len(left) {
			half := len(left) / 2
			return cmp.Or(ask(path, left[:half]), ask(path, left[half:]))
		}
		left = rest
	}
	return nil
}

// rejection is the first error, or what is left of a death.
func rejection(r *ptxas.Report) string {
	if len(r.Errors) > 0 {
		return cmp.Or(r.Errors[0].Msg, "rejects")
	}
	return cmp.Or(strings.TrimSpace(r.Stderr), "dies")
}

func module(list []*Case) *generate.Module {
	functions := make([]generate.Function, len(list))
	for i, c := range list {
		functions[i] = c.Function
	}
	return generate.Print(functions)
}

// blame gives the errors to the cases at their lines and returns the cases without.
func blame(m *generate.Module, r *ptxas.Report, list []*Case) (rest []*Case) {
	for _, e := range r.Errors {
		if n := m.Of(e.Line); n >= 0 && e.Line > 0 {
			list[n].Ptxas = cmp.Or(list[n].Ptxas, e.Msg, "rejects")
		}
	}
	for _, c := range list {
		if c.Ptxas == "" {
			rest = append(rest, c)
		}
	}
	return rest
}

// Compare adds the checker's verdicts. Cases that differ are asked about once more, each alone: in a
// module an error can name the line of another function.
func Compare(path string, cases []*Case) ([]Verdict, error) {
	list := make([]Verdict, len(cases))
	var doubtful []*Case
	for i, c := range cases {
		list[i] = Verdict{c, c.Here()}
		if !list[i].Equal() {
			c.Ptxas = ""
			doubtful = append(doubtful, c)
		}
	}
	for _, c := range doubtful {
		if err := ask(path, []*Case{c}); err != nil {
			return nil, err
		}
	}
	return list, nil
}
