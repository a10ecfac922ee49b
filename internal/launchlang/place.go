package launchlang

// This file finds elements of a launch's memory by name, and names those at an address.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Memory is a buffer or a variable of a launch, with its name as a command line has it.
type Memory struct {
	Name   string
	Type   value.Type // of the elements; without a name: bytes
	Buffer ptxvm.Buffer
	Input  bool // given by the user: it is no result
}

// Memories lists what the launch is given, and what it may reach of named memory; buffers are there once it is filled.
func (j *Job) Memories() (list []Memory) {
	for i, spec := range j.Specs {
		if spec.buf != nil {
			list = append(list, Memory{j.Kernel.Info().ParamName(i), spec.buf.start.Type, j.buffers[i], spec.buf.input})
		}
	}
	for _, n := range j.Session.named {
		list = append(list, Memory{n.name, n.start.Type, n.buffer, n.input})
	}
	return list
}

// Variables are those of the module in global memory that have no name on the command line.
func (j *Job) Variables() (list []Memory) {
	for _, v := range j.Program.Globals() {
		b, err := j.Program.Global(v.Name)
		if err != nil || v.Space != "global" || slices.ContainsFunc(j.Session.named, func(n *named) bool { return n.global && n.name == v.Name }) {
			continue
		}
		list = append(list, Memory{v.Name, declaredAs(v).Type, b, false})
	}
	return list
}

// Element is one element of a memory.
type Element struct {
	Memory
	Index int
}

// Address is where the element begins.
func (e *Element) Address() uint64 { return e.Buffer.Addr() + uint64(e.Index*e.Type.Size()) }

func (e *Element) String() string { return fmt.Sprintf("%s[%d]", e.Name, e.Index) }

// ParseElement reads NAME[INDEX]: a parameter's name or number, or that of a --buf or --global.
func (j *Job) ParseElement(text string) (e Element, err error) {
	name, rest, _ := strings.Cut(text, "[")
	digits, closed := strings.CutSuffix(rest, "]")
	n, err := strconv.ParseUint(digits, 10, 40)
	if !closed || name == "" || err != nil {
		return e, fmt.Errorf("%s: want NAME[INDEX], such as out[3]: a parameter (number from 0, or name), --buf or --global, and an element from 0", text)
	}
	list := append(j.Memories(), j.Variables()...)
	at := slices.IndexFunc(list, func(m Memory) bool { return m.Name == name })
	if number, err := strconv.Atoi(name); err == nil && number >= 0 && number < len(j.Specs) {
		at = slices.IndexFunc(list, func(m Memory) bool { return m.Name == j.Kernel.Info().ParamName(number) })
	}
	if at < 0 {
		var names []string
		for _, m := range list {
			names = append(names, m.Name)
		}
		return e, fmt.Errorf("%s: the launch has no buffer %q; want one of %s", text, name, strings.Join(names, ", "))
	}
	e = Element{list[at], int(n)}
	if count := e.Buffer.Len() / e.Type.Size(); int(n) >= count {
		return e, fmt.Errorf("%s: %s has the elements 0 to %d", text, name, count-1)
	}
	return e, nil
}

// At is the element that holds an address; false if none does.
func (j *Job) At(addr uint64) (e Element, ok bool) {
	for _, m := range append(j.Memories(), j.Variables()...) {
		if off := addr - m.Buffer.Addr(); off < uint64(m.Buffer.Len()) {
			return Element{m, int(off) / m.Type.Size()}, true
		}
	}
	return e, false
}
