package launchlang

// This file holds the --arg list against the kernel's parameters and writes the command line
// that would fit.

import (
	"cmp"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

func parseArgs(texts []string) ([]Arg, error) {
	specs := make([]Arg, len(texts))
	for i, text := range texts {
		var err error
		if specs[i], err = parseArg(text); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// checkArgs compares the --arg list with the parameters before anything is allocated.
func checkArgs(info ptxvm.KernelInfo, specs []Arg, files []string) error {
	if len(specs) != len(info.Params) {
		return fmt.Errorf("%s takes %s, %d given\n%s\n%s", info.Name, Count(len(info.Params), "argument"), len(specs),
			info.Signature(), exampleLine(info, files))
	}
	for i, spec := range specs {
		if have, p := spec.size(), info.Params[i]; have != p.Size && !(spec.tmap != nil && p.Size == 8) {
			fix := "write --arg " + ShellWord(corrected(spec, p))
			if mayPoint(p) && spec.scalar() {
				fix = "for an address write --arg in:DATA, out:SIZE or inout:DATA, such as " + ShellWord(exampleArg(p)) + "; for a number, --arg " + ShellWord(corrected(spec, p))
			}
			if later := fitsLater(specs[i+1:], p); later != "" {
				fix = "--arg " + later + ", given later, would fit; is the order right?"
			}
			return fmt.Errorf("--arg %s gives %d bytes, parameter %d needs %d: %s\n%s", spec.text, have, i, p.Size, p.Decl(), fix)
		}
	}
	return nil
}

// mayPoint reports whether a parameter can be an address; most of this size are.
func mayPoint(p ptxvm.ParamInfo) bool {
	return p.Count == 0 && p.Size == addressSize && (p.Type == "u64" || p.Type == "b64" || p.Type == "s64")
}

// scalar reports whether the argument is a number.
func (a *Arg) scalar() bool {
	key, _, _ := strings.Cut(a.text, ":")
	_, err := value.ParseType(key)
	return a.buf == nil && err == nil
}

// fitsLater returns an argument of the parameter's own type, "" if there is none.
func fitsLater(specs []Arg, p ptxvm.ParamInfo) string {
	for _, spec := range specs {
		if key, _, _ := strings.Cut(spec.text, ":"); spec.size() == p.Size && key == p.Type {
			return spec.text
		}
	}
	return ""
}

// MixedTypes says which arguments are floats where the kernel declares integers, or the reverse: the
// bits go as they are, which is seldom meant. Pointers and bits are what they are.
func MixedTypes(info ptxvm.KernelInfo, specs []Arg) (list []string) {
	for i, spec := range specs {
		key, _, _ := strings.Cut(spec.text, ":")
		given, err := value.ParseType(key)
		wanted, unknown := value.ParseType(info.Params[i].Type)
		if err != nil || unknown != nil || info.Params[i].Count > 0 || given.Name()[0] == 'b' && !given.Float() || wanted.Name()[0] == 'b' && !wanted.Float() {
			continue
		}
		if given.Float() != wanted.Float() {
			list = append(list, fmt.Sprintf("--arg %s gives the bits of %s for parameter %d: %s; is the order right?", spec.text, given.Name(), i, info.Params[i].Decl()))
		}
	}
	return list
}

// FewBytes says of out:N, which counts bytes, where the launch has as many threads: they seldom write a byte each.
func (j *Job) FewBytes() (list []string) {
	threads := j.Shape.Grid.Count() * j.Shape.Block.Count()
	for _, spec := range j.Specs {
		if spec.buf == nil || spec.buf.input || spec.buf.start.Shape != nil || !spec.buf.start.unset {
			continue
		}
		if n := spec.buf.start.size; n > 0 && uint64(n) <= threads {
			list = append(list, fmt.Sprintf("--arg %s is %s; out:u32x%d is as many words", spec.text, Count(n, "byte"), n))
		}
	}
	return list
}

// size is the bytes that the spec puts into the parameter block; a buffer its address.
func (a *Arg) size() int {
	switch {
	case a.buf != nil || a.surface != "" || a.texture != "":
		return 8
	case a.tmap != nil:
		return len(ptxvm.TensorMap{})
	}
	return len(a.value)
}

// exampleLine is a command line ready to edit.
func exampleLine(info ptxvm.KernelInfo, files []string) string {
	words := []string{"ptxvm", "run"}
	for _, file := range files {
		words = append(words, ShellWord(file))
	}
	words = append(words, "--kernel", ShellWord(info.Name), "--grid", "1")
	if info.ReqBlock == (ptxvm.Dim3{}) {
		words = append(words, "--block", "32")
	}
	for _, p := range info.Params {
		words = append(words, "--arg", ShellWord(exampleArg(p)))
	}
	return strings.Join(words, " ")
}

// maxHexExample is the longest aggregate that an example spells out.
const maxHexExample = 64

// exampleArg is a spec of the right size for a parameter. Most 64-bit parameters are pointers.
func exampleArg(p ptxvm.ParamInfo) string {
	typ, err := value.ParseType(p.Type)
	switch {
	case p.Type == "texref":
		return "tex:NAME"
	case p.Type == "surfref":
		return "surf:NAME"
	case mayPoint(p) && p.Type != "s64":
		return "inout:" + cmp.Or(p.Elem, "f32") + "x32=0"
	case p.Count == 0 && err == nil && typ.Param():
		return p.Type + ":0"
	case p.Size > maxHexExample:
		return "bytes:@params.bin"
	}
	return "bytes:" + strings.Repeat("00", p.Size)
}

// corrected is the user's value in the width of the parameter, or an example.
func corrected(spec Arg, p ptxvm.ParamInfo) string {
	name, number, _ := strings.Cut(spec.text, ":")
	kind := strings.TrimRight(name, "0123456789")
	typ, err := value.ParseType(fmt.Sprintf("%s%d", kind, 8*p.Size))
	if err != nil || p.Count > 0 {
		return exampleArg(p)
	}
	if _, err := typ.Parse(number); err != nil {
		return exampleArg(p)
	}
	return typ.Name() + ":" + number
}

// Count is a number with its noun, in the plural but for one.
func Count[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// plainWord are the bytes that no shell interprets.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+"

// ShellWord quotes a word for a POSIX shell where it needs that.
func ShellWord(word string) string {
	if word != "" && strings.Trim(word, plainWord) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
