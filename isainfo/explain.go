package isainfo

// This file explains error codes and instructions in words.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/text"
)

// Explain describes what a name stands for: an error code such as "P3004", the instructions of "cvt" or "add.int", the
// form of a statement such as "cvt.rn.f16.f32 %h1, %f1;", a directive, a special register or a modifier; a word of CUDA C++
// such as "__syncthreads" or an error of CUDA such as "CUDA error 700"; an assumption about hardware such as "U53"; part of an instruction such as "mul.u32"; a target such as
// "sm_90"; a word of the field such as "warp". Case, and the sign before a directive or register, may be missing.
func Explain(name string) (string, error) {
	if name = strings.TrimSpace(name); name == "" {
		return "", unknownName(name)
	}
	lower := strings.ToLower(name)
	spellings := []string{name, lower, "." + lower, "%" + lower, opcodeOf(name)}
	if isConcept(name) { // "bank conflict", which begins with no opcode
		spellings = nil
	}
	for _, spelling := range spellings {
		if spelling == "" {
			continue
		}
		if text := explain(spelling); text != "" {
			return text, nil
		}
	}
	var b strings.Builder
	for _, about := range []func(*strings.Builder, string){explainCUDA, explainConcept, explainError, explainPart, explainTarget} {
		if about(&b, name); b.Len() > 0 {
			return b.String(), nil
		}
	}
	if opcode := opcodeOf(name); nearest(opcode) != "" {
		return "", unknownName(opcode)
	}
	return "", unknownName(name)
}

