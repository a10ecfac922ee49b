package check

// This file checks what stands at module scope: header directives and their order,
// then declarations and functions in written order.

import (
	"strings"

	"ptxvm/internal/diag"
	"ptxvm/internal/isa"
	"ptxvm/internal/syntax"
)

// module checks the whole file.
func (c *checker) module() {
	c.scopes.push()
	c.header()
	for _, s := range c.file.Stmts {
		c.moduleStmt(s)
	}
	c.aliases()
}

// header reads .version, .target and .address_size, which the rest depends on. They
// stand first, in this order (11.1).
func (c *checker) header() {
	var version *syntax.Version
	var target *syntax.Target
	for _, s := range c.file.Stmts {
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
			c.target(s)
		case *syntax.AddressSize:
			c.addressSize(s)
		}
	}
	c.headerPresent(version, target)
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
	c.info.Version = v
}

// target reads .target: an architecture, then options and further architectures.
func (c *checker) target(s *syntax.Target) {
	for i, tok := range s.Names {
		name := c.text(tok)
		t, err := isa.ParseTarget(name)
		switch {
		case err == nil:
			if c.info.Target.IsZero() {
				c.info.Target = t
				c.gate(tok, ".target "+name, isa.TargetSince(t))
			}
		case i == 0:
			c.errorf(diag.UnknownTarget, c.at(tok), "%v", err)
			c.info.Target = isa.MustTarget("sm_90")
		default:
			c.targetOption(tok, name)
		}
	}
}

// targetOptions are the words that may follow the architecture (11.1.2).
var targetOptions = map[string]bool{
	"texmode_unified": true, "texmode_independent": true, "debug": true, "map_f64_to_f32": true,
}

func (c *checker) targetOption(tok syntax.TokenID, name string) {
	switch {
	case !targetOptions[name]:
		c.errorf(diag.UnknownTarget, c.at(tok), "%s is neither an architecture nor a target option", name)
	case name == "map_f64_to_f32" && !c.info.Target.Before(isa.MustTarget("sm_20")):
		c.errorf(diag.BadTargetOption, c.at(tok), "map_f64_to_f32 is for targets below sm_20, the target is %v", c.info.Target)
	case name == "texmode_independent":
		c.info.Independent = true
	}
}

func (c *checker) addressSize(s *syntax.AddressSize) {
	c.gate(s.First, ".address_size", isa.V(2, 3))
	switch c.text(s.Size) {
	case "32":
		c.info.AddressSize = 32
		// nvcc and ptxas have dropped 32-bit global addressing; so does the machine.
		c.errorf(diag.UnsupportedAddressSize, c.at(s.Size), "32-bit addressing is no longer supported; write 64")
	case "64":
	default:
		c.errorf(diag.UnsupportedAddressSize, c.at(s.Size), "the address size is 32 or 64, not %s", c.text(s.Size))
	}
}

// gate reports a construct that the module's version is too old for.
func (c *checker) gate(tok syntax.TokenID, what string, since isa.Version) {
	if c.info.Version.Before(since) {
		c.errorf(diag.NeedsVersion, c.at(tok), "%s needs .version %v, the module has %v", what, since, c.info.Version)
	}
}

func (c *checker) moduleStmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Variables:
		c.moduleVariables(s)
	case *syntax.Function:
		c.function(s)
	case *syntax.Pragma:
		c.pragma(s)
	case *syntax.Prototype, *syntax.Targets:
		c.errorf(diag.MisplacedDirective, c.file.Span(s.Extent()), "a list of targets or a prototype belongs into a function")
	}
}

// aliases resolves .alias after all functions are known (11.2.3).
func (c *checker) aliases() {
	for _, s := range c.file.Stmts {
		if a, ok := s.(*syntax.Alias); ok {
			c.alias(a)
		}
	}
}

func (c *checker) alias(s *syntax.Alias) {
	name, to := c.functionNamed(s.Name), c.functionNamed(s.Aliasee)
	switch {
	case name == nil || to == nil:
		return
	case name.Func.Node.Body != nil:
		c.errorf(diag.BadAlias, c.at(s.Name), "%s has a body; an alias is only declared", name.Name)
	case to.Func.Node.Body == nil:
		c.errorf(diag.BadAlias, c.at(s.Aliasee), "%s has no body to alias", to.Name)
	case name.Func.Entry || to.Func.Entry:
		c.errorf(diag.BadAlias, c.file.Span(s.Range), "an alias joins device functions, not kernels")
	default:
		name.Alias = to
	}
}

// functionNamed resolves a name that must be a function.
func (c *checker) functionNamed(tok syntax.TokenID) *Object {
	u, ok := c.use(tok)
	switch {
	case !ok:
		c.undeclared(tok)
	case u.Object == nil || u.Object.Kind != Function:
		c.errorf(diag.BadAlias, c.at(tok), "%s is no function", c.text(tok))
	default:
		return u.Object
	}
	return nil
}

// pragmas are the strings that ptxas knows (chapter 12); the first word decides.
var pragmas = map[string]bool{
	"nounroll": true, "used_bytes_mask": true, "enable_smem_spilling": true, "frequency": true, "mma_throughput": true,
}

func (c *checker) pragma(s *syntax.Pragma) {
	for _, tok := range s.Strings {
		words := strings.Fields(strings.Trim(c.text(tok), `"`))
		if len(words) == 0 || !pragmas[words[0]] {
			c.errorf(diag.UnknownPragma, c.at(tok), "unknown pragma %s", c.text(tok))
		}
	}
}
