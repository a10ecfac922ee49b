package check

// This file checks the directives of a function: what they are for, their values,
// and which exclude or demand each other.

import (
	"strconv"

	"ptxvm/internal/diag"
	"ptxvm/internal/isa"
	"ptxvm/internal/syntax"
)

// directiveRule is what one directive of a function head demands.
type directiveRule struct {
	entry, device bool // where it may stand
	args          int  // most arguments
	since         isa.Version
	until         isa.Version // from which on it is gone; 0: it is still there
	target        string      // least target, "" for all
	positive      bool        // arguments must not be zero
}

var directiveRules = map[syntax.Word]directiveRule{
	syntax.WordMaxNReg:            {entry: true, args: 1, since: isa.V(1, 3), positive: true},
	syntax.WordMaxNTid:            {entry: true, args: 3, since: isa.V(1, 3), positive: true},
	syntax.WordReqNTid:            {entry: true, args: 3, since: isa.V(2, 1), positive: true},
	syntax.WordMinNCTAPerSM:       {entry: true, args: 1, since: isa.V(2, 0), positive: true},
	syntax.WordMaxNCTAPerSM:       {entry: true, args: 1, since: isa.V(1, 3), until: isa.V(2, 1)},
	syntax.WordNoReturn:           {device: true, since: isa.V(6, 4), target: "sm_30"},
	syntax.WordPragma:             {entry: true, device: true, args: 64, since: isa.V(2, 0)},
	syntax.WordAbiPreserve:        {device: true, args: 1, since: isa.V(9, 0), target: "sm_80"},
	syntax.WordAbiPreserveControl: {device: true, args: 1, since: isa.V(9, 0), target: "sm_80"},
	syntax.WordReqNCTAPerCluster:  {entry: true, args: 3, since: isa.V(7, 8), target: "sm_90"},
	syntax.WordExplicitCluster:    {entry: true, since: isa.V(7, 8), target: "sm_90"},
	syntax.WordMaxClusterRank:     {entry: true, args: 1, since: isa.V(7, 8), target: "sm_90"},
	syntax.WordBlocksAreClusters:  {entry: true, since: isa.V(9, 0), target: "sm_90"},
	syntax.WordMinPerCTAMemory:    {entry: true, args: 1, since: isa.V(9, 4)},
	syntax.WordLanguage:           {entry: true, device: true, args: 2, since: isa.V(9, 2)},
}

// conflicts are pairs that cannot both be given (11.4.3, 11.7.1).
var conflicts = [][2]syntax.Word{
	{syntax.WordMaxNTid, syntax.WordReqNTid},
	{syntax.WordReqNCTAPerCluster, syntax.WordMaxClusterRank},
}

func (c *checker) directives(list []syntax.Directive, fn *Func) {
	seen := map[syntax.Word]*syntax.Directive{}
	for i := range list {
		d := &list[i]
		seen[c.file.Word(d.Keyword)] = d
		c.directive(d, fn)
	}
	for _, pair := range conflicts {
		if a, b := seen[pair[0]], seen[pair[1]]; a != nil && b != nil {
			c.errorf(diag.BadPerformanceDirective, c.at(b.Keyword), "%s and %s cannot both be given", c.text(a.Keyword), c.text(b.Keyword))
		}
	}
	c.companions(seen)
}

// companions checks directives that mean nothing, or nothing legal, alone.
func (c *checker) companions(seen map[syntax.Word]*syntax.Directive) {
	if d := seen[syntax.WordBlocksAreClusters]; d != nil && (seen[syntax.WordReqNTid] == nil || seen[syntax.WordReqNCTAPerCluster] == nil) {
		c.errorf(diag.BadPerformanceDirective, c.at(d.Keyword), "%s needs .reqntid and .reqnctapercluster", c.text(d.Keyword))
	}
	if d := seen[syntax.WordMinNCTAPerSM]; d != nil && seen[syntax.WordMaxNTid] == nil && seen[syntax.WordReqNTid] == nil {
		c.warnf(diag.BadPerformanceDirective, c.at(d.Keyword), "%s has no effect without .maxntid or .reqntid", c.text(d.Keyword))
	}
}

func (c *checker) directive(d *syntax.Directive, fn *Func) {
	rule, ok := directiveRules[c.file.Word(d.Keyword)]
	name := c.text(d.Keyword)
	switch {
	case !ok:
		return // reported by the parser
	case fn.Entry && !rule.entry:
		c.errorf(diag.BadPerformanceDirective, c.at(d.Keyword), "%s is for device functions", name)
	case !fn.Entry && !rule.device:
		c.errorf(diag.BadPerformanceDirective, c.at(d.Keyword), "%s is for kernels", name)
	case len(d.Args) > rule.args:
		c.errorf(diag.BadPerformanceDirective, c.at(d.Args[rule.args]), "%s takes at most %d values", name, rule.args)
	case c.file.Word(d.Keyword) == syntax.WordNoReturn && len(fn.Sig.Rets) > 0:
		c.errorf(diag.NoReturnReturns, c.at(d.Keyword), "a .noreturn function has no return value")
	}
	c.gate(d.Keyword, name, rule.since)
	if rule.until != 0 && !c.info.Version.Before(rule.until) {
		c.errorf(diag.Removed, c.at(d.Keyword), "%s is gone since .version %v, the module has %v", name, rule.until, c.info.Version)
	}
	if rule.target != "" && c.info.Target.Before(isa.MustTarget(rule.target)) {
		c.errorf(diag.NeedsTarget, c.at(d.Keyword), "%s needs %s or later, the target is %v", name, rule.target, c.info.Target)
	}
	if rule.positive {
		c.positive(d, name)
	}
	if c.file.Word(d.Keyword) == syntax.WordNoReturn {
		fn.Sig.NoReturn = true
	}
}

func (c *checker) positive(d *syntax.Directive, name string) {
	for _, tok := range d.Args {
		if n, err := strconv.ParseUint(c.text(tok), 0, 32); err != nil || n == 0 {
			c.errorf(diag.BadPerformanceDirective, c.at(tok), "%s needs positive numbers, not %s", name, c.text(tok))
		}
	}
}
