package generate

// This file draws the device functions of runnable programs, and their calls: small ones that may stand in place of their calls,
// functions that call others or themselves, through their name or their address, for all lanes or some.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// ProgramFunction is a function of a program
//
//	(.param .b64 result) name(.param .b64 first, .param .b64 second, .param .b64 uniform, .param .b32 index, .param .b64 row, .param .b32 depth)
//
// or with the first two as an array of 16 bytes. Its registers begin with what it is given, and with values of its lane's row of
// the input; the result is made of all.
type ProgramFunction struct {
	Name  string
	Array bool
	Nodes []*Node
}

// Names of functions, and of prototypes for calls through addresses.
const (
	functionName   = "function$"
	scalarsProto   = "scalars$"
	arrayProto     = "array$"
	maxFunctions   = 3
	maxDepthOfSelf = 3 // calls of itself in each other
)

// functions draws those of a program; they call those before them.
func (w *writer) functions() {
	if w.r.IntN(2) == 0 {
		return
	}
	for range 1 + w.r.IntN(maxFunctions) {
		f := &ProgramFunction{Name: fmt.Sprint(functionName, len(w.p.Functions)), Array: w.r.IntN(3) == 0}
		w.inside, w.calls, w.left = f, 1, 1+w.r.IntN(6)
		if w.r.IntN(4) == 0 {
			w.left += 15 // too long to stand in place, with what it calls
		}
		f.Nodes = w.block(0, true)
		if w.r.IntN(4) == 0 {
			f.Nodes = slices.Insert(f.Nodes, w.r.IntN(len(f.Nodes)+1), w.self(f))
		}
		w.p.Functions = append(w.p.Functions, f)
	}
	w.inside, w.calls = nil, 8
}

// mayCall reports whether a call may stand here: in a function not in loops, so that a program ends soon.
func (w *writer) mayCall(depth int) bool {
	return len(w.p.Functions) != 0 && w.calls > 0 && (w.inside == nil || depth == 0)
}

// call draws a call, of a function by its name, or through an address that lanes may choose from two.
func (w *writer) call(uniform bool) *Node {
	w.calls--
	f := w.p.Functions[w.r.IntN(len(w.p.Functions))]
	depth, text := fmt.Sprint(w.r.IntN(maxDepthOfSelf+1)), ""
	if w.r.IntN(3) == 0 {
		text, depth = fmt.Sprintf("and.b32 %%left, %%x0, %d;\n", maxDepthOfSelf), "%left"
	}
	target, proto := f.Name, ""
	if w.r.IntN(5) == 0 {
		g := w.p.Functions[w.r.IntN(len(w.p.Functions))]
		text += fmt.Sprintf("mov.u64 %%function, %s;\n", f.Name)
		if g != f && g.Array == f.Array {
			text += fmt.Sprintf("mov.u64 %%other, %s;\nselp.b64 %%function, %%function, %%other, %%pred_%d;\n", g.Name, lanes.source(w.r))
		}
		if target, proto = "%function", ", "+scalarsProto; f.Array {
			proto = ", " + arrayProto
		}
	}
	return &Node{Text: text + w.callText(f, target, proto, depth, uniform)}
}

// self is a call of the function that it stands in, as often in each other as its last argument says.
func (w *writer) self(f *ProgramFunction) *Node {
	return &Node{Text: "setp.eq.u32 %last, %depth, 0;\n@%last bra LAST;\nsub.u32 %left, %depth, 1;\n" + w.callText(f, f.Name, "", "%left", false) + "\nLAST:"}
}

// callText is a call with its arguments and its result, now and then under a guard.
func (w *writer) callText(f *ProgramFunction, target, proto, depth string, uniform bool) string {
	m := w.mode(uniform)
	reg := func() string { return fmt.Sprintf("%%b64_%d", m.source(w.r)) }
	var b strings.Builder
	b.WriteString("{\n.param .b64 u, w, q;\n.param .b32 v, d;\n")
	args := "(x, u, v, w, d)"
	switch first, second := reg(), reg(); {
	case !f.Array:
		args = "(x, y, u, v, w, d)"
		fmt.Fprintf(&b, ".param .b64 x, y;\nst.param.b64 [x], %s;\nst.param.b64 [y], %s;\n", first, second)
	case w.r.IntN(2) == 0:
		fmt.Fprintf(&b, ".param .align 16 .b8 x[16];\nst.param.v2.b64 [x], {%s, %s};\n", first, second)
	default:
		fmt.Fprintf(&b, ".param .align 16 .b8 x[16];\nst.param.b64 [x+8], %s;\nst.param.b64 [x], %s;\n", first, second)
	}
	fmt.Fprintf(&b, "st.param.b64 [u], %%b64_%d;\nst.param.b32 [v], %%x0;\nst.param.b64 [w], %%in;\nst.param.b32 [d], %s;\n", same.source(w.r), depth)
	guard, uni := "", ""
	switch w.r.IntN(6) {
	case 0:
		guard = fmt.Sprintf("@%%pred_%d ", lanes.source(w.r))
		fmt.Fprintf(&b, "st.param.b64 [q], %s;\n", reg())
	case 1, 2:
		if uniform && proto == "" {
			uni = ".uni"
		}
	}
	fmt.Fprintf(&b, "%scall%s (q), %s, %s%s;\nld.param.b64 %%b64_%d, [q];\n}", guard, uni, target, args, proto, m.result(w.r))
	return b.String()
}

