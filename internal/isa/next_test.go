package isa

import (
	"slices"
	"strings"
	"testing"
)

// TestContinuations: what may follow, and what no longer may.
func TestContinuations(t *testing.T) {
	for _, c := range []struct {
		written, target string
		with, without   string
	}{
		{"add", "sm_90", ".u32 .f32 .rn .sat .cc", ".wide .b32 .sync"},
		{"add.sat", "sm_90", ".s32 .f32", ".u32 .u64 .sat"},
		{"add.rn.f32", "sm_90", ".ftz .sat", ".rn .f64 .cc"},
		{"mul", "sm_90", ".lo .hi .wide .f32", ".b32"},
		{"mul.wide", "sm_90", ".u32 .s16", ".u64 .f32"},
		{"ld", "sm_90", ".global .shared .v4 .u32", ".sync .rn"},
		{"ld.global.v4", "sm_90", ".f32 .u32", ".shared .v2"},
		{"mma.sync.aligned", "sm_90", ".m16n8k16", ".m16n8k64x"},
		{"mma.sync.aligned.m16n8k16.row.col", "sm_90", ".f32 .f16", ".b1 .m8n8k4"},
		{"mbarrier", "sm_90", ".init .try_wait .arrive", ".sync"},
		{"mbarrier", "sm_70", "", ".init .try_wait"},
		{"wgmma", "sm_90a", ".mma_async .fence", ".load"},
		{"wgmma", "sm_90", "", ".mma_async"},
		{"add.f16", "sm_50", "", ".ftz"},
		{"nothing", "sm_90", "", ".u32"},
	} {
		target := MustTarget(c.target)
		got := Table().Continuations(words(c.written), Latest, target)
		for _, w := range strings.Fields(c.with) {
			if !slices.Contains(got, w) {
				t.Errorf("%s on %s: %s is missing in %v", c.written, c.target, w, got)
			}
		}
		for _, w := range strings.Fields(c.without) {
			if slices.Contains(got, w) {
				t.Errorf("%s on %s: %s cannot follow", c.written, c.target, w)
			}
		}
	}
}

// TestContinuationsReach: every prefix of what the samples of an entry say goes on to the next word.
func TestContinuationsReach(t *testing.T) {
	for _, e := range Table().Entries() {
		if e.Example() == "" || e.Until() != nil {
			continue
		}
		tokens, v, target, ok := exampleOf(e)
		if !ok {
			continue
		}
		for n := 1; n < len(tokens); n++ {
			if got := Table().Continuations(tokens[:n], v, target); !slices.Contains(got, tokens[n]) {
				t.Errorf("%s: %s does not lead to %s: %v", e.Name, strings.Join(tokens[:n], ""), tokens[n], got)
			}
		}
	}
}

// exampleOf is the statement of an entry's example, with the module's version and target.
func exampleOf(e *Entry) (tokens []string, v Version, target Target, ok bool) {
	for line := range strings.Lines(e.Example()) {
		word := strings.Fields(strings.TrimRight(line, ";\n"))
		switch {
		case len(word) > 1 && word[0] == ".version":
			v, _ = ParseVersion(word[1])
		case len(word) > 1 && word[0] == ".target":
			target, _ = ParseTarget(strings.TrimRight(word[1], ","))
		case len(word) > 0 && word[0][0] != '.':
			if f := Table().Forms(words(word[0]), ""); f.Entry() == e {
				return words(word[0]), v, target, true
			}
		}
	}
	return nil, 0, Target{}, false
}

// words splits an opcode from its modifiers.
func words(text string) []string {
	list := strings.Split(text, ".")
	for i := range list[1:] {
		list[i+1] = "." + list[i+1]
	}
	return list
}

// TestTakes: registers of the right type fit, others do not.
func TestTakes(t *testing.T) {
	reg := func(name string) Shape {
		typ, _ := LookupType(name)
		return Shape{Kind: ShapeReg, Type: typ}
	}
	f := Table().Forms(words("mul.wide.u32"), "")
	u32, u64, f32 := reg(".u32"), reg(".b64"), reg(".f32")
	address := Shape{Kind: ShapeAddr, Elems: []Shape{u64}}
	if !f.Takes(nil, &u64) || f.Takes(nil, &u32) || !f.Takes([]Shape{u64}, &u32) || f.Takes([]Shape{u64}, &f32) ||
		f.Takes([]Shape{u32}, &u32) {
		t.Error("mul.wide.u32 takes a .b64, then .b32 registers")
	}
	if !f.Takes([]Shape{{}}, &u32) || f.Takes([]Shape{u64, u32, u32}, &u32) {
		t.Error("an unknown operand may be anything; there are three")
	}
	if ld := Table().Forms(words("ld.global.f32"), ""); !ld.Takes([]Shape{f32}, &address) || ld.Takes([]Shape{f32},
		&u64) {
		t.Error("ld reads an address")
	}
}
