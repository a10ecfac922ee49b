package directives

// This file makes cases from the data on directives: its examples at their gates and a step
// below, and with one change.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// OfDirectives lists the cases of one directive.
func OfDirectives(d *isa.Directive) []*Case {
	g := generator{d: d}
	g.base.About, g.base.Section = d.Name, d.Section
	g.base.Version, g.base.Target = d.Open()
	for i, example := range d.Examples {
		g.base.Body = example
		if d.In("target") {
			g.base.Head = g.optionHead(g.base.Version, g.base.Target)
		}
		g.add("", g.base)
		if i == 0 {
			g.gates()
		}
		if g.parse() {
			g.changes()
			if i == 0 {
				g.places()
				g.neighbours()
			}
		}
	}
	if d.In("header") || d.In("target") {
		g.headers()
	}
	return unique(g.cases)
}

// generator makes the cases of one example after the other.
type generator struct {
	d     *isa.Directive
	base  Case // the example
	cases []*Case

	tokens      []token // of the example
	first, last int     // what is changed: the directive and what belongs to it
}

// token is one token with the trivia before it.
type token struct{ space, text string }

func (g *generator) add(change string, c Case) {
	c.Change = change
	g.cases = append(g.cases, &c)
}

func (g *generator) optionHead(v isa.Version, t isa.Target) string {
	return fmt.Sprintf(".version %v\n.target %v, %s\n%s", v, t, g.d.Name, addressSize(v))
}

func addressSize(v isa.Version) string {
	if v.Before(isa.V(2, 3)) {
		return ""
	}
	return ".address_size 64\n"
}

// gates puts the example into every version on one target, and on every target in one version:
// the gates, a step below each, and what lies behind.
func (g *generator) gates() {
	for v := isa.Latest; v > 0; v-- {
		for _, t := range []isa.Target{isa.MustTarget("sm_10"), g.base.Target} {
			if v.Known() {
				g.at(v, t)
			}
		}
	}
	for _, t := range isa.Targets() {
		g.at(isa.Latest, t)
		g.at(g.base.Version, t)
	}
}

func (g *generator) at(v isa.Version, t isa.Target) {
	if v < isa.TargetSince(t) {
		return
	}
	c := g.base
	c.Version, c.Target = v, t
	if g.d.In("target") {
		c.Head = g.optionHead(v, t)
	}
	change := ""
	if !g.d.Since.Passes(v, t) || g.d.Until.Passes(v, t) {
		change = "in another version or target"
	}
	g.add(change, c)
}

// parse splits the example into tokens and finds the directive in it.
func (g *generator) parse() bool {
	text := g.base.head() + g.base.Body
	f := syntax.Parse("example", []byte(text))
	g.tokens, g.first = nil, -1
	space := ""
	for i := range f.Tokens {
		id := syntax.TokenID(i)
		switch s := f.Text(id); f.Kind(id) {
		case syntax.Space, syntax.Comment:
			space += s
		case syntax.EOF:
		default:
			g.tokens = append(g.tokens, token{space, s})
			space = ""
		}
		space += f.Behind(id)
	}
	for i, t := range g.tokens {
		if t.text == g.keyword() || g.d.IsPragma() && isa.LookupPragma(t.text) == g.d {
			g.first, g.last = i, g.end(i)
			if i > 1 && g.tokens[i-1].text == ":" { // its label
				g.first = i - 2
			}
			break
		}
	}
	return g.first >= 0
}

// keywords are the tokens of entries whose name is none.
var keywords = map[string]string{"@@DWARF": "DWARF", "initialiser": "="}

// keyword is the token that names the directive.
func (g *generator) keyword() string {
	if word, ok := keywords[g.d.Name]; ok {
		return word
	}
	name, _, _ := strings.Cut(g.d.Name, "[")
	return name
}

// end is the token behind what belongs to a directive: up to a semicolon, a block, another
// directive, but not further than most of them go.
func (g *generator) end(i int) int {
	depth, block := 0, g.d.Name == ".section" || strings.Contains(g.d.Form, " body")
	for j := i + 1; j < len(g.tokens); j++ {
		switch t := g.tokens[j].text; {
		case t == "{" && !block && depth == 0, t == "}" && depth == 0:
			return j
		case t == "(" || t == "{" || t == "[":
			depth++
		case t == ")" || t == "}" || t == "]":
			if depth--; depth == 0 && t == "}" {
				return j + 1
			}
		case t == ";" && depth == 0:
			return j + 1
		case depth == 0 && isHead(t) && !strings.HasPrefix(g.tokens[j-1].text, ".") && !strings.Contains(g.d.Form, "declaration"):
			return j
		}
	}
	return len(g.tokens)
}

