package directives

// This file makes cases about declarations: of every state space in every place, with one or
// two of their parts drawn from all that any declaration has.

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// declaration is one with its parts as text.
type declaration struct {
	place, linkage, space, attribute, align, vector, typ, name, init string
}

// declarationParts are what each part is drawn from.
var declarationParts = []struct {
	name   string
	field  func(*declaration) *string
	values []string
}{
	{"place", func(d *declaration) *string { return &d.place }, []string{"module", "body", "block", "function", "kernel parameter", "parameter", "result", "prototype"}},
	{"linkage", func(d *declaration) *string { return &d.linkage }, strings.Fields(".extern .visible .weak .common .static")},
	{"space", func(d *declaration) *string { return &d.space }, strings.Fields(".reg .sreg .const .global .local .param .shared .tex .const[0] .const[3] .surf .heap")},
	{"attribute", func(d *declaration) *string { return &d.attribute }, []string{".attribute(.managed)", ".attribute(.unified(1,2))", ".attribute()", ".attribute(.other)", ".ptr", ".ptr .global .align 8"}},
	{"alignment", func(d *declaration) *string { return &d.align }, []string{".align 1", ".align 2", ".align 4", ".align 8", ".align 16", ".align 128", ".align 256", ".align 1024", ".align 3", ".align 0", ".align -4", ".align 4 .align 8", ".align x", ".align WARP_SZ"}},
	{"vector", func(d *declaration) *string { return &d.vector }, strings.Fields(".v2 .v4 .v8 .v3 .v1 .v16")},
	{"type", func(d *declaration) *string { return &d.typ }, append(typeNames(), "", ".u128", ".f8", ".b1")},
	{"name", func(d *declaration) *string { return &d.name }, []string{"x<4>", "x<0>", "x<1>", "x<-1>", "x[4]", "x[2][3]", "x[]", "x[0]", "x[-1]", "x[][2]", "x[2][]", "x[WARP_SZ]", "x[2+2]", "x[4]<2>", "x, y", "x[2], y<3>", "", "_", "%x", "$x", "x y", "k", "%tid", "WARP_SZ", "1x", "x.y", "x[1.5]", "x[070000]", "x[1U]"}},
	{"value", func(d *declaration) *string { return &d.init }, []string{"= 1", "= -1", "= 1.5", "= 0f3f800000", "= 0d3ff0000000000000", "= {1}", "= {1, 2}", "= {1, 2, 3, 4}", "= {1, 2, 3, 4, 5}", "= {{1, 2}, {3, 4}}", "= {}", "= 1 + 2 * 3", "= (1)", "= other", "= other + 4", "= generic(other)",
		"= {other, other}", "= 0xff(other)", "= {0xff(other), 0xff00(other)}", "= f", "= {f, f}", "= undefined", "= x", "= \"text\"", "= {width = 1}", "= 99999999999999999999", "= 1U", "= WARP_SZ", "= 1 == 1", "= ~1", "= {1, }", "= {1.0, 2.0}", "= shared", "= -other", "= 256"}},
}

func typeNames() (names []string) {
	for _, t := range isa.Types() {
		names = append(names, t.String())
	}
	return names
}

