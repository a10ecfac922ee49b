package vec

// The kernels of a block. Every value travels as 64 bits (two words of 64 bits for a 128-bit
// register are not needed yet).
//
//	masked   lane i takes row i of the input; lanes outside the mask skip the statements
//	uniform  the operands are kernel parameters, so the statements run on scalar slots

import (
	"fmt"
	"strings"
)

// poison is what result registers hold before the statements run.
const poison = 0x5a5aa5a5c3c33c3c

// source prints the module with both kernels.
func (w *wrapped) source() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 9.5\n.target %v\n.address_size 64\n", w.target)
	w.masked(&b)
	w.uniform(&b)
	return b.String()
}

func (w *wrapped) declare(b *strings.Builder) {
	b.WriteString("\t.reg .b64 %in, %out, %v;\n\t.reg .b32 %t, %m, %s;\n\t.reg .pred %p, %z;\n")
	for _, o := range w.names {
		fmt.Fprintf(b, "\t.reg %s %s;\n", o.typ, o.name)
	}
}

func (w *wrapped) masked(b *strings.Builder) {
	b.WriteString(".visible .entry masked(.param .u64 pin, .param .u64 pout, .param .u32 pmask)\n{\n")
	w.declare(b)
	b.WriteString("\tld.param.u64 %in, [pin];\n\tld.param.u64 %out, [pout];\n\tld.param.u32 %m, [pmask];\n")
	fmt.Fprintf(b, "\tmov.u32 %%t, %%tid.x;\n\tmad.wide.u32 %%in, %%t, %d, %%in;\n\tmad.wide.u32 %%out, %%t, %d, %%out;\n",
		8*len(w.in), 8*len(w.out))
	for i, o := range w.in {
		fmt.Fprintf(b, "\tld.global.b64 %%v, [%%in+%d];\n", 8*i)
		w.set(b, o)
	}
	w.poison(b)
	b.WriteString("\tshr.u32 %s, %m, %t;\n\tand.b32 %s, %s, 1;\n\tsetp.eq.u32 %p, %s, 0;\n\t@%p bra DONE;\n")
	w.body(b)
	b.WriteString("DONE:\n")
	w.store(b)
	b.WriteString("\tret;\n}\n")
}

func (w *wrapped) uniform(b *strings.Builder) {
	b.WriteString(".visible .entry uniform(.param .u64 pout")
	for i := range w.in {
		fmt.Fprintf(b, ", .param .u64 p%d", i)
	}
	b.WriteString(")\n{\n")
	w.declare(b)
	fmt.Fprintf(b, "\tld.param.u64 %%out, [pout];\n\tmov.u32 %%t, %%tid.x;\n\tmad.wide.u32 %%out, %%t, %d, %%out;\n", 8*len(w.out))
	for i, o := range w.in {
		fmt.Fprintf(b, "\tld.param.b64 %%v, [p%d];\n", i)
		w.set(b, o)
	}
	w.poison(b)
	w.body(b)
	w.store(b)
	b.WriteString("\tret;\n}\n")
}

// set moves %v into a register.
func (w *wrapped) set(b *strings.Builder, o *operand) {
	switch o.bits() {
	case 1:
		fmt.Fprintf(b, "\tsetp.ne.u64 %s, %%v, 0;\n", o.name)
	case 16, 32:
		fmt.Fprintf(b, "\tcvt.u%d.u64 %%s, %%v;\n", o.bits())
		if o.bits() == 16 {
			fmt.Fprintf(b, "\tcvt.u16.u32 %s, %%s;\n", o.name)
		} else {
			fmt.Fprintf(b, "\tmov.b32 %s, %%s;\n", o.name)
		}
	default:
		fmt.Fprintf(b, "\tmov.b64 %s, %%v;\n", o.name)
	}
}

func (w *wrapped) poison(b *strings.Builder) {
	for _, o := range w.out {
		if o.bits() == 1 {
			fmt.Fprintf(b, "\tsetp.eq.u32 %s, 0, 1;\n", o.name)
			continue
		}
		fmt.Fprintf(b, "\tmov.u64 %%v, %#x;\n", uint64(poison))
		w.set(b, o)
	}
}

func (w *wrapped) body(b *strings.Builder) {
	for _, s := range w.stmts {
		fmt.Fprintf(b, "\t%s;\n", s)
	}
}

func (w *wrapped) store(b *strings.Builder) {
	for i, o := range w.out {
		switch o.bits() {
		case 1:
			fmt.Fprintf(b, "\tselp.u64 %%v, 1, 0, %s;\n", o.name)
		case 16:
			fmt.Fprintf(b, "\tcvt.u32.u16 %%s, %s;\n\tcvt.u64.u32 %%v, %%s;\n", o.name)
		case 32:
			fmt.Fprintf(b, "\tmov.b32 %%s, %s;\n\tcvt.u64.u32 %%v, %%s;\n", o.name)
		default:
			fmt.Fprintf(b, "\tmov.b64 %%v, %s;\n", o.name)
		}
		fmt.Fprintf(b, "\tst.global.b64 [%%out+%d], %%v;\n", 8*i)
	}
}
