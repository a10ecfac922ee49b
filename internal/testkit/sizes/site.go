package sizes

// Where the operands of the tables stand: an instruction with a state space and a vector length.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/judge"
)

// Site is a place of an operand: ld.shared.v2, or cvt-s and cvt-d for source and destination.
type Site struct {
	Op      string // ld, st, cvt-s, cvt-d
	Space   string // with its dot, as written: .global, .global.nc
	Address string // between the brackets
	Device  bool   // stands in a device function
	Vector  int    // 1: none
	Target  string
}

// Name is the site as testdata/verdicts.txt writes it.
func (s Site) Name() string {
	name := s.Op + s.Space + s.vector()
	if s.Device {
		name += " in a function"
	}
	return name + " " + s.Target
}

func (s Site) vector() string {
	if s.Vector == 1 {
		return ""
	}
	return fmt.Sprintf(".v%d", s.Vector)
}

// Sites lists all: loads and stores of one, two and four elements in every space, eight where
// global memory takes 32 bytes, and both ends of cvt.
func Sites() (list []Site) {
	for _, v := range []int{1, 2, 4} {
		for _, s := range []Site{
			{Op: "ld", Space: ".global", Address: "%b64_1"},
			{Op: "ld", Space: ".global.nc", Address: "%b64_1"},
			{Op: "ld", Space: ".shared", Address: "v_shared"},
			{Op: "ld", Space: ".local", Address: "v_local"},
			{Op: "ld", Space: ".const", Address: "v_const"},
			{Op: "ld", Space: ".param", Address: "arg"},
			{Op: "ld", Space: ".param", Address: "arg", Device: true},
			{Op: "ld", Address: "%b64_1"},
			{Op: "st", Space: ".global", Address: "%b64_1"},
			{Op: "st", Space: ".shared", Address: "v_shared"},
			{Op: "st", Space: ".local", Address: "v_local"},
			{Op: "st", Space: ".param", Address: "v_param"},
			{Op: "st", Address: "%b64_1"},
		} {
			s.Vector, s.Target = v, "sm_90"
			list = append(list, s)
		}
	}
	for _, v := range []int{4, 8} {
		for _, s := range []Site{{Op: "ld", Space: ".global"}, {Op: "ld", Space: ".global.nc"}, {Op: "st", Space: ".global"}} {
			s.Address, s.Vector, s.Target = "%b64_1", v, "sm_100"
			list = append(list, s)
		}
	}
	return append(list, Site{Op: "cvt-s", Vector: 1, Target: "sm_90"}, Site{Op: "cvt-d", Vector: 1, Target: "sm_90"})
}

// statement is one with an operand of a register type at the site; the names of registers say
// their types.
func (s Site) statement(inst, reg Type) string {
	var regs []string
	for i := range s.Vector {
		regs = append(regs, fmt.Sprintf("%%%v_%d", reg, i+2))
	}
	operand := strings.Join(regs, ", ")
	if s.Vector > 1 {
		operand = "{" + operand + "}"
	}
	switch s.Op {
	case "ld":
		return fmt.Sprintf("ld%s%s.%v %s, [%s];", s.Space, s.vector(), inst, operand, s.Address)
	case "st":
		return fmt.Sprintf("st%s%s.%v [%s], %s;", s.Space, s.vector(), inst, s.Address, operand)
	}
	other, rounding := partner(inst, s.Op == "cvt-d")
	if s.Op == "cvt-d" {
		return fmt.Sprintf("cvt%s.%v.%v %s, %%b%d_1;", rounding, inst, other, operand, other.Bits)
	}
	return fmt.Sprintf("cvt%s.%v.%v %%b%d_1, %s;", rounding, other, inst, other.Bits, operand)
}

// partner is a type at the other end of a cvt that keeps every value of a source, or fills a
// destination; with the rounding that the pair needs.
func partner(t Type, isDst bool) (Type, string) {
	switch {
	case t == Type{'f', 16}, t == Type{'f', 64} && isDst:
		other := Type{'f', 32}
		if t.Bits == 16 && isDst {
			return other, ".rn"
		}
		return other, ""
	case t == Type{'f', 32}:
		if isDst {
			return Type{'f', 64}, ".rn"
		}
		return Type{'f', 64}, ""
	case t == Type{'f', 64}:
		return Type{'f', 32}, ".rn"
	case t.Kind == 'u':
		return Type{'u', 64}, ""
	}
	return Type{'s', 64}, ""
}

// question is the statement for the judges.
func (s Site) question(inst, reg Type) *judge.Case {
	f := generate.Function{Version: isa.Latest, Target: isa.MustTarget(s.Target), Device: s.Device, Text: s.statement(inst, reg)}
	return &judge.Case{Function: f}
}
