package sizes

// Kernels that execute one cell and keep all that registers or memory hold then.

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Kernel is a cell, executed in one way.
type Kernel struct {
	Name string
	Text string
	In   []byte // what it reads, a row a lane
	Want []byte // repeats rows a lane
}

// way is how a load or store finds its operands.
type way struct {
	name    string
	prefix  string // in front of the instruction: a guard
	space   string // its modifiers
	address string // with # for the row of a repeat
	setup   string // brings the lane's row to where the instruction reads, or prepares what it writes
	after   string // copies what was written to the lane's result
	uniform bool   // all lanes do the same, once for each repeat
	guarded bool   // odd lanes do nothing
	call    bool   // in a function that gets the row as a parameter
}

// copyRow copies a row of so many bytes between spaces.
func copyRow(to, from string) string {
	var b strings.Builder
	for i := 0; i < copied; i += 8 {
		fmt.Fprintf(&b, "\tld%s+%d]; st%s+%d], %%v;\n", strings.Replace(from, "[", ".b64 %v, [", 1), i, strings.Replace(to, "[", ".b64 [", 1), i)
	}
	return b.String()
}

// copied is the most that a statement accesses, and as much behind it.
const copied = 64

const (
	inRow    = ".global[%in"
	outRow   = ".global[%out"
	sharedAt = "\tmov.u64 %a, sm; add.u64 %a, %a, %o; cvt.u32.u64 %a32, %a;\n"
)

var loadWays = []way{
	{name: "global", space: ".global", address: "%in"},
	{name: "guarded", prefix: "@%even ", space: ".global", address: "%in", guarded: true},
	{name: "generic", address: "%in"},
	{name: "nc", space: ".global.nc", address: "%in"},
	{name: "volatile", space: ".volatile.global", address: "%in"},
	{name: "uniform", space: ".global", address: "%first+#", uniform: true},
	{name: "shared", space: ".shared", address: "%a", setup: sharedAt + copyRow(".shared[%a", inRow)},
	{name: "shared32", space: ".shared", address: "%a32", setup: sharedAt + copyRow(".shared[%a", inRow)},
	{name: "sharedName", space: ".shared", address: "sm+#", uniform: true, setup: sharedAt + copyRow(".shared[%a", inRow) + "\tbar.sync 0;\n"},
	{name: "local", space: ".local", address: "lm", setup: copyRow(".local[lm", inRow)},
	{name: "param", space: ".param", address: "P+#", uniform: true},
	{name: "paramOfFunction", space: ".param", address: "p", call: true},
}

var storeWays = []way{
	{name: "global", space: ".global", address: "%out"},
	{name: "guarded", prefix: "@%even ", space: ".global", address: "%out", guarded: true},
	{name: "generic", address: "%out"},
	{name: "volatile", space: ".volatile.global", address: "%out"},
	{name: "uniform", space: ".global", address: "%out+#", uniform: true},
	{name: "shared", space: ".shared", address: "%a", setup: sharedAt + copyRow(".shared[%a", outRow), after: copyRow(outRow, ".shared[%a")},
	{name: "shared32", space: ".shared", address: "%a32", setup: sharedAt + copyRow(".shared[%a", outRow), after: copyRow(outRow, ".shared[%a")},
	{name: "local", space: ".local", address: "lm", setup: copyRow(".local[lm", outRow), after: copyRow(outRow, ".local[lm")},
	{name: "param", space: ".param", address: "p", setup: copyRow(".param[p", outRow), after: "\tcall (q), echo, (p);\n" + copyRow(outRow, ".param[q")},
}

// header begins a module of kernels: echo gives its parameter back.
var header = ".version 9.0\n.target sm_100\n.address_size 64\n" +
	".func (.param .align 16 .b8 q[64]) echo(.param .align 16 .b8 p[64]) {\n\t.reg .b64 %v;\n" + copyRow(".param[q", ".param[p") + "\tret;\n}\n"

// declarations are those of a kernel with registers %r of a type; rows of lanes are 128 bytes
// apart, those of results four times as far.
func declarations(reg Type) string {
	return "\t.reg .b64 %in, %out, %first, %o, %a, %v, %x; .reg .b32 %t, %a32; .reg .pred %even;\n\t.reg ." + reg.String() + ` %r<8>;
	ld.param.u64 %first, [pin];
	ld.param.u64 %out, [pout];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %o, %t, 128;
	add.u64 %in, %first, %o;
	mad.wide.u32 %out, %t, 512, %out;
	and.b32 %a32, %t, 1;
	setp.eq.u32 %even, %a32, 0;
`
}

const shape = ".visible .entry %s(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 P[512])\n{\n" +
	"\t.shared .align 16 .b8 sm[4096]; .local .align 16 .b8 lm[64]; .param .align 16 .b8 p[64], q[64];\n%s\tret;\n}\n"

// exact moves registers to or from rows by their own width, a register apart.
func exact(form string, reg Type, count int, row string) string {
	var b strings.Builder
	for k := range count {
		fmt.Fprintf(&b, "\t"+form+"\n", reg.Bits, k, row, k*regSlot)
	}
	return b.String()
}

const (
	poisonForm = "ld.global.b%d %%r%d, [%s+%d];"
	fetchParam = "ld.param.b%d %%r%d, [%s+%d];"
	keepForm   = "st.global.b%[1]d [%[3]s+%[4]d], %%r%[2]d;"
)

// vector is the register operand of a statement.
func vector(count int) (operand, modifier string) {
	var list []string
	for k := range count {
		list = append(list, fmt.Sprintf("%%r%d", k))
	}
	if count == 1 {
		return list[0], ""
	}
	return "{" + strings.Join(list, ", ") + "}", fmt.Sprintf(".v%d", count)
}