// opcodeOf is the opcode with its modifiers of a whole statement, which may have a label and a guard; "" for a single word.
func opcodeOf(statement string) string {
	if !strings.ContainsAny(statement, " \t;") {
		return ""
	}
	words := strings.Fields(strings.TrimSuffix(statement, ";"))
	for len(words) > 1 && (strings.HasSuffix(words[0], ":") || words[0][0] == '@') {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// explain is "" for a name that stands for nothing.
func explain(name string) string {
	var b strings.Builder
	if c, ok := diag.ParseCode(name); ok {
		e, _ := diag.Lookup(c)
		_ = diag.WriteExplanation(&b, e) // a Builder takes everything
		explainFault(&b, c)
		return b.String()
	}
	if explainAssumption(&b, name); b.Len() > 0 {
		return b.String()
	}
	if f := statementOf(name); f != nil {
		explainStatement(&b, f)
		return b.String()
	}
	for _, e := range explained(name) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		explainEntry(&b, e)
	}
	if d := isa.LookupDirective(name); d != nil {
		explainDirective(&b, d)
	}
	register, _, _ := strings.Cut(name, ".")
	if r, ok := isa.LookupSpecial(register); ok {
		explainSpecial(&b, r)
	}
	if b.Len() == 0 {
		explainModifier(&b, name)
	}
	return b.String()
}

// statementOf is what the modifiers of a whole instruction lead to, nil where they lead nowhere, and for an id or opcode.
func statementOf(name string) *isa.Forms {
	tokens := strings.Split(name, ".")
	if tokens[0] == "" || named(name) != nil {
		return nil
	}
	for i := range tokens[1:] {
		tokens[i+1] = "." + tokens[i+1]
	}
	if f := isa.Table().Forms(tokens, ""); f.Entry() != nil {
		return f
	}
	return nil
}

// explained lists the entries of an id or opcode, or the one that a statement with these modifiers has, else those whose
// ids begin with the name.
func explained(name string) []*isa.Entry {
	list := named(name)
	if f := statementOf(name); f != nil {
		list = []*isa.Entry{f.Entry()}
	}
	if list == nil {
		list = slices.DeleteFunc(named(""), func(e *isa.Entry) bool { return !strings.HasPrefix(e.Name, name+".") })
	}
	return list
}

// nearest is the name that one may have been meant for, empty if none is near.
func nearest(name string) string {
	if name == "" {
		return ""
	}
	opcode, _, _ := strings.Cut(name, ".")
	near := cmp.Or(nearestCode(name), nearestName(name), nearestStatement(name))
	if near == "" && opcode != "" && named(opcode) != nil { // add.f99
		near = opcode
	}
	return cmp.Or(near, nearestCUDA(name))
}

// nearestCode is the nearest code of a diagnostic: P7001 for P701.
func nearestCode(name string) string {
	if len(name) < 2 || name[0]|' ' != 'p' || name[1] < '0' || name[1] > '9' {
		return ""
	}
	var codes []string
	for _, e := range diag.Catalog() {
		codes = append(codes, e.Code.String())
	}
	return isa.NearestFold(name, codes)
}

// nearestStatement is an opcode with modifiers that its entries have, each the nearest to one of a name: ld.global for ld.globl.
// Nothing is near where one of them has none.
func nearestStatement(name string) string {
	tokens := strings.Split(strings.ToLower(name), ".")
	if named(tokens[0]) == nil {
		var opcodes []string
		for _, e := range isa.Table().Entries() {
			opcodes = append(opcodes, e.Opcode[0])
		}
		tokens[0] = isa.NearestFold(tokens[0], opcodes)
	}
	var mods []string
	for _, e := range named(tokens[0]) {
		for _, m := range e.Modifiers() {
			mods = append(mods, strings.TrimPrefix(m.String(), "."))
		}
	}
	for i, mod := range tokens[1:] {
		near := isa.NearestFold(mod, mods)
		if near == "" {
			return ""
		}
		tokens[i+1] = near
	}
	if near := strings.Join(tokens, "."); near != name && len(tokens) > 1 {
		return near
	}
	return ""
}

// unknownName suggests the nearest name, or says what kinds there are.
func unknownName(name string) error {
	if near := nearest(name); near != "" {
		return fmt.Errorf("nothing is called %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("nothing is called %q; want an error code such as P3004, an instruction such as cvt, add.int or cvt.rn.f16.f32, a directive such as .maxntid, a special register such as %%tid, a modifier such as .ftz, an assumption such as U53, or a word of CUDA C++ such as __syncthreads", name)
}

// Example is a valid module that has a statement of an entry of Forms.
func Example(name string) (string, bool) {
	for _, e := range isa.Table().Entries() {
		if e.Name == name {
			return e.Example(), e.Example() != ""
		}
	}
	return "", false
}

func explainEntry(b *strings.Builder, e *isa.Entry) {
	info, words := newForm(e), e.Words()
	fmt.Fprintf(b, "%s: %s (PTX ISA %s)\n", e.Name, e.Doc, info.Section)
	if e.About != "" {
		fmt.Fprintf(b, "\n%s\n", e.About)
	}
	explainList(b, "Forms", info.Forms)
	explainList(b, "Modifiers", described(words.Modifiers))
	explainList(b, "Operands", described(words.Operands))
	explainList(b, "Rules", words.Rules)
	explainList(b, "Legal", words.Gates)
	explainList(b, "Where ptxas and the manual differ", e.Notes)
	fmt.Fprintf(b, "\nStatus: %s\n", statusWords(&info))
	if example := e.Example(); example != "" {
		explainList(b, "Example", strings.Split(strings.TrimSuffix(example, "\n"), "\n"))
	}
}

// explainStatement describes what holds for an instruction with these modifiers.
func explainStatement(b *strings.Builder, f *isa.Forms) {
	e := f.Entry()
	info := newForm(e)
	words, more := f.Words()
	fmt.Fprintf(b, "%s: %s (PTX ISA %s)\n", e.Name, e.Doc, info.Section)
	if e.About != "" {
		fmt.Fprintf(b, "\n%s\n", e.About)
	}
	explainList(b, "Form", f.Texts())
	explainList(b, "Here", described(words.Modifiers))
	if more != nil {
		explainList(b, "May be added", text.Wrap(strings.Join(more, " "), 100))
	}
	explainList(b, "Operands", described(words.Operands))
	explainList(b, "Legal", words.Gates)
	explainFragments(b, f.Sel())
	fmt.Fprintf(b, "\nStatus: %s\n\n`ptxvm explain %s` has all forms, rules and an example.\n", statusWords(&info), e.Name)
}

// explainDirective describes a directive, a specifier of declarations, a target option or a string of .pragma.
func explainDirective(b *strings.Builder, d *isa.Directive) {
	info := directiveInfo(d)
	fmt.Fprintf(b, "%s: %s (PTX ISA %s)\n\n%s\n", d.Name, d.Doc, info.Section, d.About)
	explainList(b, "Form", []string{d.Form})
	explainList(b, "Legal", info.Gates)
	explainList(b, "Beside it", directiveCompany(d))
	explainList(b, "Where ptxas and the manual differ", d.Notes)
	v, t := d.Open()
	option := ""
	if d.In("target") {
		option = ", " + d.Name
	}
	module := fmt.Sprintf(".version %v\n.target %v%s\n%s", v, t, option, d.Examples[0])
	explainList(b, "Example", strings.Split(module, "\n"))
}

// explainSpecial describes a special register.
func explainSpecial(b *strings.Builder, s isa.Special) {
	info := s.Info()
	fmt.Fprintf(b, "%s: %s (PTX ISA %s)\n\nA special register of type %v, read-only%s.\n", info.Name, info.Doc, info.Section, info.Type, components(info))
	explainList(b, "Form", []string{specialMove(info)})
	explainList(b, "Legal", s.Gates())
	if info.Needs != "" {
		explainList(b, "Beside it", []string{"only with " + info.Needs})
	}
	explainList(b, "Example", strings.Split(strings.TrimSuffix(specialExample(info), "\n"), "\n"))
}

func components(info *isa.SpecialInfo) string {
	if info.Lanes == 1 {
		return ""
	}
	return "; its components are .x .y .z"
}

// explainModifier lists the entries that have a modifier, if any do.
func explainModifier(b *strings.Builder, name string) {
	var list []string
	for _, e := range isa.Table().Entries() {
		if slices.ContainsFunc(e.Modifiers(), func(m isa.Mod) bool { return m.String() == name }) {
			list = append(list, fmt.Sprintf("%-24s %s", e.Name, e.Doc))
		}
	}
	if list != nil {
		fmt.Fprintf(b, "%s: a modifier of %d entries; explain NAME tells what it does there\n", name, len(list))
		explainList(b, "Entries", list)
	}
}

// specialExample is a valid module that reads the register.
func specialExample(info *isa.SpecialInfo) string {
	v, t := info.Since.Open()
	needs := ""
	if d := isa.LookupDirective(info.Needs); d != nil {
		needs = " " + d.Name + " 2048"
	}
	return fmt.Sprintf(".version %v\n.target %v\n.entry k()%s {\n    .reg %v r;\n    %s\n    ret;\n}\n", v, t, needs, info.Type, strings.Replace(specialMove(info), " d,", " r,", 1))
}

func directiveCompany(d *isa.Directive) (lines []string) {
	for _, rule := range []struct {
		words string
		names []string
	}{{"not with", d.Excludes}, {"only with", d.Needs}, {"no effect without", d.Wants}} {
		if len(rule.names) > 0 {
			lines = append(lines, rule.words+" "+strings.Join(rule.names, ", "))
		}
	}
	return lines
}

// statusWords says whether `run` executes the forms, and what of them it does not.
func statusWords(f *Form) string {
	words := []string{map[string]string{
		sem.Done:         "executed",
		sem.Undocumented: "undocumented: `check` accepts it, and `run` refuses it by name before anything runs",
		sem.Partial:      "some of it is executed; the rest is refused by name before anything runs",
		sem.Todo:         "checked; `run` refuses it by name before anything runs",
	}[f.Status]}
	words = append(words, f.Notes...)
	for _, what := range f.Undocumented {
		words = append(words, silence(what))
	}
	return strings.Join(words, "; ")
}

func explainList(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", title)
	for _, line := range lines {
		b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
}

// described sets names and descriptions in two columns.
func described(list []isa.Described) []string {
	width := 0
	for _, d := range list {
		width = max(width, len(d.Name))
	}
	var lines []string
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("%-*s  %s", width, d.Name, d.What))
	}
	return lines
}
