package check

// This file checks what stands at module scope: header directives and their order,
// then declarations and functions in written order.

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// module checks the whole file.
func (c *checker) module() {
	c.scopes.push()
	c.header()
	for _, s := range c.file.Stmts {
		c.opt.Quota.Spend(stmtSteps)
		c.moduleStmt(s)
	}
	c.aliases()
	c.inlinedFunctions()
	c.debugData()
}

// header reads .version, .target and .address_size, which the rest depends on. They
// stand first, in this order (11.1).
func (c *checker) header() {
	var version *syntax.Version
	var target *syntax.Target
	c.info.Version, c.written = isa.Latest, isa.Latest // if there is none, that is error enough
	targeted := slices.ContainsFunc(c.file.Stmts, func(s syntax.Stmt) bool { _, ok := s.(*syntax.Target); return ok })
	for i, s := range c.file.Stmts {
		switch s := s.(type) {
		case *syntax.Version:
			if version == nil {
				version = s
				c.version(s)
			} else {
				c.errorf(diag.MisplacedDirective, c.file.Span(s.Range), "a second .version in one module")
			}
		case *syntax.Target:
			if target == nil {
				target = s
			}
			c.targetPlace(s, c.before(i))
			c.target(s)
		case *syntax.AddressSize:
			if _, afterTarget := c.before(i).(*syntax.Target); !afterTarget && targeted {
				c.errorf(diag.MisplacedDirective, c.file.Span(s.Range), ".address_size stands once, right after .target")
			}
			c.addressSize(s)
		}
	}
	c.headerPresent(version, target)
}

// targetPlace: .target follows .version, and others may follow it.
func (c *checker) targetPlace(s *syntax.Target, before syntax.Stmt) {
	switch before.(type) {
	case nil, *syntax.Version, *syntax.Target: // nil: .version is not the first statement, which is reported
	default:
		c.errorf(diag.MisplacedDirective, c.file.Span(s.Range), ".target stands right after .version, or after another .target")
	}
}

// before is the statement in front of statement i, nil if it is the first.
func (c *checker) before(i int) syntax.Stmt {
	if i == 0 {
		return nil
	}
	return c.file.Stmts[i-1]
}

func (c *checker) headerPresent(version *syntax.Version, target *syntax.Target) {
	start := diag.Span{}
	if len(c.file.Stmts) > 0 {
		start = c.file.Span(c.file.Stmts[0].Extent())
	}
	switch {
	case version == nil:
		c.errorf(diag.MissingVersion, start, "the module has no .version; it begins with .version 9.0 or so")
	case c.file.Stmts[0] != syntax.Stmt(version):
		c.errorf(diag.MisplacedDirective, c.file.Span(version.Range), ".version must be the first statement")
	case target == nil:
		c.errorf(diag.MissingTarget, start, "the module has no .target; it follows .version")
	}
}

// version reads .version; spellings such as 8.00 and 08.0 are accepted as ptxas does.
func (c *checker) version(s *syntax.Version) {
	v, err := isa.ParseVersion(c.text(s.Number))
	if err != nil {
		c.errorf(diag.UnknownVersion, c.at(s.Number), "%v", err)
		v = isa.Latest
	}
	c.info.Version, c.written = v, v
}

// target reads .target: an architecture, then options and further architectures. The module is compiled for the first
// one; the oldest says what it may use (ptxas 13.5).
func (c *checker) target(s *syntax.Target) {
	for i, tok := range s.Names {
		name := c.text(tok)
		t, err := isa.ParseTarget(name)
		switch {
		case err == nil:
			if first := c.info.Target.IsZero(); first || t.Arch < c.info.Target.Arch {
				if first {
					c.compiled = t
				}
				c.info.Target = t
				if v := isa.TargetSince(t); !c.since(tok, ".target "+name, nil, isa.Gate{{Version: v}}) {
					c.info.Version = v // what the target needs is said once
				}
			}
			c.runsOn(tok, t)
		case i == 0:
			c.errorf(diag.UnknownTarget, c.at(tok), "%v", err)
			c.info.Target = isa.MustTarget("sm_90")
			c.compiled = c.info.Target
		default:
			c.targetOption(tok, name)
		}
	}
}

// placeTarget is the place of the words that may follow the architecture (11.1.2).
const placeTarget = "target"

