package check

// This file holds the checker's state and its entry point.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/quota"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Options says what a module is judged for.
type Options struct {
	Arch  string    // ptxas's -arch: sm_90; "" judges for the module's own .target
	Judge isa.Judge // whom to follow where ptxas and the manual differ

	// WholeProgram judges as ptxas does without -c: what the module declares and uses,
	// it has to define, and a kernel's memory has to fit. Off for a module that others
	// may be linked to; Info.Alone then says what it would be.
	WholeProgram bool

	// CompileOnly judges as ptxas -c does: other modules may define what is .extern, but memory has to fit.
	CompileOnly bool

	Debug          bool // judges as ptxas -g does
	BoundRegisters bool // the command line tells how many registers a thread may have (ptxas -maxrregcount)

	Apart bool // what WholeProgram and CompileOnly add to the diagnostics stands in Info.Alone instead

	Quota *quota.Quota // what checking may take; nil: no limits

	slow bool // every statement is matched anew
}

// Check judges f and returns the side tables and all diagnostics, syntax errors
// included, sorted by place. The Info is complete only without errors.
func Check(f *syntax.File, opt Options) (*Info, diag.List) {
	opt.Quota.Enter("check")
	c := newChecker(f, opt)
	c.module()
	if c.unpack && f.Packed() {
		return c.whole()
	}
	if !c.diags.HasErrors() {
		c.alone()
	}
	c.sayUnlisted()
	c.diags.Sort()
	return c.info, c.diags
}

func newChecker(f *syntax.File, opt Options) *checker {
	mem := memories.Get().(*memory)
	return &checker{
		file: f, opt: opt, isa: isa.Of(opt.Judge), scopes: newScopes(f, mem), mem: mem, info: mem.tables(f),
		diags: append(diag.List(nil), f.Errors...), forms: formCache{file: f}, spelled: &spelled{}, refs: map[*Func][]reference{}, moves: map[*Func]*moves{}, returned: map[*Object]bool{},
	}
}

// whole judges the file again with all of its tokens, to point at one that was packed.
func (c *checker) whole() (*Info, diag.List) {
	src := c.file.Source
	c.info.Release()
	return Check(syntax.ParseWithin(c.opt.Quota, src.Name, src.Text), c.opt)
}

// checker walks the tree once. Names of registers and variables must be declared
// before they are used; labels are visible in all of their braces.
type checker struct {
	file   *syntax.File
	opt    Options
	isa    *isa.ISA
	info   *Info
	scopes *scopes
	diags  diag.List
	kept   [diag.Remark + 1]int // in diags, by severity
	spare  diag.Diagnostic      // the last that was not kept
	fn     *Func                // the function being checked, nil at module scope

	query     isa.Query // reused for every instruction
	arena     []isa.Shape
	mem       *memory
	prototype bool // the parameters being read are those of a .callprototype
	forms     formCache
	*spelled  // opcode and modifiers of the current instruction

	unique map[isa.Class]chosen // per function: classes that all instructions must agree on

	broken   map[string]bool // names in statements that could not be parsed; nil: not asked yet
	lenient  bool            // errors are only warnings
	unlisted int             // diagnostics that were not kept
	repaired int             // statements searched for a repair
	fileSeen map[int64]bool  // indexes of .file

	sectionLabels map[syntax.Word]bool
	sections      []syntax.Word // their names
	inlined       inlinedName   // of the last .loc, until an instruction follows
	inlinedNames  []inlinedName // of those that one follows
	unpack        bool          // there is something to say of a packed line

	texmode  string         // of .target, "" if it gives none
	debug    syntax.TokenID // of .target
	admitted [2]string      // the last directive and part that the module may have: the same ones follow each other

	compiled isa.Target // the first of .target

	written isa.Version // of .version; Info has a later one if the target needs it, since that is reported

	unified  []syntax.TokenID      // attributes .unified
	refs     map[*Func][]reference // what each function names; nil is the key of initialisers
	moves    map[*Func]*moves      // of functions with setmaxnreg or calls by address
	moving   bool                  // the module has setmaxnreg
	returned map[*Object]bool      // per function: .param variables that a call has filled
	listed   int                   // names in families of lists of targets
}

