package vec

// The kernels of a block, one for each way to execute it:
//
//	masked     lane i takes row i of the input; lanes outside the mask skip the statements
//	uniform    the operands come from kernel parameters, so the statements run on scalar slots
//	inplace    an operand's register is the result's, too
//	constant   operands are written as constants
//
// Every value travels as valueBytes; a lane's results follow each other.

import (
	"cmp"
	"fmt"
	"strings"
)

const valueBytes = 16

// poison is what result registers hold before the statements run.
const poison = 0x5a5aa5a5c3c33c3c

// variant is one kernel.
type variant struct {
	name    string
	entry   string // name of the kernel; "" is name
	uniform bool
	rename  map[string]string // operand → constant, or result → operand
}

// source prints the module with the kernels.
func (w *Wrapped) source(kernels ...variant) string {
	var b strings.Builder
	b.WriteString(w.Header())
	for _, k := range kernels {
		p := printer{Wrapped: w, k: k, b: &b}
		p.kernel()
	}
	return b.String()
}

type printer struct {
	*Wrapped
	k variant
	b *strings.Builder
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.b, "\t"+format+"\n", args...) }

func (p *printer) kernel() {
	fmt.Fprintf(p.b, ".visible .entry %s(.param .u64 pin, .param .u64 pout, .param .u64 pmem, .param .u32 pmask, "+
		".param .align 16 .b8 pu[%d], .param .align 16 .b8 P[%d])%s\n{\n", cmp.Or(p.k.entry, p.k.name), paramBytes, laneBytes, p.cluster())
	p.declare()
	p.environ()
	from := "%in"
	if p.k.uniform {
		from = "pu"
	}
	for i, r := range p.in {
		if _, renamed := p.k.rename[r.name]; !renamed {
			p.load(r, from, i)
		}
	}
	for _, r := range p.out {
		if _, renamed := p.k.rename[r.name]; !renamed {
			p.poison(r)
		}
	}
	if p.k.name == masked.name {
		p.line("ld.param.u32 %%m, [pmask]; shr.u32 %%s, %%m, %%t; and.b32 %%s, %%s, 1; setp.eq.u32 %%p, %%s, 0; @%%p bra DONE;")
	}
	for _, s := range p.Stmts {
		p.line("%s", p.renamed(s.String()))
	}
	p.line("DONE:")
	for i, r := range p.out {
		p.store(r, i)
	}
	p.line("ret;\n}")
}

// paramBytes hold the operands of a block as parameters.
const paramBytes = 24 * valueBytes

func (p *printer) declare() {
	p.line(".reg .b64 %%in, %%out, %%v, %%h, %%lane, %%zero; .reg .b32 %%t, %%m, %%s; .reg .pred %%p;")
	declared := map[string]bool{}
	for _, s := range p.Stmts {
		if len(s.Tokens) == 0 {
			for _, word := range nameRE.FindAllString(s.Text, -1) {
				declared[word] = true
			}
		}
	}
	for _, r := range p.names {
		if !declared[r.name] {
			p.line(".reg %s %s;", r.typ, r.name)
		}
	}
	shared := map[string]bool{}
	for _, e := range used(p.Stmts) {
		if e.setup != "" {
			p.line(".reg .b64 %s;", e.name)
		}
		if e.decl != "" && !shared[e.decl] {
			p.line("%s", e.decl)
			shared[e.decl] = true
		}
	}
}

// environ sets up addresses; a whole warp's memory is zero before anyone uses it.
func (p *printer) environ() {
	p.line("mov.u32 %%t, %%laneid; ld.param.u64 %%in, [pin]; ld.param.u64 %%out, [pout];")
	p.line("mad.wide.u32 %%in, %%t, %d, %%in; mad.wide.u32 %%out, %%t, %d, %%out;", valueBytes*len(p.in), valueBytes*len(p.out))
	p.line("mul.wide.u32 %%lane, %%t, %d;", laneBytes)
	for _, e := range used(p.Stmts) {
		if e.setup != "" {
			p.line("%s", e.setup)
		}
	}
}

// load sets a register to operand i.
func (p *printer) load(r *register, from string, i int) {
	space := "global"
	if from == "pu" {
		space = "param"
	}
	at := fmt.Sprintf("[%s+%d]", from, valueBytes*i)
	switch n := r.bits(); n {
	case 1:
		p.line("ld.%s.u32 %%s, %s; setp.ne.u32 %s, %%s, 0;", space, at, r.name)
	case 128:
		p.line("ld.%s.b64 %%v, %s; ld.%s.b64 %%h, [%s+%d]; mov.b128 %s, {%%v, %%h};", space, at, space, from, valueBytes*i+8, r.name)
	default:
		p.line("ld.%s.b%d %s, %s;", space, n, r.name, at)
	}
}

func (p *printer) poison(r *register) {
	switch n := r.bits(); n {
	case 1:
		p.line("setp.eq.u32 %s, 0, 1;", r.name)
	case 8:
		p.line("mov.u32 %%s, %#x; cvt.u8.u32 %s, %%s;", uint64(poison)&0xff, r.name)
	case 128:
		p.line("mov.u64 %%v, %#x; mov.b128 %s, {%%v, %%v};", uint64(poison), r.name)
	default:
		p.line("mov.b%d %s, %#x;", n, r.name, uint64(poison)&(1<<n-1))
	}
}

// store writes result i.
func (p *printer) store(r *register, i int) {
	name := r.name
	if other, ok := p.k.rename[name]; ok {
		name = other
	}
	at := fmt.Sprintf("[%%out+%d]", valueBytes*i)
	switch n := r.bits(); n {
	case 1:
		p.line("selp.u32 %%s, 1, 0, %s; st.global.u32 %s, %%s;", name, at)
	case 128:
		p.line("mov.b128 {%%v, %%h}, %s; st.global.b64 %s, %%v; st.global.b64 [%%out+%d], %%h;", name, at, valueBytes*i+8)
	default:
		p.line("st.global.b%d %s, %s;", n, at, name)
	}
}

// renamed replaces names of a statement.
func (p *printer) renamed(stmt string) string {
	if len(p.k.rename) == 0 {
		return stmt
	}
	return nameRE.ReplaceAllStringFunc(stmt, func(word string) string {
		name := word
		if isName(word) {
			name = unselected(word)
		}
		if other, ok := p.k.rename[name]; ok {
			return other + word[len(name):]
		}
		return word
	})
}

// cluster makes a cluster of each CTA of hardware's kernels where a block writes to one: outside of
// clusters sm_90 calls that an illegal instruction.
func (p *printer) cluster() string {
	if p.k.entry != "" && (strings.Contains(p.Text, "shared::cluster") || strings.Contains(p.Text, "red.async") || strings.Contains(p.Text, "st.async")) {
		return " .reqnctapercluster 1"
	}
	return ""
}
