package syntax

// This file prints tokens and trees as text, for people and for tests.

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// WriteTokens prints one line a token: position, kind and text. White space behind a token is a line, too.
func WriteTokens(w io.Writer, f *File) error {
	for i := range f.Tokens {
		t := TokenID(i)
		if t == NoToken {
			continue
		}
		if err := writeToken(w, f, f.Tokens[i].Off, f.Kind(t), f.Text(t)); err != nil {
			return err
		}
		if space := f.Behind(t); space != "" {
			if err := writeToken(w, f, f.TokenSpan(t).End, Space, space); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeToken(w io.Writer, f *File, at diag.Pos, kind Kind, text string) error {
	line, col := f.Source.Position(at)
	_, err := fmt.Fprintf(w, "%d:%d\t%v\t%s\n", line, col, kind, strconv.QuoteToASCII(text))
	return err
}

// WriteTree prints the tree, one line a node, with tokens as their text and what is
// absent left out.
func WriteTree(w io.Writer, f *File) error {
	d := dumper{f: f}
	for _, s := range f.Stmts {
		d.node("", reflect.ValueOf(s), 0)
	}
	_, err := io.WriteString(w, d.b.String())
	return err
}

type dumper struct {
	f *File
	b strings.Builder
}

var (
	tokenType = reflect.TypeFor[TokenID]()
	rangeType = reflect.TypeFor[Range]()
)

// node prints a struct: its scalar fields on one line, its parts indented below.
func (d *dumper) node(label string, v reflect.Value, depth int) {
	v = follow(v)
	d.b.WriteString(strings.Repeat("  ", depth))
	if label != "" {
		d.b.WriteString(label + ": ")
	}
	d.b.WriteString(v.Type().Name())
	line, _ := d.f.Source.Position(d.f.Tokens[v.FieldByName("First").Int()].Off)
	fmt.Fprintf(&d.b, "@%d", line)
	for i := range v.NumField() {
		d.scalar(v.Type().Field(i).Name, v.Field(i))
	}
	d.b.WriteByte('\n')
	for i := range v.NumField() {
		d.part(v.Type().Field(i).Name, v.Field(i), depth+1)
	}
	if line, ok := v.Interface().(SectionLine); ok {
		d.values(&line, depth+1)
	}
}

// values prints the data of a section.
func (d *dumper) values(line *SectionLine, depth int) {
	for at := d.f.FirstValue(line); at != NoToken; {
		var v SectionValue
		v, at = d.f.SectionValue(at)
		d.part("Values", reflect.ValueOf(v), depth)
	}
}

func follow(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// scalar prints tokens, lists of tokens, flags and kinds.
func (d *dumper) scalar(name string, v reflect.Value) {
	switch {
	case v.Type() == rangeType || v.IsZero():
	case v.Type() == tokenType:
		fmt.Fprintf(&d.b, " %s=%s", name, d.token(v))
	case v.Kind() == reflect.Slice && v.Type().Elem() == tokenType:
		fmt.Fprintf(&d.b, " %s=[", name)
		for i := range v.Len() {
			d.b.WriteString(strings.Repeat(" ", min(i, 1)) + d.token(v.Index(i)))
		}
		d.b.WriteByte(']')
	case v.Kind() == reflect.Bool || v.Kind() == reflect.Uint8:
		fmt.Fprintf(&d.b, " %s=%v", name, v)
	}
}

func (d *dumper) token(v reflect.Value) string {
	text := d.f.Text(TokenID(v.Int()))
	if quoted := strconv.QuoteToASCII(text); quoted != `"`+text+`"` {
		return quoted
	}
	return text
}

// part prints nested nodes. Structs without a Range hold tokens alone.
func (d *dumper) part(name string, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			d.part(name, v.Elem(), depth)
		}
	case reflect.Slice:
		if v.Type().Elem() == tokenType {
			return
		}
		for i := range v.Len() {
			d.part(name, v.Index(i), depth)
		}
	case reflect.Struct:
		d.structPart(name, v, depth)
	}
}

func (d *dumper) structPart(name string, v reflect.Value, depth int) {
	switch {
	case v.Type() == rangeType:
	case v.FieldByName("First").IsValid():
		d.node(name, v, depth)
	default:
		d.b.WriteString(strings.Repeat("  ", depth) + name + ":")
		for i := range v.NumField() {
			d.scalar(v.Type().Field(i).Name, v.Field(i))
		}
		d.b.WriteByte('\n')
	}
}