// reference is one mention of a function or shared variable.
type reference struct {
	object *Object
	token  syntax.TokenID
	called bool
}

// errorf reports one error at a span. It returns the diagnostic, to add notes, fixes and a section.
func (c *checker) errorf(code diag.Code, span diag.Span, format string, args ...any) *diag.Diagnostic {
	return c.reportf(diag.Error, code, span, format, args...)
}

func (c *checker) warnf(code diag.Code, span diag.Span, format string, args ...any) *diag.Diagnostic {
	return c.reportf(diag.Warning, code, span, format, args...)
}

func (c *checker) reportf(sev diag.Severity, code diag.Code, span diag.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.Diagnostic{Code: code, Severity: sev, Source: c.file.Source, Span: span, Msg: fmt.Sprintf(format, args...)}
	if e, ok := diag.Lookup(code); ok {
		d.Spec = e.Spec
	}
	return c.add(d)
}

// maxDiagnostics bounds the errors, and the warnings, of one module; hostile input has millions.
const maxDiagnostics = 10_000

// add keeps a diagnostic, or counts it where there are too many. Warnings never take the place of an error, so
// the verdict stays.
func (c *checker) add(d diag.Diagnostic) *diag.Diagnostic {
	if c.lenient {
		d.Severity = max(d.Severity, diag.Warning)
	}
	if c.kept[d.Severity] >= maxDiagnostics {
		c.unlisted++
		c.spare = d
		return &c.spare
	}
	c.kept[d.Severity]++
	c.diags = append(c.diags, d)
	return &c.diags[len(c.diags)-1]
}

// sayUnlisted tells how many diagnostics were left out, behind the last of them.
func (c *checker) sayUnlisted() {
	if c.unlisted > 0 {
		end := diag.Pos(len(c.file.Source.Text))
		c.reportf(diag.Remark, diag.Unlisted, diag.Span{Start: end, End: end}, "%d more errors and warnings are not listed", c.unlisted)
	}
}

// at is the span of one token.
func (c *checker) at(t syntax.TokenID) diag.Span { return c.file.TokenSpan(t) }

// text is the spelling of one token.
func (c *checker) text(t syntax.TokenID) string { return c.file.Text(t) }

// declaredHere is a note that points at an object's declaration.
func (c *checker) declaredHere(d *diag.Diagnostic, o *Object) {
	d.Related = append(d.Related, diag.Note{Source: c.file.Source, Span: c.at(o.Tok),
		Msg: fmt.Sprintf("%s declared here", o.Kind)})
}

// undeclaredOperand reports a name among operands: of a branch, it is a label.
func (c *checker) undeclaredOperand(tok syntax.TokenID) {
	if c.inBranch {
		d := c.errorf(diag.UndefinedLabel, c.at(tok), "label %s is not defined in this function, or stands inside braces", c.text(tok))
		c.nearName(d, tok)
		return
	}
	c.undeclared(tok)
}

// undeclared reports a name that nothing declares, with the nearest one that is visible.
func (c *checker) undeclared(tok syntax.TokenID) {
	name := c.text(tok)
	if len(c.file.Errors) > 0 && c.brokenName(tok) {
		c.info.Hushed++
		return
	}
	if f := c.scopes.family(name); f != nil {
		d := c.errorf(diag.Undeclared, c.at(tok), "%s is not declared: %s<%d> ends at %s%d", name, f.Name, f.Count, f.Name, f.Count-1)
		c.declaredHere(d, f)
		return
	}
	d := c.errorf(diag.Undeclared, c.at(tok), "%s is not declared", name)
	c.nearName(d, tok)
}

// nearName offers the visible name that is most like the one at tok.
func (c *checker) nearName(d *diag.Diagnostic, tok syntax.TokenID) {
	if near := c.scopes.near(c.text(tok)); near != "" {
		d.Fixes = append(d.Fixes, diag.Fix{Label: "write " + near, Edits: []diag.Edit{{Span: c.at(tok), New: near}}})
	}
}
