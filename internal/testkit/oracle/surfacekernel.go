package main

// The kernel of one statement on a surface, and what it stores.

import (
	"encoding/binary"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// outBytes is the room for what a statement reads: two components of 64 bits, four of 32.
const outBytes = 16

// kernel prints a module whose kernel "surface" executes the statement once, in one thread: at
// the place that its parameters say, on the surface s, with what it reads stored in a row.
func (a *access) kernel(t isa.Target) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	fmt.Fprintf(&b, ".version %v\n.target %v\n.address_size 64\n", isa.Latest, t)
	fmt.Fprintf(&b, ".visible .entry surface(.param .u64 out, .param .u64 s, .param .u32 c0, .param .u32 c1, .param .u32 c2, .param .u32 c3)\n{\n")
	line(".reg .b64 %%out, %%s; .reg .b32 %%c<4>; .reg .b%d %%v<4>;", max(a.bits, 16))
	line("ld.param.u64 %%out, [out]; ld.param.u64 %%s, [s];")
	for i := range coordinates[a.geometry] {
		line("ld.param.u32 %%c%d, [c%d];", i, i)
	}
	where := "[%s, {" + numbered("%c", coordinates[a.geometry]) + "}]"
	data := numbered("%v", a.count)
	if a.count > 1 {
		data = "{" + data + "}"
	}
	switch {
	case a.query:
		line("%s %s, [%%s];", a.op, data)
	case a.store:
		for i, v := range a.values() {
			line("mov.b%d %%v%d, %#x;", max(a.bits, 16), i, v)
		}
		line("%s %s, %s;", a.op, where, data)
	default:
		line("%s %s, %s;", a.op, data, where)
	}
	for i := range a.count {
		if !a.store {
			line("st.global.b%d [%%out+%d], %%v%d;", a.bits, i*a.bits/8, i)
		}
	}
	line("ret;\n}")
	return b.String()
}

// numbered writes name0, name1, ….
func numbered(name string, n int) string {
	var words []string
	for i := range n {
		words = append(words, fmt.Sprint(name, i))
	}
	return strings.Join(words, ", ")
}

// values are what is stored. Bytes are 0x41 0x42 …, none of which the arrays hold; samples are
// numbers that few integer channels hold: 300, -5, 70000 and 1.5, which as an integer is large.
func (a *access) values() (list []uint64) {
	if a.samples {
		return []uint64{300, 0xfffffffb, 70000, 0x3fc00000}
	}
	var data []byte
	for i := range 16 {
		data = append(data, byte(0x41+i))
	}
	for i := range a.count {
		var word [8]byte
		copy(word[:a.bits/8], data[i*a.bits/8:])
		list = append(list, binary.LittleEndian.Uint64(word[:]))
	}
	return list
}

// args are the kernel's parameters.
func (c *surfaceCase) args(out Address, surface uint64) [][]byte {
	list := [][]byte{out.param(), binary.LittleEndian.AppendUint64(nil, surface)}
	for _, v := range c.at {
		list = append(list, binary.LittleEndian.AppendUint32(nil, uint32(v)))
	}
	return list
}
