package generate

// This file prints statements as modules, one function each.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Function is a statement as text, with all that its function and module must declare.
// Names that stand outside of the function end in $, which becomes its number in the module.
type Function struct {
	Version isa.Version
	Target  isa.Target
	Device  bool     // a device function, else a kernel
	Outside []string // declarations of the module, each on one line
	Inside  []string // declarations of the body but for registers, whose names say their type
	Text    string
}

// Function is the statement in its surroundings.
func (s *Statement) Function() Function {
	f := Function{Version: s.Version, Target: s.Target, Device: s.Device, Text: s.Text()}
	if s.callee != nil {
		f.Outside, f.Inside = s.callee.declarations()
	}
	for _, typ := range slices.Sorted(maps.Values(opaqueTypes)) {
		if name := opaqueName(typ); strings.Contains(f.Text, name) {
			f.Outside = append(f.Outside, ".global "+typ+" "+name+";")
		}
	}
	if slicesContain(s.Operands, isa.ShapeTable) && s.callee == nil {
		f.Inside = append(f.Inside, targetList+": .branchtargets "+label+";")
	}
	return f
}

func slicesContain(list []Operand, kind isa.ShapeKind) bool {
	for i := range list {
		if list[i].Shape.Kind == kind {
			return true
		}
	}
	return false
}

// Module is PTX text with one function a statement.
type Module struct {
	Text  string
	lines []int // the last line of each function
}

// Of returns the statement whose function has a line (from 1), -1 for the lines before.
func (m *Module) Of(line int) int {
	for i, last := range m.lines {
		if line <= last {
			if i == 0 && line <= moduleHead {
				return -1
			}
			return i
		}
	}
	return -1
}

// moduleHead is the number of lines before the first function.
const moduleHead = 6

// Print writes functions of one version and target as a module.
func Print(list []Function) *Module {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %v\n.target %v\n", list[0].Version, list[0].Target)
	if list[0].Version.Before(isa.V(2, 3)) {
		b.WriteString("\n")
	} else {
		b.WriteString(".address_size 64\n")
	}
	b.WriteString(".global .align 128 .b8 v_global[512];\n.shared .align 128 .b8 v_shared[512];\n.const .align 128 .b8 v_const[512];\n")
	m := &Module{}
	for i := range list {
		text := list[i].print(i)
		b.WriteString(strings.ReplaceAll(text, "$", strconv.Itoa(i)))
		m.lines = append(m.lines, strings.Count(b.String(), "\n"))
	}
	m.Text = b.String()
	return m
}

// print writes one function and what it needs outside.
func (f *Function) print(n int) string {
	const param = ".param .align 16 .b8 " + parameter + "[64]"
	var b strings.Builder
	for _, line := range f.Outside {
		b.WriteString(line + "\n")
	}
	switch {
	case f.Device:
		fmt.Fprintf(&b, ".func f%d (%s)\n{\n", n, param)
	case f.Version.Before(isa.V(1, 4)):
		fmt.Fprintf(&b, ".entry f%d\n{\n", n)
	default:
		fmt.Fprintf(&b, ".entry f%d (%s)\n{\n", n, param)
	}
	for _, line := range append(f.registers(), f.Inside...) {
		b.WriteString(line + "\n")
	}
	if strings.Contains(f.Text, "v_local") {
		b.WriteString(".local .align 16 .b8 v_local[64];\n")
	}
	if strings.Contains(f.Text, "v_param") {
		b.WriteString(".param .align 16 .b8 v_param[64];\n")
	}
	fmt.Fprintf(&b, "%s\n%s:\nret;\n}\n", f.Text, label)
	return b.String()
}

var registerName = regexp.MustCompile(`%([a-z0-9]+)_(\d+)`)

// registers declares the registers of the text, one .reg line a type.
func (f *Function) registers() []string {
	most := registersOf(f.Text)
	var lines []string
	for _, t := range isa.Types() {
		if n, ok := most[t]; ok {
			lines = append(lines, fmt.Sprintf(".reg %v %s<%d>;", t, registerPrefix(t), n+1))
		}
	}
	return lines
}

// registersOf finds the types of the registers that a text names, and the greatest number of each.
func registersOf(text string) map[isa.Type]int {
	most := map[isa.Type]int{}
	for _, m := range registerName.FindAllStringSubmatch(text, -1) {
		if t, ok := isa.LookupType("." + m[1]); ok {
			n, _ := strconv.Atoi(m[2])
			most[t] = max(most[t], n)
		}
	}
	return most
}
