package launchlang

// This file reads the --arg grammar of the run and bench verbs:
//
//	TYPE:VALUE                a scalar by value
//	VALUE                     a number of the parameter's own type
//	bytes:HEX | bytes:@FILE   an aggregate by value
//	in:DATA                   an anonymous buffer, read by the kernel
//	out:SIZE[:SINK]           one that it writes
//	inout:DATA[:SINK]         both
//	surf:NAME tex:NAME        the handle of an image (--image), for surface and for texture instructions
//	tensormap:NAME,TYPE,…     a tensor map over a named buffer (tensormap.go)
//	struct:{FIELD,…}          an aggregate by value, in C layout
//	ptr:NAME[±BYTES]          an address inside a named buffer (--buf)
//	ptr:NAME[A:B]             likewise, of the bytes from A up to B, which --sanitize mem holds the pointer to
//	mc:NAME le:NAME lemc:NAME device:TYPE   of several devices (devices.go)
//	null | ptr:0              a null address

import (
	"encoding/hex"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Arg is one --arg, read but not yet bound to a parameter.
type Arg struct {
	text  string
	value []byte   // scalars, aggregates and addresses: the parameter's bytes
	plain bool     // a number without a type, which is the parameter's
	buf   *bufSpec // in, out, inout

	places []place // of addresses in value
	ptr    bool    // value is an address

	surface string   // surf: the name of an image
	texture string   // tex: the same
	tmap    *mapSpec // tensormap
}

// bufSpec is an anonymous buffer: what it starts with and where it goes.
type bufSpec struct {
	start Contents
	input bool   // given by the user: it is no result
	sink  string // a file; empty: results are printed
	term  bool   // the sink term: shown as a picture of characters
}

// parseArg reads one --arg. Errors say what was expected, in the words of the grammar.
func parseArg(text string) (Arg, error) {
	if text == "null" {
		return Arg{text: text, value: make([]byte, 8)}, nil
	}
	key, rest, ok := strings.Cut(text, ":")
	if !ok && isNumber(text) {
		return Arg{text: text, plain: true}, nil
	}
	if !ok {
		return Arg{}, fmt.Errorf("--arg %s: want KEYWORD:…, one of TYPE:VALUE, in:DATA, out:SIZE, inout:DATA, bytes:HEX, struct:{…}, ptr:NAME or null%s", text, argHint(text))
	}
	spec, err := parseKeyed(key, rest)
	if err != nil {
		return Arg{}, fmt.Errorf("--arg %s: %w", text, err)
	}
	spec.text = text
	return spec, nil
}

func parseKeyed(key, rest string) (Arg, error) {
	switch key {
	case "in":
		start, err := ParseData(rest)
		return Arg{buf: &bufSpec{start: start, input: true}}, err
	case "inout":
		return parseBuffer(rest, ParseData)
	case "out":
		return parseBuffer(rest, parseSize)
	case "bytes":
		value, err := parseBytes(rest)
		return Arg{value: value}, err
	case "struct":
		return parseStruct(rest)
	case "ptr":
		value, places, err := appendReference(nil, nil, rest)
		return Arg{value: value, places: places, ptr: true}, err
	case "tex":
		if rest == "" {
			return Arg{}, fmt.Errorf("want tex:NAME, the name of an --image")
		}
		return Arg{texture: rest}, nil
	case "surf":
		if rest == "" {
			return Arg{}, fmt.Errorf("want surf:NAME, the name of an --image")
		}
		return Arg{surface: rest}, nil
	case "tensormap":
		m, err := parseMap(rest)
		return Arg{tmap: m}, err
	}
	if spec, ok, err := sharedArg(key, rest); ok {
		return spec, err
	}
	return parseScalarArg(key, rest)
}

// argHint is what a value without a type could have been.
func argHint(text string) string {
	if key, value, ok := strings.Cut(text, "="); ok {
		if _, err := parseKeyed(key, value); err == nil {
			return "; write " + key + ":" + value
		}
	}
	return ""
}

// isNumber reports whether a text is one of some scalar type.
func isNumber(text string) bool {
	for _, key := range []string{"s64", "u64", "f64"} {
		if _, err := parseScalarArg(key, text); err == nil {
			return true
		}
	}
	return false
}

// typed gives numbers without a type those of their parameters.
func typed(info ptxvm.KernelInfo, specs []Arg) error {
	for i := range specs {
		if !specs[i].plain || i >= len(info.Params) {
			continue
		}
		p := info.Params[i]
		typ, err := value.ParseType(p.Type)
		if err != nil || !typ.Param() || p.Count > 0 {
			return fmt.Errorf("--arg %s: parameter %d is no number: %s\nwrite --arg %s", specs[i].text, i, p.Decl(), ShellWord(exampleArg(p)))
		}
		if specs[i].value, err = typ.Parse(specs[i].text); err != nil {
			return fmt.Errorf("--arg %s: parameter %d: %s: %w", specs[i].text, i, p.Decl(), err)
		}
	}
	return nil
}

// otherTypes are the names of types in C, Python and LLVM.
var otherTypes = map[string]string{
	"bool": "u8", "char": "s8", "uchar": "u8", "short": "s16", "int": "s32", "uint": "u32", "unsigned": "u32", "long": "s64", "size_t": "u64",
	"half": "f16", "float": "f32", "double": "f64", "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64",
	"fp16": "f16", "fp32": "f32", "fp64": "f64", "int32_t": "s32", "uint32_t": "u32", "int64_t": "s64", "uint64_t": "u64",
	"int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
	"i8": "s8", "i16": "s16", "i32": "s32", "i64": "s64", "pointer": "ptr", "file": "in", "input": "in", "output": "out",
}

func typeHint(key string) string {
	if other := otherTypes[strings.ToLower(key)]; other != "" {
		return "; did you mean " + other + "?"
	}
	return ""
}

func parseScalarArg(key, rest string) (Arg, error) {
	typ, err := value.ParseType(key)
	if err != nil {
		return Arg{}, fmt.Errorf("%q is neither a type nor one of in, out, inout, bytes, struct, ptr, surf, tex, tensormap, mc, le, lemc, device, null%s", key, typeHint(key))
	}
	if !typ.Param() {
		return Arg{}, fmt.Errorf("%s is an element type of buffers, not a parameter type", key)
	}
	value, err := typ.Parse(rest)
	return Arg{value: value}, err
}

// addresses lists the places of addresses in a spec's bytes or data.
func (a *Arg) addresses() []place {
	if a.buf != nil {
		return a.buf.start.places
	}
	return a.places
}

// hasSink reports whether results go anywhere but to the printed ones.
func (b *bufSpec) hasSink() bool { return b.sink != "" || b.term }

// parseBuffer splits off the sink, which begins at the last ":@", so that file
// names may hold colons, spaces and drive letters.
func parseBuffer(rest string, parse func(string) (Contents, error)) (Arg, error) {
	body, sink, term := rest, "", false
	if i := strings.LastIndex(rest, ":@"); i >= 0 {
		body, sink = rest[:i], rest[i+2:]
		if sink == "" {
			return Arg{}, fmt.Errorf("the sink after \":@\" has no file name")
		}
		if err := checkFormat(sink); err != nil {
			return Arg{}, err
		}
	} else {
		body, term = strings.CutSuffix(rest, ":term")
	}
	start, err := parse(body)
	if err == nil && term {
		err = checkTerm(start.Array)
	}
	return Arg{buf: &bufSpec{start: start, sink: sink, term: term}}, err
}

func parseBytes(rest string) ([]byte, error) {
	if name, isFile := strings.CutPrefix(rest, "@"); isFile {
		return ReadFile(name)
	}
	value, err := hex.DecodeString(strings.TrimPrefix(rest, "0x"))
	if err != nil {
		return nil, fmt.Errorf("want an even number of hex digits: %w", err)
	}
	return value, nil
}
