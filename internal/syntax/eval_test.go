package syntax

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestEval reads lines `expression = kind value` or `expression = Pnnnn`; the values are
// what ptxas 13.5 put into an initialised .u64 variable.
func TestEval(t *testing.T) {
	text, err := os.ReadFile("testdata/eval.txt")
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.LastIndex(line, " = ")
		expr, want := strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+3:])
		if got := evalText(expr); got != want {
			t.Errorf("line %d: %s = %s, want %s", n+1, expr, got, want)
		}
	}
}

func evalText(expr string) string {
	f := Parse("eval", []byte(".version 9.1\n.target sm_90\n.global .u64 v = "+expr+";\n"))
	if f.Errors.HasErrors() {
		return f.Errors[0].Code.String()
	}
	v, d := f.EvalInit(f.Stmts[2].(*Variables).Vars[0].Init.Expr)
	if d != nil {
		return d.Code.String()
	}
	return formatInit(f, v)
}

func formatInit(f *File, v InitValue) string {
	out := fmt.Sprintf("%s 0x%x", [...]string{"s64", "u64", "f64", "f32"}[v.Value.Kind], v.Value.Bits)
	if v.Symbol != NoToken {
		out = f.Text(v.Symbol) + " + " + out
	}
	if v.Generic {
		out = "generic " + out
	}
	if v.Mask != 0 {
		out += fmt.Sprintf(" mask 0x%x", v.Mask)
	}
	return out
}