func (c *checker) targetOption(tok syntax.TokenID, name string) {
	option := isa.LookupDirective(name)
	if option == nil || !option.In(placeTarget) {
		c.errorf(diag.UnknownTarget, c.at(tok), "%s is neither an architecture nor a target option", name)
		return
	}
	c.admitAs(tok, option)
	switch {
	case name == "debug":
		c.debug = tok
	case strings.HasPrefix(name, "texmode_"):
		c.texMode(tok, name)
	}
}

// texMode reads the texturing mode, of which there is one (11.1.2).
func (c *checker) texMode(tok syntax.TokenID, name string) {
	if c.texmode != "" && c.texmode != name {
		c.errorf(diag.BadTargetOption, c.at(tok), "%s contradicts %s", name, c.texmode)
	}
	c.texmode = name
	c.info.Independent = name == "texmode_independent"
}

// runsOn reports a target whose code the architecture to compile for cannot run (11.1.2).
func (c *checker) runsOn(tok syntax.TokenID, t isa.Target) {
	arch := c.compiled
	switch {
	case arch.Arch < oldestCompiled:
		arch = isa.Target{Arch: oldestCompiled}
	case arch.Arch == 101:
		arch.Arch = 110 // its new name
	}
	if c.opt.Arch != "" {
		var err error
		if arch, err = isa.ParseTarget(c.opt.Arch); err != nil {
			c.errorf(diag.UnknownTarget, c.at(tok), "%v", err)
			return
		}
	}
	if !compilesTo(t, arch) {
		c.errorf(diag.TargetMismatch, c.at(tok), "code for %v does not run on %v%s", t, arch, whyNot[t.Suffix])
	}
}

// oldestCompiled is the least architecture that ptxas 13.5 compiles for.
const oldestCompiled = 75

var whyNot = map[byte]string{0: ", which is older", 'a': "; the suffix a ties it to its own architecture",
	'f': ", which is older or of another family"}

// compilesTo: plain targets go to the same or a later architecture, a targets only to
// themselves, f targets to later members of the family. sm_110 is the new name of sm_101.
func compilesTo(t, arch isa.Target) bool {
	switch t.Suffix {
	case 'a':
		return t == arch || t == isa.Target{Arch: 101, Suffix: 'a'} && arch == isa.Target{Arch: 110, Suffix: 'a'}
	case 'f':
		return isa.Target{Arch: arch.Arch, Suffix: 'f'}.Satisfies(t)
	}
	return t.Arch <= arch.Arch
}

// debugData: .target debug promises debug data (11.1.2).
func (c *checker) debugData() {
	if c.debug == syntax.NoToken {
		return
	}
	for _, s := range c.file.Stmts {
		switch s.(type) {
		case *syntax.Section, *syntax.DwarfLine:
			return
		}
	}
	c.errorf(diag.BadTargetOption, c.at(c.debug), "debug needs a .section with debug data, and the module has none")
}

func (c *checker) addressSize(s *syntax.AddressSize) {
	c.admit(s.First)
	switch n, ok := c.literal(s.Size); {
	case ok && n == 32:
		c.info.AddressSize = 32
		// nvcc and ptxas have dropped 32-bit global addressing; so does the machine.
		c.errorf(diag.UnsupportedAddressSize, c.at(s.Size), "32-bit addressing is no longer supported; write 64")
	case ok && n == 64:
	default:
		c.errorf(diag.UnsupportedAddressSize, c.at(s.Size), "the address size is 32 or 64, not %s", c.text(s.Size))
	}
}

func (c *checker) moduleStmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Variables:
		c.moduleVariables(s)
	case *syntax.Function:
		c.function(s)
	case *syntax.Pragma:
		c.pragma(s, placeModule)
	case *syntax.Alias:
		c.alias(s)
	case *syntax.FileDirective:
		c.fileDirective(s)
	case *syntax.Section:
		c.section(s)
	case *syntax.DwarfLine:
		c.dwarfLine(s)
	case *syntax.IntermediateSource:
		c.admit(s.First)
	case *syntax.Prototype, *syntax.Targets:
		c.errorf(diag.MisplacedDirective, c.file.Span(s.Extent()), "a list of targets or a prototype belongs into a function")
	}
}

