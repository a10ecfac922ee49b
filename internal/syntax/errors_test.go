package syntax

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/testkit/diagtest"
)

func parseErrors(name string, text []byte) diag.List { return Parse(name, text).Errors }

func TestErrors(t *testing.T) { diagtest.Run(t, "testdata/errors*.ptx", parseErrors) }

// evaluated are the codes of this room that Eval reports, not Parse.
var evaluated = map[diag.Code]bool{
	diag.NotConstant: true, diag.ConstantDivision: true, diag.ConstantTypes: true, diag.ConstantOverflow: true,
}

func TestExamples(t *testing.T) {
	choose := func(e *diag.Entry) bool { return e.Code < 2000 && !evaluated[e.Code] }
	diagtest.Examples(t, choose, parseErrors)
	diagtest.Examples(t, func(e *diag.Entry) bool { return evaluated[e.Code] }, evalErrors)
}

// evalErrors evaluates every constant operand of a module.
func evalErrors(name string, text []byte) diag.List {
	f := Parse(name, text)
	list := f.Errors
	for _, s := range f.Stmts {
		fn, ok := s.(*Function)
		if !ok || fn.Body == nil {
			continue
		}
		for _, s := range fn.Body.Stmts {
			if in, ok := s.(*Instruction); ok {
				list = append(list, evalOperands(f, in.Operands)...)
			}
		}
	}
	return list
}

func evalOperands(f *File, ops []Operand) (list diag.List) {
	for i := range ops {
		if e := ops[i].Constant(); e != nil {
			if _, d := f.Eval(e); d != nil {
				list.Add(*d)
			}
		}
	}
	return list
}

// TestOtherExamplesParse holds that examples of later stages are syntactically right.
func TestOtherExamplesParse(t *testing.T) {
	for _, e := range diag.Catalog() {
		if e.Example == "" || e.Code < 2000 || e.Code == diag.BadParameterRange {
			continue
		}
		if list := parseErrors(e.Name, []byte(e.Module())); list.HasErrors() {
			t.Errorf("%v: %v", e.Code, list)
		}
	}
}

func TestRecognize(t *testing.T) {
	for _, c := range []struct {
		text string
		want diag.Code // 0: taken as PTX
	}{
		{"", diag.EmptyFile},
		{" // only\n/* comments */\n", diag.EmptyFile},
		{"/* open", 0},
		{"\x7fELF\x02\x01", diag.LooksLikeExecutable},
		{"\x7fELF\x02\x01\x01\x33\x07" + strings.Repeat("\x00", 7) + "\x02\x00\xbe\x00", diag.LooksLikeCubin},
		{"\x7fELF\x02\x01\x01\x00\x00" + strings.Repeat("\x00", 7) + "\x02\x00\x3e\x00", diag.LooksLikeExecutable},
		{"\x50\xed\x55\xba\x01", diag.LooksLikeFatbin},
		{"BC\xc0\xde", diag.LooksLikeLLVM},
		{"; ModuleID = 'x'\n", diag.LooksLikeLLVM},
		{"target triple = \"nvptx64\"\n", diag.LooksLikeLLVM},
		{"MZ\x90", diag.LooksLikeExecutable},
		{"\x1f\x8b\x08", diag.LooksCompressed},
		{"PK\x03\x04", diag.LooksCompressed},
		{"\xff\xfe.\x00v\x00", diag.NotText},
		{"abc\x00def", diag.NotText},
		{"#include <cuda.h>\n", diag.LooksLikeCUDA},
		{"extern \"C\" __global__ void f() {}", diag.LooksLikeCUDA},
		{"// saxpy\n__attribute__((nvptx_kernel)) void f(int n) {}\n", diag.LooksLikeC},
		{"static int f(int n)\n{\n}\n", 0}, // no brace on its line: not enough to be sure
		{"static int f(int n) {\n}\n", diag.LooksLikeC},
		{"  #define N 3\n", diag.LooksLikeC},
		{"i = __nvvm_read_ptx_sreg_tid_x();", diag.LooksLikeC},
		{"\"\"\"Kernels.\"\"\"\n\nimport triton\n", diag.LooksLikePython},
		{"from triton.language import load\n", diag.LooksLikePython},
		{"#!/usr/bin/env python3\n", diag.LooksLikePython},
		{"module {\n  tt.func @k() {}\n}", diag.LooksLikeMLIR},
		{"\tcode for sm_90\n", diag.LooksLikeSASS},
		{"// __global__ in a comment\n.version 9.1\n.target sm_90\n", 0},
		{"add.s32 a, b, c;", 0},
	} {
		got, ok := recognize([]byte(c.text))
		if !ok {
			got = 0
		}
		if got != c.want {
			t.Errorf("%q: got %v, want %v", c.text, got, c.want)
		}
	}
}

func TestErrorsAreBounded(t *testing.T) {
	f := Parse("many", []byte(".version 9.1\n"+strings.Repeat("; ", 5000)))
	if n := len(f.Errors); n != maxErrors {
		t.Errorf("%d errors, want %d", n, maxErrors)
	}
}

// TestOperandsAreBounded: as many operands as the limit are read, one more is refused once, and the next statement is
// read again.
func TestOperandsAreBounded(t *testing.T) {
	for n, want := range map[int]int{maxOperands: 0, maxOperands + 1: 1, 3 * maxOperands: 1} {
		f := Parse("many", []byte(".version 9.1\n.target sm_90\n.entry k() { mov a, {r"+strings.Repeat(",r", n-1)+"}; ret; }"))
		if len(f.Errors) != want {
			t.Errorf("%d operands: %d errors, want %d", n, len(f.Errors), want)
		}
	}
}