// early is a return for some lanes.
func (w *writer) early() *Node {
	return &Node{Text: fmt.Sprintf("st.param.b64 [result], %%b64_%d;\n@%%pred_%d ret;", lanes.source(w.r), lanes.source(w.r))}
}

// params are the parameters of the function, named or for a prototype.
func (f *ProgramFunction) params(named bool) string {
	types := []string{".b64", ".b64", ".b64", ".b32", ".b64", ".b32"}
	names := []string{"first", "second", "uniform", "index", "row", "depth"}
	if f.Array {
		types, names = types[1:], slices.Delete(names, 1, 2)
		types[0] = ".align 16 .b8"
	}
	list := make([]string, len(types))
	for i, name := range names {
		if !named {
			name = "_"
		}
		if f.Array && i == 0 {
			name += "[16]"
		}
		list[i] = ".param " + types[i] + " " + name
	}
	return strings.Join(list, ", ")
}

// prototypes declares those that a text names.
func prototypes(text string) (list string) {
	for _, p := range []struct {
		name  string
		array bool
	}{{scalarsProto, false}, {arrayProto, true}} {
		if strings.Contains(text, p.name) {
			list += fmt.Sprintf("%s: .callprototype (.param .b64 _) _ (%s);\n", p.name, (&ProgramFunction{Array: p.array}).params(false))
		}
	}
	return list
}

// String prints the function.
func (f *ProgramFunction) String() string {
	t, names := printNodes(f.Nodes)
	var b strings.Builder
	fmt.Fprintf(&b, ".func (.param .b64 result) %s(%s)\n{\n%s", f.Name, f.params(true), t.declarations(names))
	b.WriteString(".reg .b16 %half;\n.reg .b64 %wide, %all, %first, %second, %uniform;\n")
	second := "second"
	if f.Array {
		second = "first+8"
	}
	fmt.Fprintf(&b, "ld.param.b64 %%first, [first];\nld.param.b64 %%second, [%s];\nld.param.b64 %%uniform, [uniform];\n", second)
	b.WriteString("ld.param.b32 %x0, [index];\nld.param.b64 %in, [row];\nld.param.b32 %depth, [depth];\nmov.b64 %all, 0;\n")
	for i, name := range names {
		b.WriteString(begin(name, 16*i))
	}
	b.WriteString(t.b.String())
	for _, name := range names {
		b.WriteString(fold(name))
	}
	b.WriteString("st.param.b64 [result], %all;\nret;\n}\n")
	return b.String()
}

// begin gives a register of a function its first value: the first two by lane what the function is given, uniform ones the
// argument that is, and others a value of the lane's row or its index.
func begin(name string, offset int) string {
	t, n := registerOf(name)
	from := "%uniform"
	if n <= 2 {
		from = []string{"", "%first", "%second"}[n]
	} else if n <= laneRegisters || n >= affineSource {
		return initial(name, fromRow(offset))
	}
	switch {
	case t == isa.PredType():
		return fmt.Sprintf("cvt.u32.u64 %%byte, %s;\nand.b32 %%byte, %%byte, 1;\nsetp.ne.u32 %s, %%byte, 0;\n", from, name)
	case t.Bits() == 16:
		return fmt.Sprintf("cvt.u16.u64 %%half, %s;\nmov.b16 %s, %%half;\n", from, name)
	case t.Bits() == 32:
		return fmt.Sprintf("cvt.u32.u64 %%byte, %s;\nmov.b32 %s, %%byte;\n", from, name)
	case t.Bits() == 64:
		return fmt.Sprintf("mov.b64 %s, %s;\n", name, from)
	}
	return initial(name, fromRow(offset))
}

// fold makes a register a part of the result.
func fold(name string) string {
	t, _ := registerOf(name)
	last := "mad.lo.u64 %all, %all, 31, %wide;\n"
	switch {
	case t == isa.PredType():
		return fmt.Sprintf("selp.u32 %%byte, 1, 0, %s;\ncvt.u64.u32 %%wide, %%byte;\n", name) + last
	case t.Bits() == 16:
		return fmt.Sprintf("mov.b16 %%half, %s;\ncvt.u64.u16 %%wide, %%half;\n", name) + last
	case t.Bits() == 32:
		return fmt.Sprintf("mov.b32 %%byte, %s;\ncvt.u64.u32 %%wide, %%byte;\n", name) + last
	case t.Bits() == 64:
		return fmt.Sprintf("mov.b64 %%wide, %s;\n", name) + last
	}
	return ""
}
