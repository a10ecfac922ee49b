// Package directives compares the checker's verdicts with those of ptxas on modules that are
// about directives, declarations and special registers: legal ones, and ones a change away.
package directives

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

// Case is a module and the verdict of ptxas.
type Case struct {
	About   string // the directive or special register it is about, or the kind of declaration
	Section string
	Change  string // what makes it differ from a legal module, "" if nothing does
	Version isa.Version
	Target  isa.Target
	Head    string // in place of the usual header, if not ""
	Body    string
	Ptxas   string // its first error, "" if it accepts
}

// Module is the text.
func (c *Case) Module() string { return c.head() + c.Body + "\n" }

func (c *Case) head() string {
	switch {
	case c.Head != "":
		return c.Head
	case c.Version.Before(isa.V(2, 3)):
		return fmt.Sprintf(".version %v\n.target %v\n", c.Version, c.Target)
	}
	return fmt.Sprintf(".version %v\n.target %v\n.address_size 64\n", c.Version, c.Target)
}

// Here is the checker's verdict: its first error, "" if it accepts.
func (c *Case) Here() string {
	diags, err := ptxvm.Check("case.ptx", []byte(c.Module()), nil)
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

// Ask fills in the verdicts of ptxas, two modules at a time.
func Ask(path string, cases []*Case) error {
	work := make(chan *Case)
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for c := range work {
				errs[i] = cmp.Or(errs[i], c.ask(path))
			}
		})
	}
	for _, c := range cases {
		work <- c
	}
	close(work)
	wg.Wait()
	return cmp.Or(errs[0], errs[1])
}

// sm_101 is sm_110 for ptxas 13.5, which takes the old name in modules alone.
const renamed, renamedTo = 101, 110

func (c *Case) ask(path string) error {
	arch := c.Target
	if arch.Arch == renamed {
		arch.Arch = renamedTo
	}
	r, err := ptxas.Judge(path, c.Module(), arch)
	if err != nil || r.Accepted {
		return err
	}
	c.Ptxas = "rejects"
	if len(r.Errors) > 0 {
		c.Ptxas = cmp.Or(r.Errors[0].Msg, c.Ptxas)
	} else if first, _, _ := strings.Cut(strings.TrimSpace(r.Stderr), "\n"); first != "" {
		c.Ptxas = first
	}
	return nil
}

// unique drops cases whose modules were there before.
func unique(cases []*Case) (out []*Case) {
	seen := map[string]bool{}
	for _, c := range cases {
		if text := c.Module(); !seen[text] {
			seen[text] = true
			out = append(out, c)
		}
	}
	return out
}

// String is the case in one line.
func (c *Case) String() string { return fmt.Sprintf("%s [%s]: %s", c.About, c.Change, c.Line()) }
