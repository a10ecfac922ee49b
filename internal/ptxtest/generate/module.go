package generate

// This file prints statements as modules, one function each.

import (
	"fmt"
	"strings"

	"ptxvm/internal/isa"
)

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

// Print writes the statements, which have one version and target, as a module.
func Print(v isa.Version, t isa.Target, list []*Statement) *Module {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %v\n.target %v\n", v, t)
	if v.Before(isa.V(2, 3)) {
		b.WriteString("\n")
	} else {
		b.WriteString(".address_size 64\n")
	}
	b.WriteString(".global .align 128 .b8 v_global[512];\n.shared .align 128 .b8 v_shared[512];\n.const .align 128 .b8 v_const[512];\n")
	m := &Module{}
	for i, s := range list {
		s.print(&b, i)
		m.lines = append(m.lines, strings.Count(b.String(), "\n"))
	}
	m.Text = b.String()
	return m
}

// print writes the statement as a function of five lines and its declarations.
func (s *Statement) print(b *strings.Builder, n int) {
	const param = ".param .align 16 .b8 " + parameter + "[64]"
	switch {
	case s.Device:
		fmt.Fprintf(b, ".func f%d (%s)\n{\n", n, param)
	case s.Version.Before(isa.V(1, 4)):
		fmt.Fprintf(b, ".entry f%d\n{\n", n)
	default:
		fmt.Fprintf(b, ".entry f%d (%s)\n{\n", n, param)
	}
	for _, line := range s.Declarations() {
		b.WriteString(line + "\n")
	}
	text := s.Text()
	if strings.Contains(text, "v_local") {
		b.WriteString(".local .align 16 .b8 v_local[64];\n")
	}
	if strings.Contains(text, "v_param") {
		b.WriteString(".param .align 16 .b8 v_param[64];\n")
	}
	fmt.Fprintf(b, "%s\n%s:\nret;\n}\n", text, label)
}
