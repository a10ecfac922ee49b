package main

// This file measures the checker on inputs made to ask for more than their size: time and memory must grow
// as the text does.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// hostile is one kind of input: text made of a beginning, as many repetitions of a piece as fit, and an end. Where
// a piece has two parts, divided by a line of dashes, each is repeated for half of the text. In a piece # is a
// number that counts up, and ## the next one.
type hostile struct{ name, begin, piece, end string }

const divider = "\n----\n"

const (
	module = ".version 9.0\n.target sm_90\n.address_size 64\n"
	body   = module + ".entry k() {\n.reg .pred p; .reg .b32 r; .reg .b64 a;\n"
)

var hostiles = []hostile{
	{"open blocks", module + ".entry k() {", "{", ""},
	{"blocks side by side", body, "{}", "}"},
	{"open vectors", body + "mov.b64 a, ", "{", ""},
	{"a vector of many tokens", body + "mov.b64 a, {r", ",r", "};}"},
	{"open parentheses", module + ".global .u32 x = ", "(", ";"},
	{"a long sum", module + ".global .u32 x = 1", "+1", ";"},
	{"a long conditional", module + ".global .u32 x = 1", "?1:1", ";"},
	{"many signs", module + ".global .u32 x = ", "-", "1;"},
	{"labels", body, "L#:\n", "}"},
	{"labels and branches to them", body, "L#: bra L#;\n", "}"},
	{"branches to labels that are missing", body, "bra L#;\n", "}"},
	{"the same label", body, "L:\n", "}"},
	{"registers", body, ".reg .b32 r#;\n", "}"},
	{"registers in one declaration", body + ".reg .b32 x", ",r#", ";}"},
	{"ranges of registers", body, ".reg .b32 r#_<99999>;\n", "}"},
	{"registers of the same name", body, ".reg .b32 r;\n", "}"},
	{"undeclared registers", body, "add.s32 x#, y, z;\n", "}"},
	{"one endless line", body, "add.s32 r,r,r;", "}"},
	{"one endless line of errors", body, "add.s32 r,r,1.5;", "}"},
	{"one endless name", body + "mov.b32 r, ", "x", ";}"},
	{"one endless number", module + ".global .u32 x = ", "1", ";"},
	{"one endless modifier", body, ".x", ";}"},
	{"modifiers of one instruction", body + "add", ".s32", " r,r,r;}"},
	{"operands of one instruction", body + "add.s32 r", ",r", ";}"},
	{"an initialiser", module + ".global .u32 x[] = {1", ",1", "};"},
	{"an initialiser of addresses", module + ".global .u64 y;\n.global .u64 x[] = {y", ",y", "};"},
	{"strings that are not closed", module, "\"", "\""},
	{"comments that are not closed", module, "/*", ""},
	{"white space", module, " \n", ""},
	{"bytes that are no text", module, "\x01", ""},
	{"wrong directives", module, ".frob\n", ""},
	{"wrong opcodes", body, "frobnicate.s32 r;\n", "}"},
	{"misspelled opcodes", body, "ad.s32 r,r,r;\n", "}"},
	{"kernels", module, ".entry k#() {}\n", ""},
	{"functions that call each other", module + ".func f();\n", ".func g#() { call f; }\n", ""},
	{"parameters", module + ".entry k(.param .u32 a", ",.param .u32 p#", ") {}"},
	{"globals", module, ".global .u32 g#;\n", ""},
	{"lines of the debugger", module + ".file 1 \"a\"\n.entry k() {", ".loc 1 1 1\n", "}"},
	{"files of the debugger", module, ".file # \"a#\"\n", ""},
	{"sections", module + ".section .debug_info {", ".b8 1\n", "}"},
	{"pragmas", module, ".pragma \"x#\";\n", ""},
	{"aliases", module + ".func f() {}\n", ".func g#();\n.alias g#, f;\n", ""},
	{"targets of one branch", body + "T: .branchtargets L", ",L", "; L:}"},
	{"lists of targets", body + "L:\n", "T#: .branchtargets L;\n", "}"},
	{"families of targets", body + "L:\n", "L#:\n" + divider + "T#: .branchtargets L<99999>;\n", "}"},
	{"calls through one list", module + ".func f() {}\n.entry k() {\n.reg .b64 a;\nT: .calltargets f", ",f" + divider + ";call a, T\n", ";}"},
	{"one list of wide functions", module + ".func f(.reg .b32 a) {}\n.func g(.reg .b32 a", ",.reg .b32 p#" + divider + ") {}\n.func g#(.reg .b32 a", ") {}"},
	{"a chain of functions", module + ".func f0() {}\n", ".func f##() { call f#; }\n", ".entry k() { call f0; }"},
	{"kernels that share memory", module + ".shared .b8 s[50000];\n.func f() { .reg .u32 a; mov.u32 a, s; }\n", ".entry k#() { call f; }\n", ""},
	{"long names alike", body, ".reg .b32 a_name_that_is_long_enough_#_end;\n", "}"},
	{"a scope for each register", body, "{ .reg .b32 a#; mov.b32 a#, r; }\n", "}"},
	{"a scope for each range", body, "{ .reg .b32 a<9>; mov.b32 a1, r; }\n", "}"},
	{"ranges beside registers", body, ".reg .b32 a#b1; .reg .b32 c#b<2>;\n", "}"},
	{"huge arrays", module, ".global .align 1024 .b8 g#[1099511627775];\n", ""},
	{"huge shared arrays", module, ".shared .b8 s#[1099511627775];\n", ""},
	{"huge alignments", module, ".global .align 1073741824 .b8 g#;\n", ""},
	{"dimensions of one array", module + ".global .u8 x", "[1]", ";"},
	{"nested initialisers", module + ".global .u32 x[1] = ", "{", ""},
	{"one endless string", module + ".pragma \"", "nounroll ", "\";"},
	{"one endless comment", module + "/*", "x", "*/"},
	{"comments", body, "/**/ // x\n", "}"},
	{"return parameters and their uses", module + ".func (.param .b32 r0", ",.param .b32 r##" + divider + ") f() { st.param.b32 [r0], 1;\n", "}"},
	{"instructions of many spellings", body, "add.x# r, r, r;\n", "}"},
	{"branches in a kernel", body, "L#: @p bra L##;\n", "L#: }"},
}