// isHead tells a directive that cannot be part of another one.
func isHead(t string) bool {
	d := isa.LookupDirective(t)
	return d != nil && (d.In("kernel") || d.In("function") || d.In("module") || d.In("linkage")) || t == "ret" || t == "mov" || t == ".loc_intermediate"
}

// with is the example with other tokens in the place of some.
func (g *generator) with(from, to int, texts ...string) string {
	var b strings.Builder
	for _, t := range g.tokens[:from] {
		b.WriteString(t.space + t.text)
	}
	for i, s := range texts {
		space := " "
		if i == 0 && from < len(g.tokens) && g.tokens[from].space != "" {
			space = g.tokens[from].space
		}
		b.WriteString(space + s)
	}
	for i, t := range g.tokens[to:] {
		if i == 0 && t.space == "" && len(texts) == 0 {
			b.WriteString(" ")
		}
		b.WriteString(t.space + t.text)
	}
	return b.String()
}

// put adds the example with other tokens in the place of some.
func (g *generator) put(change string, from, to int, texts ...string) {
	c := g.base
	c.Head = g.with(from, to, texts...)
	c.Body = ""
	g.add(change, c)
}

// mostChanged bounds the tokens of a directive that are changed.
const mostChanged = 14

// changes drops, repeats, swaps and replaces tokens of the directive.
func (g *generator) changes() {
	for i := g.first; i < min(g.last, g.first+mostChanged); i++ {
		t := g.tokens[i].text
		g.put("a token less", i, i+1)
		g.put("a token twice", i, i+1, t, t)
		if i+1 < g.last {
			g.put("tokens swapped", i, i+2, g.tokens[i+1].text, t)
		}
		for _, other := range g.others(i) {
			g.put("another "+kind(t), i, i+1, other)
		}
	}
	whole := g.texts(g.first, g.last)
	g.put("twice", g.first, g.last, append(slices.Clone(whole), whole...)...)
	g.put("without it", g.first, g.last)
	g.put("with ;", g.last, g.last, ";")
	g.put("with ,", g.last, g.last, ",")
	g.put("with a number more", g.last, g.last, ",", "1")
	g.put("with an option", g.last, g.last, "1")
}

func (g *generator) texts(from, to int) (out []string) {
	for _, t := range g.tokens[from:to] {
		out = append(out, t.text)
	}
	return out
}

// kind names what a token is.
func kind(t string) string {
	switch c := t[0]; {
	case c >= '0' && c <= '9':
		return "number"
	case c == '"':
		return "string"
	case c == '.' || isa.LookupDirective(t) != nil:
		return "keyword"
	case c == '_' || c == '%' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return "name"
	}
	return "sign"
}

var (
	otherNumbers = strings.Fields(`0 1 2 3 8 64 1000 2048 70000 4294967295 4294967296 18446744073709551616 0x20 0X1F 077 09 0b11 1U 1u -1 +1 1.5 0f3f800000 1e3 WARP_SZ x "1" (1) 1+1`)
	otherStrings = []string{`""`, `" "`, `"nounroll"`, `"nounroll 1"`, `"NoUnroll"`, `"nounroll nounroll"`, `"nounroll", "frequency 2"`, `"frequency"`, `"frequency 0"`, `"frequency -1"`,
		`"frequency 1.5"`, `"frequency 1 2"`, `"frequency 0x10"`, `"frequency x"`, `"frequency 99999999999999999999"`, `"used_bytes_mask"`, `"used_bytes_mask 0"`, `"used_bytes_mask x"`, `"used_bytes_mask 0x100000000"`,
		`"used_bytes_mask 0xf 0xf"`, `"enable_smem_spilling"`, `"enable_smem_spilling 1"`, `"mma_throughput"`, `"mma_throughput 0"`, `"mma_throughput 1"`, `"mma_throughput x"`, `"mma_throughput half"`, `"unknown"`, `name`, `1`}
	otherNames = strings.Fields(`y _ $ % WARP_SZ k f .x 1 %tid reg 1x a.b add`)
	otherTypes = strings.Fields(`.pred .b8 .b16 .b32 .b64 .b128 .u8 .u64 .s16 .f16 .f32 .f64 .f16x2 .bf16 .texref .samplerref .surfref .v2 .v4 .v8`)
)

