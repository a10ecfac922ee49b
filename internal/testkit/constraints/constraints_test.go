package constraints

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

var judge = flag.Bool("judge", false, "ask ptxas about every case again")

// fewest is the number of cases of either verdict that a constraint has at least.
const fewest = 2

func files(t *testing.T) map[string][]*Constraint {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no constraints", err)
	}
	out := map[string][]*Constraint{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name], err = Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return out
}

// TestConstraints: the checker accepts what a constraint allows, and rejects what it forbids, with
// the error at the right token.
func TestConstraints(t *testing.T) {
	constraints, cases := 0, 0
	for name, list := range files(t) {
		for _, c := range list {
			constraints++
			for i := range c.Cases {
				cases++
				if problem := c.Cases[i].problem(); problem != "" {
					t.Errorf("%s:%d: %s: %s\n\t%s", name, c.Cases[i].Line, c.Name, c.Cases[i].Text, problem)
				}
			}
		}
	}
	t.Logf("%d constraints, %d cases", constraints, cases)
}

// first is the first error of a case, nil if it is accepted.
func (c *Case) first() (*diag.Diagnostic, error) {
	diags, err := ptxvm.Check("case.ptx", []byte(c.Module), nil)
	for i := range diags {
		if diags[i].Severity == diag.Error {
			return &diags[i], err
		}
	}
	return nil, err
}

// problem says what is wrong with the checker's answer to a case, "" if nothing is.
func (c *Case) problem() string {
	d, err := c.first()
	switch {
	case err != nil:
		return err.Error()
	case c.Accept && d == nil:
		return ""
	case c.Accept:
		return "want it accepted, have " + d.Error()
	case d == nil:
		return "want it rejected"
	case c.At < 0:
		return "nothing is marked; " + d.Error()
	case c.At != int(d.Span.Start) || c.At+len(c.Pointed) != int(d.Span.End):
		return fmt.Sprintf("want the error at %q, have it at %q: %v", c.Pointed, c.Module[d.Span.Start:d.Span.End], d)
	}
	return ""
}

// TestEnough: each constraint has a name of its own and enough cases, all different, with either verdict.
func TestEnough(t *testing.T) {
	names, texts := map[string]bool{}, map[string]string{}
	for file, list := range files(t) {
		for _, c := range list {
			if names[c.Name] {
				t.Errorf("%s: two constraints have the name %s", file, c.Name)
			}
			names[c.Name] = true
			count := map[bool]int{}
			for i := range c.Cases {
				count[c.Cases[i].Accept]++
				if text := c.Cases[i].Module; texts[text] != "" {
					t.Errorf("%s:%d: the case stands in %s, too", file, c.Cases[i].Line, texts[text])
				} else {
					texts[text] = c.Name
				}
			}
			if count[true] < fewest || count[false] < fewest {
				t.Errorf("%s: %s has %d cases that are accepted and %d that are rejected", file, c.Name, count[true], count[false])
			}
		}
	}
}

// TestJudgeConstraints: ptxas gives the verdicts that are recorded.
func TestJudgeConstraints(t *testing.T) {
	if !*judge {
		t.Skip("asks ptxas; -judge")
	}
	path, err := ptxas.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	work := make(chan func())
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for ask := range work {
				ask()
			}
		})
	}
	for name, list := range files(t) {
		for _, c := range list {
			for i := range c.Cases {
				work <- func() { askAgain(t, path, name, c, &c.Cases[i]) }
			}
		}
	}
	close(work)
	wg.Wait()
}

func askAgain(t *testing.T, path, name string, of *Constraint, c *Case) {
	r, err := ptxas.Judge(path, c.Module, c.Target)
	if err != nil {
		t.Error(err)
	} else if r.Accepted != c.Accept {
		t.Errorf("%s:%d: %s: ptxas accepts: %v\n\t%s\n\t%s", name, c.Line, of.Name, r.Accepted, c.Text, strings.TrimSpace(r.Stderr))
	}
}
