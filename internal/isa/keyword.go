package isa

// This file answers for directives and special registers what available.go answers for
// instructions: since when, where, and what changed.

// Gates says when and where the directive is there, and since when the parts that came later.
func (d *Directive) Gates() []string {
	gates := []string{"since " + d.Since.words()}
	if d.Until != nil {
		gates = append(gates, "gone since "+d.Until.words())
	}
	for i := range d.Parts {
		gates = append(gates, d.Parts[i].words())
	}
	return gates
}

func (p *Part) words() string {
	text := p.Name + ": since " + p.Since.words()
	if p.Until != nil {
		text += ", gone since " + p.Until.words()
	}
	return text
}

// Available reports whether a module of this version and target may have the directive.
func (d *Directive) Available(v Version, t Target) bool {
	return d.Since.Passes(v, t) && !d.Until.Passes(v, t)
}

// Closed lists, in words, the parts that such a module may not have.
func (d *Directive) Closed(v Version, t Target) (out []string) {
	for i := range d.Parts {
		if p := &d.Parts[i]; !p.Available(v, t) {
			out = append(out, p.words())
		}
	}
	return out
}

// Changes tells what became of the directive after one version and up to another, as
// [Entry.Changes] does.
func (d *Directive) Changes(from, to Version, t Target) (kind Changed, what []string) {
	for i := range d.Parts {
		p := &d.Parts[i]
		if p.Since.changes(from, to, t) != nil || p.Until.changes(from, to, t) != nil {
			kind, what = More, append(what, p.words())
		}
	}
	if opened := d.Since.Opened(from, to, t); opened != "" {
		kind, what = New, append([]string{opened}, what...)
	}
	if gone := d.Until.changes(from, to, t); gone != nil {
		kind, what = Gone, append(what, "gone since "+gone.words())
	}
	return kind, what
}

// Gates says since when and where the register is there.
func (s Special) Gates() []string { return []string{"since " + s.Info().Since.words()} }

// Available reports whether a module of this version and target may have the register, with the
// directive that it needs.
func (s Special) Available(v Version, t Target) bool {
	needs := LookupDirective(s.Info().Needs)
	return s.Info().Since.Passes(v, t) && (needs == nil || needs.Available(v, t))
}