// others are what a token is replaced by: the keyword by all that there are.
func (g *generator) others(i int) (out []string) {
	t := g.tokens[i].text
	switch kind(t) {
	case "number":
		return otherNumbers
	case "string":
		return otherStrings
	case "name":
		return otherNames
	case "keyword":
		if t != g.keyword() {
			return append(slices.Clone(otherTypes), ".global", ".reg", strings.ToUpper(t), t+"x")
		}
		for _, d := range isa.Directives() {
			if !d.IsPragma() && d.Name != t && !d.In("target") {
				out = append(out, d.Name)
			}
		}
		return append(append(out, otherTypes...), strings.ToUpper(t), t+"x", strings.TrimPrefix(t, "."))
	}
	return []string{",", ";", "{", "}", "(", ")", "[", "]", "=", ":", "<", "1", "x"}
}

// frames are the places that a directive is moved to, at $.
var frames = []struct{ name, text string }{
	{"the module's begin", "$ .entry k() { ret; }"},
	{"the module's end", ".entry k() { ret; } $"},
	{"the head of a kernel", ".entry k() $ { ret; }"},
	{"the head of a kernel without parameters", ".entry k $ { ret; }"},
	{"before the parameters", ".entry k $ () { ret; }"},
	{"before the name", ".entry $ k() { ret; }"},
	{"the head of a function", ".func f() $ { ret; }"},
	{"the head of a function with a result", ".func (.param .b32 r) f() $ { ret; }"},
	{"the head of a declared function", ".extern .func f() $ ; .entry k() { ret; }"},
	{"the head of a declared kernel", ".entry k() $ ; .entry k() { ret; }"},
	{"a prototype", ".entry k() { t: .callprototype _ () $ ; ret; }"},
	{"a prototype with a result", ".entry k() { t: .callprototype (.param .b32 _) _ () $ ; ret; }"},
	{"the body of a kernel", ".entry k() { $ ret; }"},
	{"the end of a body", ".entry k() { ret; $ }"},
	{"a block of a body", ".entry k() { { $ } ret; }"},
	{"the body of a function", ".func f() { $ ret; }"},
	{"the parameters of a kernel", ".entry k($) { ret; }"},
	{"the parameters of a function", ".func f($) { ret; }"},
	{"the results of a function", ".func ($) f() { ret; }"},
	{"a declaration", ".global $ .u32 y; .entry k() { ret; }"},
	{"behind a type", ".global .u32 $ y; .entry k() { ret; }"},
	{"a register's declaration", ".entry k() { .reg $ .u32 y; ret; }"},
	{"a parameter's declaration", ".entry k(.param $ .u64 y) { ret; }"},
	{"behind a parameter's type", ".entry k(.param .u64 $ y) { ret; }"},
	{"before the linkage", "$ .visible .global .u32 y; .entry k() { ret; }"},
	{"behind the linkage", ".visible $ .global .u32 y; .entry k() { ret; }"},
	{"behind the linkage of a function", ".visible $ .func f() { ret; }"},
	{"an initialiser", ".global .u32 y = $; .entry k() { ret; }"},
	{"an instruction", ".entry k() { .reg .u32 r; mov.u32 r, $; ret; }"},
	{"before an instruction", ".entry k() { .reg .u32 r; mov $ .u32 r, 1; ret; }"},
}

// places moves the directive.
func (g *generator) places() {
	whole := strings.Join(g.texts(g.first, g.last), " ")
	if g.d.In("header") || g.d.In("target") || g.d.IsPragma() {
		return
	}
	for _, f := range frames {
		for _, text := range []string{whole, whole + ";", strings.TrimSuffix(whole, ";")} {
			c := g.base
			c.Body = strings.Replace(f.text, "$", text, 1)
			g.add("in "+f.name, c)
		}
	}
}

