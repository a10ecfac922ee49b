package num

import (
	"regexp"
	"testing"
)

// elsewhere are the functions that have tests of their own instead of a model by name.
var elsewhere = regexp.MustCompile(`Approx|DivFull|^Cvt|^Dp[24]a|^Prmt|^Lop3|x4$|[US]16x2$|^Add16x2$` +
	`|^(Eq|Ne|Lt|Le|Gt|Ge)u?B?F|^(Num|Nan)B?F|^(Finite|Infinite|Number|NotANumber|Normal|Subnormal)F` +
	`|^AtomAddGlobalF32$|^Fns32$|^Set$|^Slct..F32$|^FmaOobFactors|^MadCut|QuietF64$|FirstF64$|Nearest(Ftz)?B?F|^Video` +
	`|^TanhSegments$`) // a table, of which internal/jit/lane's functions are held to TanhApprox

// TestEveryFunctionTested wants a model, or another test, for each function.
func TestEveryFunctionTested(t *testing.T) {
	for name := range functions {
		w := intName.FindStringSubmatch(name)
		if parseFloat(name) == nil && (w == nil || intModels[w[1]].value == nil) && !elsewhere.MatchString(name) {
			t.Errorf("nothing tests %s", name)
		}
	}
}

// functions has the functions by name: vector files and models ask for them.
var functions = func() map[string]any {
	all := map[string]any{}
	for _, f := range functionList {
		all[f.name] = f.fn
	}
	return all
}()
