// Package vec runs vector files: golden tests of single statements, one line a case, each
// with the source of its expectation.
//
//	add.sat.s32 d, a, b              # 9.7.1.1
//	  0x7fffffff 1  = 0x7fffffff     # manual: clamps to MAXINT
//
// A block is a statement, or several with ; between them, over names that stand for
// registers: those that a statement writes before any reads them are results, the others are
// operands, both in order of appearance. A name may carry its register type, as in d:b64,
// where it is wider than the form's. Values are bits: integers, negative ones too, hexadecimal
// or decimal; predicates are 0 and 1. A line `arch sm_120a` sets the target of what follows.
package vec

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Block is a statement with its cases.
type Block struct {
	File  string
	Line  int
	Text  string // the statements
	Arch  string // target, "" for the harness's choice
	Cases []Case
}

// Case is one line: operands in order, results in order.
type Case struct {
	Line   int
	In     []uint64
	Out    []uint64
	Source string // where the expectation comes from
}

// Parse reads a vector file. Every case must say where its expectation comes from.
func Parse(name string) ([]*Block, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := parser{file: name}
	for s := bufio.NewScanner(f); s.Scan(); {
		p.line++
		if err := p.read(s.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	return p.blocks, nil
}

type parser struct {
	file, arch string
	line       int
	blocks     []*Block
}

func (p *parser) read(text string) error {
	body, comment, _ := strings.Cut(text, "#")
	indented := strings.HasPrefix(body, " ")
	switch body = strings.TrimSpace(body); {
	case body == "":
		return nil
	case strings.HasPrefix(body, "arch "):
		p.arch = strings.TrimSpace(body[len("arch "):])
		return nil
	case !indented:
		p.blocks = append(p.blocks, &Block{File: p.file, Line: p.line, Text: body, Arch: p.arch})
		return nil
	case len(p.blocks) == 0:
		return fmt.Errorf("a case before any statement")
	}
	c, err := parseCase(body)
	if c.Line, c.Source = p.line, strings.TrimSpace(comment); err == nil && c.Source == "" {
		err = fmt.Errorf("the case does not say where its expectation comes from")
	}
	b := p.blocks[len(p.blocks)-1]
	b.Cases = append(b.Cases, c)
	return err
}

func parseCase(body string) (c Case, err error) {
	in, out, ok := strings.Cut(body, "=")
	if !ok {
		return c, fmt.Errorf("a case is: operands = results")
	}
	if c.In, err = parseValues(in); err == nil {
		c.Out, err = parseValues(out)
	}
	return c, err
}

func parseValues(s string) (list []uint64, err error) {
	for _, word := range strings.Fields(s) {
		v, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			i, signed := strconv.ParseInt(word, 0, 64)
			if signed != nil {
				return nil, fmt.Errorf("%q is no integer", word)
			}
			v = uint64(i)
		}
		list = append(list, v)
	}
	return list, nil
}
