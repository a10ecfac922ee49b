package lower

// This file checks symbol resolution between modules and the layout of shared memory.

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/ir"
)

const header = ".version 8.0\n.target sm_90\n.address_size 64\n"

// kernel is a module with one kernel that stores a symbol's address.
func kernel(name, decls, body string) string {
	return header + decls + "\n.visible .entry " + name + "()\n{\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n" + body + "\nret;\n}\n"
}

func TestLinkDefinesExtern(t *testing.T) {
	use := kernel("k", ".extern .global .align 4 .u32 v[4];\n.extern .func (.param .b32 r) f(.param .b32 x);", `
	{ .param .b32 a; .param .b32 b; mov.u64 %rd1, v; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r2, [b]; }`)
	def := header + ".visible .global .align 4 .u32 v[4] = {1,2,3,4};\n.visible .func (.param .b32 r) f(.param .b32 x) { ret; }\n"
	for _, order := range [][]string{{use, def}, {def, use}} {
		m := linked(t, order...)
		print(t, m)
		k := m.Func("k")
		for i := range k.Insts {
			if c := k.Insts[i].Call; c != nil && (c.Callee != m.Func("f") || !c.Callee.Defined) {
				t.Errorf("the call goes to %v", c.Callee)
			}
		}
		if v := m.Var("v"); len(m.Vars) != 1 || k.Insts[0].Ops[1].Var != v || len(v.Init) != 16 {
			t.Errorf("the address is that of %v; variables %v", k.Insts[0].Ops[1].Var, m.Vars)
		}
	}
}

func TestLinkErrors(t *testing.T) {
	def := header + ".visible .global .u32 v;\n.visible .func f() { ret; }\n"
	for name, c := range map[string]struct {
		code  diag.Code
		texts []string
	}{
		"two variables":       {diag.DuplicateDefinition, []string{header + ".visible .global .u32 v;\n", header + ".visible .global .u32 v;\n"}},
		"two functions":       {diag.DuplicateDefinition, []string{header + ".visible .func f() { ret; }\n", header + ".visible .func f() { ret; }\n"}},
		"two kernels":         {diag.DuplicateDefinition, []string{kernel("k", "", ""), kernel("k", "", "")}},
		"another size":        {diag.LinkMismatch, []string{def, kernel("k", ".extern .global .u64 v;", "mov.u64 %rd1, v;")}},
		"another space":       {diag.LinkMismatch, []string{def, kernel("k", ".extern .const .u32 v;", "mov.u64 %rd1, v;")}},
		"another signature":   {diag.LinkMismatch, []string{def, kernel("k", ".extern .func f(.param .b32 x);", "{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); }")}},
		"unresolved variable": {diag.Unresolved, []string{kernel("k", ".extern .global .u32 v;", "mov.u64 %rd1, v;"), header}},
		"unresolved function": {diag.Unresolved, []string{kernel("k", ".extern .func f();", "call f;")}},
		"constants together":  {diag.TooMuchMemory, []string{header + ".visible .const .b8 v[65536];\n", header + ".visible .const .b8 w[1];\n"}},
		"shared together": {diag.TooMuchMemory, []string{kernel("k", ".extern .func f();\n.shared .b8 s[49000];", "mov.u64 %rd1, s; call f;"),
			header + ".shared .b8 t[153];\n.visible .func f() { .reg .b64 %rd; mov.u64 %rd, t; ret; }\n"}},
	} {
		if _, diags := link(t, c.texts...); len(diags) != 1 || diags[0].Code != c.code || diags[0].Source == nil {
			t.Errorf("%s: want one %v, got %v", name, c.code, diags)
		}
	}
}

// TestLimitsReached: what just fits is linked, and open shared memory does not count.
func TestLimitsReached(t *testing.T) {
	linked(t, header+".visible .const .b8 v[65535];\n", header+".visible .const .b8 w[1];\n")
	linked(t, kernel("k", ".extern .shared .b8 d[];\n.extern .func f();\n.shared .b8 s[49000];", "mov.u64 %rd1, s; mov.u64 %rd1, d; call f;"),
		header+".shared .b8 t[152];\n.shared .b8 unused[9999];\n.visible .func f() { .reg .b64 %rd; mov.u64 %rd, t; ret; }\n")
}

// TestLinkUnreached: a function that no kernel reaches may call what nothing defines; one whose address a variable has may not.
func TestLinkUnreached(t *testing.T) {
	open := header + ".extern .func missing();\n.extern .global .u32 nowhere;\n" +
		".visible .func f() { .reg .b64 %rd; mov.u64 %rd, nowhere; call missing; ret; }\n"
	linked(t, kernel("k", "", ""), open)
	linked(t, kernel("k", ".extern .global .align 8 .b64 v;\n.extern .global .b8 w[8];", "mov.u64 %rd1, v; mov.u64 %rd1, w;"),
		header+".visible .global .align 8 .u64 v;\n.visible .global .u32 w[2];\n")
	for _, user := range []string{kernel("k", ".extern .func f();", "call f;"), header + ".extern .func f();\n.visible .global .u64 at = f;\n"} {
		if _, diags := link(t, user, open); len(diags) != 2 || diags[0].Code != diag.Unresolved || diags[0].Source == nil {
			t.Errorf("want missing and nowhere, got %v", diags)
		}
	}
}

