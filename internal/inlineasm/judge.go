package inlineasm

// This file judges the statements, each piece in a kernel of its own, and says what is wrong in terms of the source.

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Options say what inline assembly is judged for.
type Options struct {
	Arch   string // "sm_90a"; "": any one that has what a piece uses, since the source does not say
	Manual bool   // follow the manual where ptxas differs from it
}

// Result is what there is to say of a source.
type Result struct {
	Diagnostics diag.List // in the order of the source, which they point into
	Judged      int       // pieces that were judged
	Skipped     []Skipped // those that could not be
	Foreign     int       // pieces that are another processor's assembly, as of host code
}

// Any reports whether there is assembly at all.
func (r *Result) Any() bool { return r.Judged+len(r.Skipped)+r.Foreign > 0 }

// Skipped is a piece of assembly that was not judged.
type Skipped struct {
	Line int // from 1
	Why  string
}

// Judge finds the inline assembly of a source, and judges it for the newest version of PTX: which one the compiler will write
// the source does not say. The error is about opt.
func Judge(name string, source []byte, language Language, opt Options) (r Result, err error) {
	tries, err := dialects(opt.Arch)
	if err != nil {
		return Result{}, err
	}
	judge := isa.Ptxas
	if opt.Manual {
		judge = isa.Manual
	}
	in := diag.NewSource(name, source)
	for _, a := range Find(language, source) {
		r.add(in, &a, tries, judge)
	}
	return r, nil
}

// dialect is what the head of a module says.
type dialect struct {
	version isa.Version
	target  isa.Target
	bits    int // of addresses
}

// dialects lists what to judge for: the target that was asked for; or, newest first, those that have all that their hardware
// has, then 32-bit addresses, and a device that has what was taken away since. Sources choose by #if and at run time.
func dialects(arch string) (all []dialect, err error) {
	if arch != "" {
		t, err := isa.ParseTarget(arch)
		return []dialect{{isa.Latest, t, 64}}, err
	}
	for _, t := range slices.Backward(isa.Targets()) {
		if t.Suffix == 'a' {
			all = append(all, dialect{isa.Latest, t, 64})
		}
	}
	return append(all, dialect{isa.Latest, isa.MustTarget("sm_90a"), 32}, dialect{isa.V(5, 0), isa.MustTarget("sm_53"), 64}), nil
}

func (r *Result) add(in *diag.Source, a *Asm, tries []dialect, judge isa.Judge) {
	skip := func(why string) {
		line, _ := in.Position(a.Span.Start)
		r.Skipped = append(r.Skipped, Skipped{line, why})
	}
	if a.Unknown != "" {
		skip(a.Unknown)
		return
	}
	if !a.isPTX() {
		r.Foreign++
		return
	}
	out, unknown := a.statements()
	list, _, why := a.best(in, &out, unknown, tries, judge)
	if why != "" {
		skip(why)
		return
	}
	r.Judged++
	r.Diagnostics = append(r.Diagnostics, list...)
}

// best is what is wrong in the dialect in which the least is, and that dialect. why says what kept it from being judged.
func (a *Asm) best(in *diag.Source, out *text, unknown []bool, tries []dialect, judge isa.Judge) (least diag.List, by dialect, why string) {
	for i, d := range tries {
		list, why := a.judge(in, out, unknown, d, judge)
		if why != "" {
			return nil, d, why
		}
		if len(tries) > 1 { // what will be taken away from a version is a matter of its choice, and the source makes none
			list = slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
		}
		if i == 0 || len(list) < len(least) {
			least, by = list, d
		}
		if len(least) == 0 {
			break
		}
	}
	return least, by, ""
}

// isPTX reports whether a text is PTX, and not the assembly of a host: a word of it is an opcode of PTX with modifiers; or one
// without, or looks like one, and the last statement ends as those of PTX do.
func (a *Asm) isPTX() bool {
	t := bytes.TrimRight(stripComments(a.text.bytes), " \t\r\n")
	ends := len(t) > 0 && strings.IndexByte(";}:", t[len(t)-1]) >= 0
	for word := range strings.FieldsFuncSeq(string(t), func(b rune) bool { return strings.ContainsRune(" \t\r\n;{}", b) }) {
		opcode, modifiers, dotted := strings.Cut(word, ".")
		known := isa.Table().HasOpcode(opcode)
		switch {
		case dotted && known:
			return true
		case ends && (known || opcode == "" || dotted && strings.Trim(opcode+modifiers, lower) == ""): // "" of a directive
			return true
		}
	}
	return len(t) == 0 // asm("" ::: "memory") keeps a compiler from moving accesses
}