// alias joins two declared functions (11.2.3). The aliasee may be defined further down.
func (c *checker) alias(s *syntax.Alias) {
	c.admit(s.First)
	name, to := c.functionNamed(s.Name), c.functionNamed(s.Aliasee)
	switch {
	case name == nil || to == nil:
		return
	case name == to:
		c.errorf(diag.BadAlias, c.at(s.Aliasee), "%s cannot be an alias of itself", name.Name)
	case name.Alias != nil:
		c.errorf(diag.BadAlias, c.at(s.Name), "%s is already an alias of %s", name.Name, name.Alias.Name)
	case name.Func.Node.Body != nil:
		c.errorf(diag.BadAlias, c.at(s.Name), "%s has a body; an alias is only declared", name.Name)
	case to.Linkage == syntax.WordWeak:
		c.errorf(diag.BadAlias, c.at(s.Aliasee), "%s is .weak; another definition may take its place, so it has no alias", to.Name)
	case name.Func.Entry || to.Func.Entry:
		c.errorf(diag.BadAlias, c.file.Span(s.Range), "an alias joins device functions, not kernels")
	default:
		if why := signatureDiff(name.Sig, to.Sig); why != "" {
			c.errorf(diag.BadAlias, c.at(s.Name), "%s has %s than %s", name.Name, why, to.Name)
			return
		}
		name.Alias = to
	}
}

// aliases demands a body of every aliasee, after all functions are known.
func (c *checker) aliases() {
	for _, s := range c.file.Stmts {
		a, ok := s.(*syntax.Alias)
		if !ok {
			continue
		}
		u, ok := c.use(a.Aliasee)
		if ok && u.Object != nil && u.Object.Kind == Function && u.Object.Alias == nil && u.Object.Func.Node.Body == nil {
			c.errorf(diag.BadAlias, c.at(a.Aliasee), "%s has no body to alias", u.Object.Name)
		}
	}
}

// functionNamed resolves a name that must be a function.
func (c *checker) functionNamed(tok syntax.TokenID) *Object {
	u, ok := c.use(tok)
	switch {
	case !ok:
		c.errorf(diag.BadAlias, c.at(tok), "function %s is not declared", c.text(tok))
	case u.poisoned():
	case u.Object == nil || u.Object.Kind != Function:
		c.errorf(diag.BadAlias, c.at(tok), "%s is no function", c.text(tok))
	default:
		return u.Object
	}
	return nil
}

func (c *checker) pragma(s *syntax.Pragma, place string) {
	c.admit(s.First)
	c.pragmas(s.Strings, place)
}

// pragmas checks strings of .pragma (chapter 12). What ptxas does not know is an error at
// module scope alone.
func (c *checker) pragmas(list []syntax.TokenID, place string) {
	for _, tok := range list {
		switch rule := isa.LookupPragma(c.text(tok)); {
		case rule == nil && place == placeModule:
			c.errorf(diag.UnknownPragma, c.at(tok), "unknown pragma %s", c.text(tok))
		case rule == nil:
			c.warnf(diag.UnknownPragma, c.at(tok), "unknown pragma %s", c.text(tok))
		case !rule.In(place):
			c.badDirective(tok, rule, "%s is for %s, not for %s", rule.Name, placeNames(rule.Places), placeWords[place])
		case rule.Kernels && !c.fn.Entry:
			c.badDirective(tok, rule, "%s is for kernels, not for device functions", rule.Name)
		default:
			c.pragmaValues(tok, rule, place)
			c.admitAs(tok, rule)
		}
	}
}

// pragmaValues checks what stands behind the first word of a string.
func (c *checker) pragmaValues(tok syntax.TokenID, rule *isa.Directive, place string) {
	_, text, _ := strings.Cut(strings.TrimSpace(strings.Trim(c.text(tok), `"`)), " ")
	switch a := &rule.Args; {
	case a.Most == 0 && text != "" && place == placeModule:
		c.badDirective(tok, rule, "%s has no value", rule.Name)
	case a.Most == 0 && text != "":
		c.warnf(diag.UnknownPragma, c.at(tok), "%s has no value", rule.Name)
	case a.Least == 1 && !pragmaNumber(text, a.Lo):
		c.badDirective(tok, rule, "%s needs one number, %s", rule.Name, rule.Form)
	}
}

// pragmaNumber reads a number as strtoull does, but for blanks behind it: too large ones are cut.
func pragmaNumber(text string, least uint64) bool {
	text = strings.TrimLeft(text, " ")
	negative := strings.HasPrefix(text, "-")
	n, err := strconv.ParseUint(strings.TrimLeft(text, "+-"), 0, 64)
	return (err == nil || errors.Is(err, strconv.ErrRange)) && n >= least && !(negative && least > 0)
}