// TestLinkAlone: a module that nothing is linked to has what it declares .extern, as ptxas has it.
func TestLinkAlone(t *testing.T) {
	linked(t, kernel("k", ".extern .global .u32 v;", "mov.u64 %rd1, v;"))
	m := linked(t, kernel("k", ".extern .shared .u32 s[3];\n.extern .shared .u32 d[];", "mov.u64 %rd1, s; mov.u64 %rd1, d;"))
	if k := m.Func("k"); m.Var("s").Dynamic || !m.Var("d").Dynamic || k.SharedBytes != 12 {
		t.Errorf("s dynamic: %v, d: %v; %d bytes of shared memory", m.Var("s").Dynamic, m.Var("d").Dynamic, k.SharedBytes)
	}
}

func TestLinkWeakAndCommon(t *testing.T) {
	for name, texts := range map[string][]string{
		"weak and strong":   {header + ".weak .global .u32 v = 1;\n", header + ".visible .global .u32 v = 2;\n"},
		"strong and weak":   {header + ".visible .global .u32 v = 2;\n", header + ".weak .global .u32 v = 1;\n"},
		"first of two weak": {header + ".weak .global .u32 v = 2;\n", header + ".weak .global .u32 v = 1;\n"},
		"common and strong": {header + ".common .global .u32 v;\n", header + ".visible .global .u32 v = 2;\n"},
	} {
		if m := linked(t, texts...); len(m.Vars) != 1 || m.Vars[0].Init[0] != 2 {
			t.Errorf("%s: %v", name, m.Vars)
		}
	}
	m := linked(t, header+".common .global .u32 v[2];\n", header+".common .global .u32 v[5];\n")
	if m.Vars[0].Size != 20 {
		t.Errorf("of two commons the larger wins, got %d bytes", m.Vars[0].Size)
	}
}

func TestLinkKeepsPrivatesApart(t *testing.T) {
	a := kernel("a", ".global .u32 v = 1;\n.func f() { ret; }", "mov.u64 %rd1, v; call f;")
	b := kernel("b", ".global .u32 v = 2;\n.func f() { ret; }", "mov.u64 %rd1, v; call f;")
	m := linked(t, a, b)
	if text := print(t, m); !strings.Contains(text, "&v~2") || !strings.Contains(text, "&f~2") {
		t.Errorf("private symbols of two modules:\n%s", text)
	}
}

func TestLinkResolvesDeclaredRuntime(t *testing.T) {
	linked(t, kernel("k", ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);",
		"{ .param .b64 f; .param .b64 a; .param .b32 r; call (r), vprintf, (f, a); }"))
}

// TestSharedLayout: kernels pay for what they reach, a shared helper fixes one offset.
func TestSharedLayout(t *testing.T) {
	m := linked(t, header+`
.shared .align 4 .b8 common[100];
.shared .align 8 .b8 onlyA[40];
.shared .align 16 .b8 onlyB[48];
.shared .align 4 .b8 unused[4096];
.extern .shared .align 16 .b8 dyn[];
.func f() { .reg .b32 %r<2>; st.shared.u32 [common], %r1; ret; }
.entry a() { .reg .b32 %r<2>; call f; st.shared.u32 [onlyA], %r1; st.shared.u32 [dyn], %r1; ret; }
.entry b() { .reg .b32 %r<2>; st.shared.u32 [onlyB], %r1; call f; ret; }
.entry c() { ret; }
`)
	for name, want := range map[string]int64{"common": 0, "onlyA": 104, "onlyB": 112} {
		if v := m.Var(name); v.Offset != want {
			t.Errorf("%s at %d, want %d", name, v.Offset, want)
		}
	}
	for name, want := range map[string]int64{"a": 144, "b": 160, "c": 0} {
		if f := m.Func(name); f.SharedBytes != want {
			t.Errorf("kernel %s has %d shared bytes, want %d", name, f.SharedBytes, want)
		}
	}
	if d := m.Var("dyn"); !d.Dynamic || len(m.Func("a").Shared) != 3 {
		t.Errorf("dynamic %v, shared of a: %v", d.Dynamic, m.Func("a").Shared)
	}
}

// TestSharedThroughPointer: an indirect call may reach whatever has its address taken.
func TestSharedThroughPointer(t *testing.T) {
	m := linked(t, header+`
.shared .b32 s[16];
.func f() { .reg .b32 %r<2>; st.shared.u32 [s], %r1; ret; }
.global .u64 table[1] = { f };
.entry k() { .reg .b64 %rd<2>; p: .callprototype _ (); ld.global.u64 %rd1, [table]; call %rd1, (), p; ret; }
`)
	if k := m.Func("k"); len(k.Shared) != 1 || k.SharedBytes != 64 {
		t.Errorf("shared %v, %d bytes", k.Shared, k.SharedBytes)
	}
}

// TestInlineChain follows .loc through inlined_at.
func TestInlineChain(t *testing.T) {
	m := linked(t, header+`
.file 1 "a.cu"
.entry k() {
	.reg .b32 %r<2>;
	.loc 1 10 3
	mov.u32 %r1, 1;
	.loc 1 20 5, function_name $L_outer, inlined_at 1 10 3
	mov.u32 %r1, 2;
	.loc 1 30 7, function_name $L_inner+2, inlined_at 1 20 5
	mov.u32 %r1, 3;
	ret;
}
.section .debug_str {
$L_outer:
	.b8 111,117,116,0
$L_inner:
	.b8 95,95,105,110
	.b8 110,0
}
`)
	var chain []string
	var in ir.Inst = m.Func("k").Insts[2]
	for _, l := range m.Chain(in.Loc) {
		chain = append(chain, l.Function)
	}
	if got := strings.Join(chain, " < "); got != "inn < out < " {
		t.Errorf("chain %q", got)
	}
}