// lower is what opcodes and their modifiers are written with.
const lower = "abcdefghijklmnopqrstuvwxyz0123456789_.:"

// stripComments leaves out comments.
func stripComments(t []byte) (out []byte) {
	for len(t) > 0 {
		end := "*/"
		switch {
		case bytes.HasPrefix(t, []byte("//")):
			end = "\n"
		case !bytes.HasPrefix(t, []byte("/*")):
			out, t = append(out, t[0]), t[1:]
			continue
		}
		i := bytes.Index(t[2:], []byte(end))
		if i < 0 {
			return out
		}
		t = t[2+i+len(end):]
	}
	return out
}

// judge returns what is wrong with the statements in a dialect. why says what kept them from being judged.
func (a *Asm) judge(in *diag.Source, out *text, unknown []bool, d dialect, judge isa.Judge) (list diag.List, why string) {
	module, begin, why := a.module(d, out.bytes)
	if why != "" {
		return nil, why
	}
	f := syntax.Parse(in.Name, module)
	info, diags := check.Check(f, check.Options{Judge: judge})
	if info != nil {
		defer info.Release()
	}
	back := mapping{asm: a, in: in, out: out, begin: begin, unknown: unknown}
	for _, d := range diags {
		if d, ok := back.diagnostic(d); ok {
			list = append(list, d)
		}
	}
	return list, ""
}

// mapping brings what was said of a module into its source.
type mapping struct {
	asm     *Asm
	in      *diag.Source
	out     *text
	begin   int // of the statements in the module
	unknown []bool
}

// diagnostic returns a diagnostic about the source; false if it is about what this piece does not show.
func (m *mapping) diagnostic(d diag.Diagnostic) (diag.Diagnostic, bool) {
	start, end := int(d.Span.Start)-m.begin, int(d.Span.End)-m.begin
	switch {
	case m.aboutUnknown(start),
		d.Code == diag.UnbalancedBrace, // another piece may open what this one closes
		d.Code == diag.Undeclared && start >= 0 && start < len(m.out.bytes) && m.out.bytes[start] != '%': // and declare, or the compiler's text
		return d, false
	}
	d.Source, d.Span = m.in, m.span(start, end)
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		n := &d.Related[i]
		n.Source, n.Span = m.in, m.span(int(n.Span.Start)-m.begin, int(n.Span.End)-m.begin)
	}
	d.Fixes = m.fixes(d.Fixes)
	if m.asm.language == CPP && strings.HasPrefix(d.Msg, "undeclared") {
		d.Msg += fmt.Sprintf("; the assembly has %d operands", len(m.asm.Operands))
	}
	return d, true
}

// span is the place of bytes of the statements; the word asm for what is not of them.
func (m *mapping) span(start, end int) diag.Span {
	if start < 0 || start > len(m.out.bytes) || len(m.out.bytes) == 0 {
		return m.asm.Span
	}
	return m.out.span(start, end)
}

// aboutUnknown reports whether the statement at a place of the statements has a constant whose value is not known.
func (m *mapping) aboutUnknown(at int) bool {
	if at < 0 || at >= len(m.out.bytes) {
		return false
	}
	start := bytes.LastIndexAny(m.out.bytes[:at], ";{}") + 1
	end := len(m.out.bytes)
	if i := bytes.IndexByte(m.out.bytes[at:], ';'); i >= 0 {
		end = at + i
	}
	return slices.Contains(m.unknown[start:end], true)
}

// fixes keeps those that can be written into the source as they are.
func (m *mapping) fixes(all []diag.Fix) (kept []diag.Fix) {
	for _, f := range all {
		var edits []diag.Edit
		for _, e := range f.Edits {
			start, end := int(e.Span.Start)-m.begin, int(e.Span.End)-m.begin
			if start < 0 || end > len(m.out.bytes) || strings.ContainsAny(e.New, "\\\"'\n") {
				break
			}
			span := m.out.span(start, end)
			if !bytes.Equal(m.in.Text[span.Start:span.End], m.out.bytes[start:end]) {
				break
			}
			edits = append(edits, diag.Edit{Span: span, New: m.asm.spelled(e.New)})
		}
		if len(edits) == len(f.Edits) {
			f.Edits = edits
			kept = append(kept, f)
		}
	}
	return kept
}