// usual are declarations that are legal; cases begin with them.
var usual = []declaration{
	{place: "module", space: ".global", typ: ".u32", name: "x"}, {place: "module", space: ".global", typ: ".f32", name: "x[4]", init: "= {1.0, 2.0}"},
	{place: "module", linkage: ".visible", space: ".global", align: ".align 8", typ: ".b8", name: "x[16]"}, {place: "module", space: ".global", vector: ".v4", typ: ".u32", name: "x", init: "= {1, 2, 3, 4}"},
	{place: "module", space: ".const", typ: ".u64", name: "x", init: "= other"}, {place: "module", linkage: ".extern", space: ".shared", align: ".align 16", typ: ".b8", name: "x[]"},
	{place: "module", space: ".shared", typ: ".u32", name: "x[8]"}, {place: "module", space: ".global", typ: ".texref", name: "x"},
	{place: "body", space: ".reg", typ: ".u32", name: "x<4>"}, {place: "body", space: ".reg", vector: ".v2", typ: ".f32", name: "x"}, {place: "body", space: ".reg", typ: ".pred", name: "x"},
	{place: "body", space: ".local", align: ".align 8", typ: ".b8", name: "x[32]"}, {place: "body", space: ".shared", typ: ".f32", name: "x"}, {place: "body", space: ".param", typ: ".b32", name: "x"},
	{place: "block", space: ".reg", typ: ".b64", name: "x"}, {place: "function", space: ".reg", typ: ".f16x2", name: "x"}, {place: "body", space: ".global", typ: ".u32", name: "x", init: "= 3"},
	{place: "kernel parameter", space: ".param", typ: ".u64", attribute: "", name: "x"}, {place: "kernel parameter", space: ".param", align: ".align 16", typ: ".b8", name: "x[24]"},
	{place: "parameter", space: ".reg", typ: ".f32", name: "x"}, {place: "parameter", space: ".param", align: ".align 8", typ: ".b8", name: "x[12]"}, {place: "parameter", space: ".param", typ: ".b8", name: "x[]"},
	{place: "result", space: ".param", typ: ".b32", name: "x"}, {place: "result", space: ".reg", typ: ".u64", name: "x"}, {place: "prototype", space: ".param", typ: ".b32", name: "_"},
}

// around says what stands around a declaration, at $, in each place.
var around = map[string]string{
	"module": "$; .entry k() { ret; }", "body": ".entry k() { $; ret; }", "block": ".entry k() { { $; } ret; }", "function": ".func g() { $; ret; }",
	"kernel parameter": ".entry k($) { ret; }", "parameter": ".func g($) { ret; }", "result": ".func ($) g() { ret; }", "prototype": ".entry k() { t: .callprototype _ ($); ret; }",
}

// declared stands before it.
const declared = ".global .u32 other; .shared .u32 shared; .func f() { ret; }\n"

func (d *declaration) text() string {
	var words []string
	for _, w := range []string{d.linkage, d.space, d.align, d.vector, d.typ, d.name, d.init} {
		if w != "" {
			words = append(words, w)
		}
	}
	if d.attribute != "" { // .ptr behind the type, attributes before
		at := 1
		if strings.HasPrefix(d.attribute, ".ptr") {
			at = strings.Count(strings.Join(nonEmpty(d.linkage, d.space, d.align, d.vector, d.typ), "\x00"), "\x00") + 1
		}
		at = min(at, len(words))
		words = append(words[:at:at], append([]string{d.attribute}, words[at:]...)...)
	}
	return strings.Join(words, " ")
}

func nonEmpty(list ...string) (out []string) {
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Declarations lists all declarations one part away from a usual one, and n that are two or
// three parts away.
func Declarations(seed uint64, n int) []*Case {
	var cases []*Case
	add := func(d declaration, change string) {
		v, t := isa.Latest, isa.MustTarget("sm_90")
		cases = append(cases, &Case{About: "declaration in a " + d.place, Section: "5.4", Change: change, Version: v, Target: t,
			Body: declared + strings.Replace(around[d.place], "$", d.text(), 1)})
	}
	for _, d := range usual {
		add(d, "")
		for _, p := range declarationParts {
			for _, value := range append([]string{""}, p.values...) {
				if c := d; p.name != "place" || value != "" {
					*p.field(&c) = value
					add(c, "another "+p.name)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 7))
	for range n {
		d := usual[r.IntN(len(usual))]
		var changed []string
		for range 2 + r.IntN(2) {
			p := declarationParts[r.IntN(len(declarationParts))]
			*p.field(&d) = p.values[r.IntN(len(p.values))]
			changed = append(changed, p.name)
		}
		add(d, fmt.Sprintf("another %s", strings.Join(changed, ", ")))
	}
	return unique(append(cases, typeGates()...))
}

// typeGates declares every type at its gate and a step below.
func typeGates() (cases []*Case) {
	for _, t := range isa.Types() {
		for _, at := range gateSteps(append(isa.Gate{{Version: isa.V(1, 0)}}, t.Since()...)) {
			for _, text := range []string{".entry k() { .reg %v x; ret; }", ".global %v x; .entry k() { ret; }"} {
				cases = append(cases, &Case{About: "type " + t.String(), Section: "5.2", Change: "in another version or target", Version: at.v, Target: at.t,
					Body: fmt.Sprintf(text, t)})
			}
		}
	}
	return cases
}
