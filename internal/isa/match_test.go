package isa

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestMatch runs testdata/match.txt: statements with the types of their operands instead of
// registers, and what matching must give.
func TestMatch(t *testing.T) {
	f, err := os.Open("testdata/match.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	q := Query{Version: Latest, Target: MustTarget("sm_90"), Entry: true}
	s := bufio.NewScanner(f)
	for line := 1; s.Scan(); line++ {
		text, _, _ := strings.Cut(s.Text(), "#")
		text = strings.TrimSpace(text)
		if module, ok := strings.CutPrefix(text, "module "); ok {
			q.Version, q.Target = parseModule(t, module)
			continue
		}
		if statement, want, ok := strings.Cut(text, " => "); ok {
			if got := matchLine(&q, strings.TrimSpace(statement)); got != strings.TrimSpace(want) {
				t.Errorf("match.txt:%d: %s\n got %s\nwant %s", line, statement, got, want)
			}
		}
	}
}

func parseModule(t *testing.T, s string) (Version, Target) {
	words := strings.Fields(s)
	v, err := ParseVersion(words[0])
	if err != nil {
		t.Fatal(err)
	}
	return v, MustTarget(words[1])
}

// matchLine gives "id: text" for what matches, else the first finding's kind, token and so on.
func matchLine(q *Query, statement string) string {
	parseStatement(q, statement)
	sel, fails := Table().Match(q)
	if len(fails) > 0 {
		m := fails[0]
		words := []string{m.Kind.String()}
		for _, i := range []int{m.Token, m.Other} {
			if i >= 0 {
				words = append(words, q.Tokens[i])
			}
		}
		if m.Operand >= 0 {
			words = append(words, strconv.Itoa(m.Operand))
		}
		if m.Kind == GateClosed || m.Kind == GatePast {
			words = append(words, m.Want)
		}
		return strings.Join(words, " ")
	}
	return sel.Entry.Name + ": " + sel.Text()
}

// parseStatement reads "add.s32 .u32, .u32, 5": an operand is a type, a constant, a special
// register, a {vector}, an [address of a type or space:variable], p for a predicate.
func parseStatement(q *Query, s string) {
	op, rest, _ := strings.Cut(s, " ")
	q.Tokens = strings.Split(op, ".")
	for i := 1; i < len(q.Tokens); i++ {
		q.Tokens[i] = "." + q.Tokens[i]
	}
	q.Operands, q.Suffix = nil, ""
	for _, o := range splitOperands(rest) {
		if i := strings.Index(o, "]."); i >= 0 {
			q.Suffix, o = o[i+1:], o[:i+1]
		}
		q.Operands = append(q.Operands, parseShape(o))
	}
}

func splitOperands(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				out, start = append(out, strings.TrimSpace(s[start:i])), i+1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		out = append(out, last)
	}
	return out
}

var brackets = map[byte]ShapeKind{'{': ShapeVec, '[': ShapeAddr, '(': ShapeParams}

func parseShape(s string) Shape {
	if kind, ok := brackets[s[0]]; ok {
		out := Shape{Kind: kind}
		for _, e := range splitOperands(s[1 : len(s)-1]) {
			out.Elems = append(out.Elems, parseShape(e))
		}
		return out
	}
	if d, p, ok := strings.Cut(s, "|"); ok {
		return Shape{Kind: ShapePair, Elems: []Shape{parseShape(d), parseShape(p)}}
	}
	if space, typ, ok := strings.Cut(s, ":"); ok {
		sp, _ := LookupSpace(space)
		ty, _ := LookupType(typ)
		return Shape{Kind: ShapeSym, Space: sp, Type: ty}
	}
	return parseScalar(s)
}

func parseScalar(s string) Shape {
	switch {
	case s == "_":
		return Shape{Kind: ShapeSink}
	case s == "p" || s == "!p":
		return Shape{Kind: ShapeReg, Type: PredType(), Neg: s[0] == '!'}
	case s == "function":
		return Shape{Kind: ShapeFunc}
	case s == "label":
		return Shape{Kind: ShapeLabel}
	case s[0] == '%':
		name, component, _ := strings.Cut(s, ".")
		sp, _ := LookupSpecial(name)
		shape := Shape{Kind: ShapeSpecial, Special: sp, Type: sp.Info().Type}
		if component == "" && sp.Info().Lanes > 1 {
			shape.Lanes = uint8(sp.Info().Lanes)
		}
		return shape
	case s[0] == '.':
		ty, _ := LookupType(s)
		return Shape{Kind: ShapeReg, Type: ty}
	case strings.HasPrefix(s, "0f") || strings.HasPrefix(s, "0d"):
		return Shape{Kind: ShapeImm, Float: true, Hex: true}
	case strings.Contains(s, "."):
		return Shape{Kind: ShapeImm, Float: true}
	}
	n, _ := strconv.ParseInt(s, 0, 64)
	return Shape{Kind: ShapeImm, Value: n}
}

func BenchmarkMatch(b *testing.B) {
	q := Query{Version: Latest, Target: MustTarget("sm_90"), Entry: true}
	for _, s := range []string{
		"add.s32 .u32, .u32, 5", "ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {.f32, .f32, .f32, .f32}, [.u64]",
		"cvt.rn.f32.s32 .f32, .s32", "setp.lt.and.f32 p|p, .f32, .f32, !p", "mad.lo.s32 .u32, .u32, .u32, .u32",
	} {
		parseStatement(&q, s)
		b.Run(strings.Fields(s)[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Table().Match(&q)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load(dataFS, generated, Ptxas); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadAll(b *testing.B) {
	for b.Loop() {
		if _, err := Load(Ptxas); err != nil {
			b.Fatal(err)
		}
	}
}