// text is an input of at most size bytes.
func (h *hostile) text(size int) []byte {
	b := append(make([]byte, 0, size), h.begin...)
	first, second, two := strings.Cut(h.piece, divider)
	if !two {
		return repeat(b, first, h.end, size)
	}
	return repeat(repeat(b, first, "", size/2), second, h.end, size)
}

// repeat appends a piece until an end just fits, and the end.
func repeat(b []byte, piece, end string, size int) []byte {
	for i := 0; ; i++ {
		next, last := numbered(piece, i), numbered(end, i)
		if len(b)+len(next)+len(last) > size {
			return append(b, last...)
		}
		b = append(b, next...)
	}
}

func numbered(piece string, i int) string {
	if !strings.Contains(piece, "#") {
		return piece
	}
	piece = strings.ReplaceAll(piece, "##", strconv.Itoa(i+1))
	return strings.ReplaceAll(piece, "#", strconv.Itoa(i))
}

// hostileTable prints the time and memory of a process that checks each input at size/10 and size megabytes.
func hostileTable(match *regexp.Regexp, megabytes int) error {
	head := fmt.Sprintf("| Input | %d MB | %d MB | Ratio | Peak | Peak | Ratio | Verdict |\n|---|---|---|---|---|---|---|---|", megabytes/10, megabytes)
	return commandTable(match, head, hostiles, func(h *hostile) string { return h.name }, func(h *hostile, binary, dir string) error {
		return h.print(binary, filepath.Join(dir, "input.ptx"), megabytes*1e6)
	})
}

func (h *hostile) print(binary, path string, size int) error {
	var used [2]usage
	for i, n := range []int{size / 10, size} {
		if err := os.WriteFile(path, h.text(n), 0o644); err != nil {
			return err
		}
		var err error
		if used[i], err = spend(binary, "check", path); err != nil {
			return err
		}
	}
	small, large := &used[0], &used[1]
	fmt.Printf("| %s | %.2f s | %.2f s | %.1f | %.0f MB | %.0f MB | %.1f | exit %d |\n", h.name,
		small.cpu.Seconds(), large.cpu.Seconds(), large.cpu.Seconds()/small.cpu.Seconds(),
		small.peak, large.peak, large.peak/small.peak, large.exit)
	return nil
}