// neighbours puts other directives of a function's head beside it, before and behind.
func (g *generator) neighbours() {
	if g.d.IsPragma() || !g.d.In("kernel") && !g.d.In("function") {
		return
	}
	for _, d := range isa.Directives() {
		if d.IsPragma() || !d.In("kernel") && !d.In("function") {
			continue
		}
		o := generator{d: d}
		o.base.Body = d.Examples[0]
		o.base.Version, o.base.Target = d.Open()
		if !o.parse() {
			continue
		}
		other := strings.Join(o.texts(o.first, o.last), " ")
		g.put("before "+d.Name, g.last, g.last, other)
		g.put("behind "+d.Name, g.first, g.first, other)
	}
}

// headers changes what stands first in a module.
func (g *generator) headers() {
	const kernel = ".entry k() { ret; }\n"
	version, target, size := ".version 9.5\n", ".target sm_90\n", ".address_size 64\n"
	for _, h := range []string{
		version + target + size, version + target, target + version + size, version + size + target, size + version + target,
		version + size, target + size, version, "", version + target + size + size, version + target + target + size, version + version + target,
		version + target + ".global .u32 x;\n" + size, ".global .u32 x;\n" + version + target, version + ".global .u32 x;\n" + target, version + target + size + ".target sm_80\n",
		version + target + size + ".target sm_100\n", version + target + size + version, "// comment\n" + version + target, "\n\n" + version + target, version + target + ".file 1 \"a\"\n" + size,
		version + target + size + ".target sm_90, debug\n",
	} {
		c := g.base
		c.Target, c.Head, c.Body = isa.MustTarget("sm_90"), h, kernel
		g.add("another order of the header", c)
	}
	for _, v := range strings.Fields(`9 9. .5 9.5.1 9.50 9.05 9.500 09.5 009.5 9.6 10.0 0.9 1.9 6.6 7.9 8.9 2.4 3.3 4.4 5.1 5.5 9,5 "9.5" x -9.5 +9.5 9.5f 9e0 0x9.5 95 9_5`) {
		c := g.base
		c.Target, c.Head, c.Body = isa.MustTarget("sm_75"), ".version "+v+"\n.target sm_75\n", kernel
		g.add("another number", c)
	}
	for _, t := range []string{"sm_90,", ",sm_90", "sm_90 debug", "sm_90, texmode_unified", "sm_90, texmode_independent", "sm_90, texmode_unified, texmode_unified", "sm_90, texmode_unified, texmode_independent",
		"sm_90, debug", "sm_90, debug, debug", "sm_90, map_f64_to_f32", "sm_12, map_f64_to_f32", "sm_13, map_f64_to_f32", "sm_10, map_f64_to_f32, map_f64_to_f32", "texmode_unified, sm_90", "debug, sm_90", "texmode_unified", "debug",
		"sm_90, sm_80", "sm_80, sm_90", "sm_90, sm_90", "sm_90a, sm_90", "sm_90, sm_90a", "sm_90, sm_20, sm_30", "sm_090", "sm_9", "sm_", "SM_90", "sm_90A", "sm_90b", "sm_100f, sm_103f", "compute_90", "compute_90a", "compute_90, sm_90", "90", "\"sm_90\"", "sm_91", "sm_95",
		"sm_90, unknown", "sm_90, x", "sm_90, 64", "sm_90, texmode", "sm_90, sm_91", "sm_101", "sm_101a", "sm_110", "sm_33", "sm_60, compute_61"} {
		for _, end := range []string{kernel, ".section .debug_info { .b8 0 }\n" + kernel} {
			c := g.base
			c.Target, c.Head, c.Body = isa.MustTarget("sm_90"), ".version 9.5\n.target "+t+"\n"+size, end
			if first, err := isa.ParseTarget(strings.TrimRight(strings.Fields(t + " x")[0], ",")); err == nil {
				c.Target = first
				if first.Arch == 101 {
					c.Target.Arch = renamedTo
				}
			}
			g.add("another list", c)
		}
	}
	for _, s := range strings.Fields(`32 64 0 16 128 0x40 064 64U -64 64.0 "64" x WARP_SZ`) {
		c := g.base
		c.Target, c.Head, c.Body = isa.MustTarget("sm_90"), version+target+".address_size "+s+"\n", kernel
		g.add("another size", c)
	}
}
