package sizes

// Mixed precision (9.7.5): the registers of each operand, and the gates from both sides.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/judge"
)

// mixedStatements are statements of 9.7.5 with a place for each operand: the examples' modifiers
// in the order of the examples, and plain ones.
var mixedStatements = []struct {
	entry, text string
	operands    []string // registers of the legal statement
}{
	{"add.mixed", "add.f32.f16 %s, %s, %s;", []string{"%f32_1", "%f16_2", "%f32_3"}},
	{"add.mixed", "add.rz.f32.bf16.sat %s, %s, %s;", []string{"%f32_1", "%b16_2", "%f32_3"}},
	{"sub.mixed", "sub.rz.f32.f16.sat %s, %s, %s;", []string{"%f32_1", "%f16_2", "%f32_3"}},
	{"sub.mixed", "sub.rm.f32.bf16 %s, %s, %s;", []string{"%f32_1", "%b16_2", "%f32_3"}},
	{"fma.mixed", "fma.rz.sat.f32.f16.sat %s, %s, %s, %s;", []string{"%f32_1", "%f16_2", "%f16_3", "%f32_4"}},
	{"fma.mixed", "fma.rp.f32.bf16 %s, %s, %s, %s;", []string{"%f32_1", "%b16_2", "%b16_3", "%f32_4"}},
}

// MixedQuestions asks about each operand of the statements.
func MixedQuestions() (list []Question) {
	for _, s := range mixedStatements {
		for i := range s.operands {
			args := anys(s.operands)
			args[i] = open + "9"
			f := generate.Function{Version: isa.Latest, Target: isa.MustTarget("sm_100"), Text: fmt.Sprintf(s.text, args...)}
			list = append(list, Question{Entry: s.entry, Operand: i, Case: judge.Case{Function: f}})
		}
	}
	return list
}

func anys(words []string) (out []any) {
	for _, w := range words {
		out = append(out, w)
	}
	return out
}

// gate is a module on one side of a gate.
type gate struct {
	version isa.Version
	target  string
}

// mixedGates are 8.6 with sm_100, and one step below in version and target.
var mixedGates = []gate{{isa.V(8, 6), "sm_100"}, {isa.V(8, 6), "sm_90"}, {isa.V(8, 5), "sm_90"}, {isa.V(8, 6), "sm_90a"}, {isa.V(8, 8), "sm_103"}}

// MixedGates are the statements in a module on each side.
func MixedGates() (list []*judge.Case) {
	for _, g := range mixedGates {
		for _, s := range mixedStatements {
			f := generate.Function{Version: g.version, Target: isa.MustTarget(g.target), Text: fmt.Sprintf(s.text, anys(s.operands)...)}
			list = append(list, &judge.Case{Function: f})
		}
	}
	return list
}
