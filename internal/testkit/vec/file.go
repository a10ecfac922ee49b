// Package vec runs vector files: golden tests of single statements, one line a case, each
// with the source of its expectation.
//
//	add.sat.s32 d, a, b              # 9.7.1.1
//	  0x7fffffff 1  = 0x7fffffff     # manual: clamps to MAXINT
//
// A block is a statement, or several with ; between them, over names that stand for
// registers. Names that begin with d, e, p or q and appear first in the first operand of a
// statement are results; names that begin with t are temporary; all others are operands. A
// case lists operands and results in order of appearance. A name may carry its register type
// once, as in d:b64, where it is wider than the form's. A guard, labels ($L:) and
// declarations (.reg …) are allowed; a \ at the end of a line continues it.
//
// Values are bits: integers, negative ones too, hexadecimal or decimal, 0f… and 0d…, and
// decimal fractions, inf and nan of operands of 32 and 64 bits; predicates are 0 and 1; a
// result _ is not looked at. A case is the work of one lane, and runs in every mode (modes.go),
// unless one of its values is a list [0..15 7*16]: then it is the work of a warp, and a word
// mask=0x… in front says which lanes execute it.
//
// A line `todo` says that the statements are refused before anything runs, and why; its cases
// wait for them.
//
// Capital names are memory (environ.go). Lines `arch sm_120a` and `version 8.0` set the module
// of what follows, `arch` and `version` alone return to the harness's choice; `module …` adds
// text in front of the next block's kernels.
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
	File    string
	Line    int
	Text    string // the statements
	Arch    string // target, "" for the harness's choice
	Version string // of the module, "" for the latest
	Module  string // declarations in front of the kernels
	Todo    string // why the statements are not executed yet, "" if they are
	Cases   []Case
}

// Case is one line: operands in order, results in order.
type Case struct {
	Line   int
	In     []Values
	Out    []Values
	Mask   uint32 // lanes that execute, if the case is a warp's
	Warp   bool   // it is a warp's
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
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		p.line++
		if err := p.read(s.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	return p.blocks, s.Err()
}

type parser struct {
	file   string
	next   Block // what the next block begins with
	open   string
	line   int
	blocks []*Block
}

func (p *parser) read(text string) error {
	if rest, ok := strings.CutSuffix(text, `\`); ok {
		p.open += rest
		return nil
	}
	text, p.open = p.open+text, ""
	body, comment, _ := strings.Cut(text, "#")
	indented := strings.HasPrefix(body, " ")
	body = strings.TrimSpace(body)
	word, rest, _ := strings.Cut(body, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case body == "":
	case indented:
		return p.addCase(body, strings.TrimSpace(comment))
	case word == "arch":
		p.next.Arch = rest
	case word == "version":
		p.next.Version = rest
	case word == "module":
		p.next.Module += rest + "\n"
	default:
		b := p.next
		b.File, b.Line, b.Text = p.file, p.line, body
		p.blocks = append(p.blocks, &b)
		p.next.Module = ""
	}
	return nil
}

func (p *parser) addCase(body, source string) error {
	if len(p.blocks) == 0 {
		return fmt.Errorf("a case before any statement")
	}
	if source == "" {
		return fmt.Errorf("the case does not say where its expectation comes from")
	}
	if body == "todo" {
		p.blocks[len(p.blocks)-1].Todo = source
		return nil
	}
	c := Case{Line: p.line, Source: source, Mask: 0xffffffff}
	if err := c.parse(body); err != nil {
		return err
	}
	b := p.blocks[len(p.blocks)-1]
	b.Cases = append(b.Cases, c)
	return nil
}

func (c *Case) parse(body string) error {
	if rest, ok := strings.CutPrefix(body, "mask="); ok {
		word, rest, _ := strings.Cut(rest, " ")
		m, err := strconv.ParseUint(word, 0, 32)
		if err != nil {
			return err
		}
		c.Mask, c.Warp, body = uint32(m), true, rest
	}
	in, out, ok := strings.Cut(" "+body, " =")
	if !ok {
		return fmt.Errorf("a case is: operands = results")
	}
	var err error
	if c.In, err = parseValues(in); err == nil {
		c.Out, err = parseValues(out)
	}
	for _, list := range [][]Values{c.In, c.Out} {
		for _, v := range list {
			c.Warp = c.Warp || len(v) > 1
		}
	}
	return err
}
