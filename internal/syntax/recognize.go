package syntax

// This file recognises what is not PTX by its content; the catalogue says which command
// makes PTX from it.

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
)

// magics are the first bytes of binary formats.
var magics = []struct {
	prefix string
	code   diag.Code
}{
	{"\x50\xed\x55\xba", diag.LooksLikeFatbin},     // fatbin, 0xba55ed50
	{"\xb1\x43\x62\x46", diag.LooksLikeFatbin},     // wrapper of a fatbin, 0x466243b1
	{"\x7fELF", diag.LooksLikeExecutable},          // Linux; a cubin is told by its machine
	{"BC\xc0\xde", diag.LooksLikeLLVM},             // LLVM bitcode
	{"\xde\xc0\x17\x0b", diag.LooksLikeLLVM},       // wrapped bitcode
	{"ML\xefR", diag.LooksLikeMLIR},                // MLIR bytecode
	{"MZ", diag.LooksLikeExecutable},               // Windows
	{"\xcf\xfa\xed\xfe", diag.LooksLikeExecutable}, // macOS, 64-bit
	{"\xca\xfe\xba\xbe", diag.LooksLikeExecutable}, // macOS, several architectures
	{"!<arch>\n", diag.LooksLikeExecutable},        // static library
	{"\x1f\x8b", diag.LooksCompressed},             // gzip
	{"\x28\xb5\x2f\xfd", diag.LooksCompressed},     // zstd
	{"\xfd7zXZ\x00", diag.LooksCompressed},
	{"BZh", diag.LooksCompressed},
	{"PK\x03\x04", diag.LooksCompressed},
	{"\xff\xfe", diag.NotText}, // UTF-16
	{"\xfe\xff", diag.NotText},
}

// spelling is what a text format contains.
type spelling struct {
	pattern *regexp.Regexp
	code    diag.Code
}

// spellings are what the text formats contain near their beginning, most telling first. They are
// compiled when they are needed, which no module of PTX does.
var spellings = sync.OnceValue(func() []spelling {
	return []spelling{
		{regexp.MustCompile(`(?m)^; ModuleID|^target (triple|datalayout) =|^source_filename =|^define .*@`), diag.LooksLikeLLVM},
		{regexp.MustCompile(`(?m)^#(loc|blocked|shared|mma)\d* = |^\s*module (@\w+ )?(attributes )?\{|\b(tt|ttg|gpu|llvm)\.func\b`), diag.LooksLikeMLIR},
		{regexp.MustCompile(`(?m)^\s*(code for sm_\d+|\.headerflags|Fatbin (elf|ptx) code:|/\*[0-9a-f]{4}\*/)`), diag.LooksLikeSASS},
		{regexp.MustCompile(`(?m)^(import \w|from [\w.]+ import |def \w+\(|@triton\.jit|#!.*\bpython)`), diag.LooksLikePython},
		{regexp.MustCompile(`\b__(global|device|host|shared)__\b|(?m)^\s*(#include|template\s*<|namespace\s|extern "C"|using namespace)`), diag.LooksLikeCUDA},
		{regexp.MustCompile(`(?m)^\s*#\s*(define|ifdef|ifndef|pragma)\b|\b__attribute__\s*\(\(|\b__nvvm_\w+\(|^((static|const|unsigned) )*(void|int|float|double|char|long) [^;\n]*\{`), diag.LooksLikeC},
	}
})

// hasHeader reports whether a line begins with .version or .target, as one of every PTX module does.
func hasHeader(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimLeft(line, " \t\r\f")
		for _, word := range []Word{WordVersion, WordTarget} {
			if rest, ok := bytes.CutPrefix(line, []byte(grammarWords[word])); ok && len(rest) > 0 && classes[rest[0]] == classSpace {
				return true
			}
		}
	}
	return false
}

const recognized = 16 << 10 // bytes looked at

// refuse reports a source that surely is no PTX, or is too large.
func refuse(src *diag.Source) (diag.Diagnostic, bool) {
	code, ok := recognize(src.Text)
	if !ok {
		return diag.Diagnostic{}, false
	}
	e, _ := diag.Lookup(code)
	d := newError(src, diag.Span{}, code, "%s", e.Title)
	d.Fixes = []diag.Fix{{Label: e.Fix}} // which command makes PTX of it
	return d, true
}

// recognize returns the code for content that is not PTX.
func recognize(text []byte) (diag.Code, bool) {
	if isCubin(text) {
		return diag.LooksLikeCubin, true
	}
	for _, m := range magics {
		if bytes.HasPrefix(text, []byte(m.prefix)) {
			return m.code, true
		}
	}
	head := text[:min(len(text), recognized)]
	switch {
	case len(text) > MaxSource:
		return diag.FileTooLarge, true
	case hasHeader(head):
		return 0, false
	case bytes.IndexByte(head, 0) >= 0:
		return diag.NotText, true
	}
	for _, s := range spellings() {
		if s.pattern.Match(head) {
			return s.code, true
		}
	}
	return diag.EmptyFile, onlyTrivia(text)
}

// isCubin reports whether text is an ELF object for NVIDIA's machine, number 190.
func isCubin(text []byte) bool {
	const machine = 18 // where the header names it
	return bytes.HasPrefix(text, []byte("\x7fELF")) && len(text) > machine+1 && text[machine] == 190 && text[machine+1] == 0
}

// onlyTrivia reports whether text holds nothing but white space and comments.
func onlyTrivia(text []byte) bool {
	for {
		text = bytes.TrimLeft(text, " \t\r\n\f\v")
		switch {
		case len(text) == 0:
			return true
		case bytes.HasPrefix(text, []byte("//")):
			text = text[endOf(text, "\n"):]
		case bytes.HasPrefix(text, []byte("/*")) && bytes.Contains(text, []byte("*/")):
			text = text[endOf(text, "*/"):]
		default:
			return false
		}
	}
}

func endOf(text []byte, mark string) int {
	if i := bytes.Index(text, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

// NotPTX reports whether the parser has refused a text as something else, P1040 to P1049, or as too large: what a checker would
// say of it does not help.
func NotPTX(errs diag.List) bool {
	return slices.ContainsFunc(errs, func(d diag.Diagnostic) bool {
		return d.Code == diag.FileTooLarge || diag.LooksLikeCUDA <= d.Code && d.Code <= diag.NotText
	})
}
