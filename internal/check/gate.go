package check

// This file reports directives, specifiers and their parts that a module's version or target
// does not have. When each came stands in the ISA data.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// admit judges the gates of the directive at a token, which spells its name. It tells whether
// the module may have it.
func (c *checker) admit(tok syntax.TokenID) bool {
	return c.admitAs(tok, isa.LookupDirective(c.text(tok)))
}

// admitAs judges the gates of a directive at a token.
func (c *checker) admitAs(tok syntax.TokenID, d *isa.Directive) bool {
	if d == nil {
		return true
	}
	ok := c.since(tok, d.Name, d, d.Since)
	if !d.Until.Passes(c.info.Version, c.info.Target) {
		return ok
	}
	var e *diag.Diagnostic
	if alt := d.Until[0]; len(alt.Targets) > 0 {
		e = c.errorf(diag.BadTargetOption, c.at(tok), "%s is for targets below %v, the target is %v", d.Name, alt.Targets[0], c.info.Target)
	} else {
		e = c.errorf(diag.Removed, c.at(tok), "%s is gone since .version %v, the module has %v", d.Name, alt.Version, c.written)
	}
	e.Spec = directiveSection(d)
	return false
}

// admitPart judges the gate of a part of a directive. It tells whether the module may have it.
func (c *checker) admitPart(tok syntax.TokenID, name, part string) bool {
	if c.admitted == [2]string{name, part} {
		return true
	}
	d := isa.LookupDirective(name)
	p := d.Part(part)
	if p.Available(c.info.Version, c.info.Target) {
		c.admitted = [2]string{name, part}
		return true
	}
	if c.since(tok, name+" with "+part, d, p.Since) && p.Until.Passes(c.info.Version, c.info.Target) {
		e := c.errorf(diag.Removed, c.at(tok), "%s with %s is gone since .version %v, the module has %v", name, part, p.Until[0].Version, c.info.Version)
		e.Spec = directiveSection(d)
	}
	return false
}

// since reports what is not there yet.
func (c *checker) since(tok syntax.TokenID, what string, d *isa.Directive, g isa.Gate) bool {
	if g.Passes(c.info.Version, c.info.Target) {
		return true
	}
	var e *diag.Diagnostic
	if alt := g.Nearest(c.info.Target); c.info.Version.Before(alt.Version) {
		e = c.errorf(diag.NeedsVersion, c.at(tok), "%s needs .version %v, the module has %v", what, alt.Version, c.written)
	} else {
		e = c.errorf(diag.NeedsTarget, c.at(tok), "%s needs %v or later, the target is %v", what, alt.Targets[0], c.info.Target)
	}
	if d != nil {
		e.Spec = directiveSection(d)
	}
	return false
}

func directiveSection(d *isa.Directive) string {
	if d.Manual == 0 {
		return d.Section
	}
	return fmt.Sprintf("%v: %s", d.Manual, d.Section)
}
