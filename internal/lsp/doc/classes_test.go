package doc

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/lower"
)

// TestClasses: what is said of a register is what its definitions say.
func TestClasses(t *testing.T) {
	const module = `.version 8.0
.target sm_80
.visible .entry k(.param .u32 n)%s
{
	.reg .b32 %%r<9>;
	.reg .pred %%p<3>;
	ld.param.u32 %%r1, [n];
	mov.u32 %%r2, %%tid.x;
	add.u32 %%r3, %%r1, %%r2;
	mul.lo.u32 %%r4, %%r2, %%r2;
	mov.u32 %%r8, %%r2;
	mov.u32 %%r5, %%tid.y;
	setp.lt.u32 %%p1, %%r2, %%r1;
	setp.lt.u32 %%p2, %%r1, 7;
	@%%p1 add.u32 %%r6, %%r1, 1;
	@%%p2 add.u32 %%r7, %%r1, 1;
	{
		.reg .b32 %%r8;
		mov.u32 %%r8, 1;
	}
	ret;
}
`
	for _, c := range []struct{ directive, register, want string }{
		{"", "%r1", "Uniform: while"}, {"", "%r2", "By lane: in blocks of one dimension it grows"}, {"", "%r3", "By lane: in blocks of one"},
		{"", "%r4", "By lane: it may differ"}, {"", "%r5", "Uniform in blocks of one dimension"}, {"", "%p1", "By lane: it may"},
		{"", "%p2", "Uniform: while"}, {"", "%r6", "By lane: it may"}, {"", "%r7", "Uniform: while"}, {"", "%r8", ""}, {"", "%nothing", ""},
		{" .reqntid 8, 4", "%r2", "By lane: in blocks as `.reqntid` has them rows"}, {" .reqntid 8, 4", "%r5", "By lane: in blocks as `.reqntid` has them rows"},
		{" .reqntid 64, 4", "%r5", "Uniform in blocks as `.reqntid` has them: "},
	} {
		s := New("k.ptx", fmt.Appendf(nil, module, c.directive), check.Options{WholeProgram: true})
		got := s.uniformity(t.Context(), Pos(strings.Index(string(s.Text), "ld.param")), c.register)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s%s: %q, want %q", c.register, c.directive, got, c.want)
		}
	}
}

// TestClassesAlone: a function that was read alone has the classes that it has in its module.
func TestClassesAlone(t *testing.T) {
	asked, known := 0, 0
	for _, text := range corpus(t) {
		s := New("k.ptx", text, check.Options{})
		v, err := s.verdict(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v.diags.HasErrors() || v.loose {
			if c, err := s.classes(t.Context(), Pos(len(text)/2)); c != nil || err != nil {
				t.Errorf("classes of a text with errors: %v, %v", c, err)
			}
			continue
		}
		m, err := lower.Module(s.whole.Info, lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		whole := map[string]*ir.Func{}
		for _, f := range m.Funcs {
			whole[f.Name] = f
		}
		for i, f := range s.whole.Info.Funcs {
			if f.Node.Body == nil {
				continue
			}
			asked++
			c, err := s.classes(t.Context(), s.whole.span(f.Node.Body.Range).Start)
			if err != nil || c == nil {
				t.Errorf("function %d: %v", i, err)
				continue
			}
			want := solve(whole[f.Object.Name])
			for name := range want.regs {
				a, b := c.text(name), want.text(name)
				if known++; a != b {
					t.Errorf("%s of %s: %q alone, %q in its module", name, f.Object.Name, a, b)
				}
			}
		}
	}
	if asked < 100 || known < 1000 {
		t.Errorf("only %d functions with %d registers", asked, known)
	}
}

func (c *classes) text(name string) string {
	_, text := c.of(name)
	return text
}