// rows makes the expected results: fill sets those of a row from the lane whose values it has.
func rows(w *way, fill func(row []byte, lane int)) []byte {
	out := bytes.Repeat([]byte{filler}, outSize)
	for lane := range lanes {
		for r := range repeats {
			row := out[(lane*repeats+r)*rowSize:][:rowSize]
			switch {
			case w.uniform:
				fill(row, r)
			case r == 0 && !(w.guarded && lane&1 == 1):
				fill(row, lane)
			}
		}
	}
	return out
}

// times are the repeats of a way.
func (w *way) times() int {
	if w.uniform {
		return repeats
	}
	return 1
}

func (w *way) at(r, rowBytes int) string {
	return strings.ReplaceAll(w.address, "#", fmt.Sprint(r*rowBytes))
}

// load executes a cell of table 28 with ld.
func (w *way) load(name string, inst, reg Type, count int, in []byte) Kernel {
	operand, vec := vector(count)
	var b strings.Builder
	for r := range w.times() {
		row := fmt.Sprintf("%%out+%d", r*rowSize)
		b.WriteString(exact(poisonForm, reg, count, row))
		fmt.Fprintf(&b, "\t%sld%s%s.%v %s, [%s];\n", w.prefix, w.space, vec, inst, operand, w.at(r, rowSize))
		b.WriteString(exact(keepForm, reg, count, row))
	}
	k := Kernel{Name: name, In: in}
	k.Text = fmt.Sprintf(shape, name, declarations(reg)+w.setup+b.String())
	if w.call {
		k.Text = fmt.Sprintf(".func f_%s(.param .align 16 .b8 p[64], .param .b64 pin, .param .b64 pout)\n{\n%s%s\tret;\n}\n", name, declarations(reg), b.String()) +
			fmt.Sprintf(shape, name, declarations(reg)+".param .b64 b, c;\n"+copyRow(".param[p", inRow)+
				"\tld.param.u64 %x, [pin]; st.param.b64 [b], %x; ld.param.u64 %x, [pout]; st.param.b64 [c], %x;\n\tcall f_"+name+", (p, b, c);\n")
	}
	cell := Destination(inst, reg)
	k.Want = rows(w, func(row []byte, lane int) {
		for i := range count {
			put(row[i*regSlot:], extend(element(inst.Bits, lane, i), inst, reg, cell), reg.Bits/8)
		}
	})
	return k
}

// store executes a cell of table 27 with st.
func (w *way) store(name string, inst, reg Type, count int, in []byte) Kernel {
	operand, vec := vector(count)
	var b strings.Builder
	for r := range w.times() {
		if w.uniform {
			b.WriteString(exact(fetchParam, reg, count, fmt.Sprintf("P+%d", r*rowSize)))
		} else {
			b.WriteString(exact(poisonForm, reg, count, "%in"))
		}
		fmt.Fprintf(&b, "\t%sst%s%s.%v [%s], %s;\n", w.prefix, w.space, vec, inst, w.at(r, rowSize), operand)
	}
	k := Kernel{Name: name, In: in, Text: fmt.Sprintf(shape, name, declarations(reg)+w.setup+b.String()+w.after)}
	k.Want = rows(w, func(row []byte, lane int) {
		for i := range count {
			put(row[i*inst.Bits/8:], chop(element(inst.Bits, lane, i), inst.Bits), inst.Bits/8)
		}
	})
	return k
}

// convert executes a cell with cvt, per lane or with a register that all lanes share: text is
// the statement on %r0 and %x, want what the destination, of so many bits, holds.
func convert(name, statement string, reg Type, isDst, uniform bool, in []byte, bits int, want func(lane int) *big.Int) Kernel {
	w := way{uniform: uniform}
	var b strings.Builder
	for r := range w.times() {
		from, fetch := "%in", poisonForm
		if uniform {
			from, fetch = fmt.Sprintf("P+%d", r*rowSize), fetchParam
		}
		row := fmt.Sprintf("%%out+%d", r*rowSize)
		if isDst {
			fmt.Fprintf(&b, "\t%s\n\t%s\n", strings.Replace(fmt.Sprintf(fetch, 64, 0, from, 0), "%r0", "%x", 1), statement)
			b.WriteString(exact(keepForm, reg, 1, row))
			continue
		}
		b.WriteString(exact(fetch, reg, 1, from))
		fmt.Fprintf(&b, "\t%s\n\tst.global.b64 [%s], %%x;\n", statement, row)
	}
	k := Kernel{Name: name, In: in, Text: fmt.Sprintf(shape, name, declarations(reg)+b.String())}
	k.Want = rows(&w, func(row []byte, lane int) { put(row, want(lane), bits/8) })
	return k
}

// fitting lists the cells that a rule allows.
func fitting(rule func(inst, reg Type) Cell) (out [][2]Type) {
	for _, inst := range Types {
		for _, reg := range Types {
			if rule(inst, reg) != Invalid {
				out = append(out, [2]Type{inst, reg})
			}
		}
	}
	return out
}

// memoryType reports whether ld and st have an instruction type for vectors of a length:
// not .f16, which the tables list.
func memoryType(t Type, count int) bool {
	switch count {
	case 1:
		return t != Type{'f', 16}
	case 8:
		return t.Bits == 32
	}
	return t != Type{'f', 16} && t.Bits < 128
}

// takes: vectors of 256 bits are for global memory.
func (w *way) takes(t Type, count int) bool {
	return t.Bits*count <= 128 || slices.Contains([]string{"global", "guarded", "generic", "nc", "uniform"}, w.name)
}
