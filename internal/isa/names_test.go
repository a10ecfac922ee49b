package isa

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for s, want := range map[string]Version{
		"1.0": V(1, 0), "8.00": V(8, 0), "08.0": V(8, 0), "7.8": V(7, 8), "9.5": V(9, 5), "4.3": V(4, 3), "5.1": V(6, 0), "7.10": V(8, 0), "4.11": V(6, 0), "1.85": V(9, 5),
		"1.9": 0, "6.6": 0, "7.9": 0, "8.9": 0, "9.6": 0, "10.0": 0, "9": 0, "": 0, "9.": 0, "999.1": 0, "9.51": 0, "1.86": 0, "0.10": 0, "5.12": V(6, 2), "255.255": 0,
	} {
		if got, err := ParseVersion(s); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %v, %v; want %v", s, got, err, want)
		}
	}
}

func TestParseTarget(t *testing.T) {
	for s, want := range map[string]Target{
		"sm_10": {10, 0}, "sm_080": {80, 0}, "compute_75": {75, 0}, "sm_90a": {90, 'a'}, "sm_121f": {121, 'f'},
		"sm_90f": {}, "sm_99": {}, "sm_": {}, "sm_-1": {}, "75": {}, "sm_90b": {},
	} {
		if got, err := ParseTarget(s); err == nil && got != want || (err != nil) != (want == Target{}) {
			t.Errorf("%q: %v, %v; want %v", s, got, err, want)
		}
	}
}

// TestSatisfies: plain targets in order, a targets alone, f targets in their family.
// TestTargetsBeside: what is suggested for a target that does not exist.
func TestTargetsBeside(t *testing.T) {
	for name, want := range map[string]string{"sm_91": "there is sm_90 and sm_100", "sm_80a": "there is sm_80", "sm_1": "there is sm_10", "sm_999": "there is sm_121"} {
		if _, err := ParseTarget(name); err == nil || !strings.HasSuffix(err.Error(), "; "+want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestSatisfies(t *testing.T) {
	for _, c := range []struct {
		target, gate string
		want         bool
	}{
		{"sm_90a", "sm_90", true}, {"sm_89", "sm_90", false}, {"sm_90", "sm_90a", false}, {"sm_100a", "sm_90a", false},
		{"sm_100a", "sm_100f", true}, {"sm_103a", "sm_100f", true}, {"sm_107f", "sm_100f", true}, {"sm_103f", "sm_103f", true},
		{"sm_100f", "sm_103f", false}, {"sm_110f", "sm_100f", false}, {"sm_120a", "sm_100f", false}, {"sm_100", "sm_100f", false},
		{"sm_101a", "sm_110f", true}, {"sm_110a", "sm_101f", true}, {"sm_121a", "sm_120f", true}, {"sm_120f", "sm_121f", false},
	} {
		if got := MustTarget(c.target).Satisfies(MustTarget(c.gate)); got != c.want {
			t.Errorf("%s satisfies %s: %v", c.target, c.gate, got)
		}
	}
}

func TestSpecials(t *testing.T) {
	if n := len(Specials()); n != 87 {
		t.Errorf("%d special registers", n)
	}
	for name, want := range map[string]string{
		"%tid": ".u32 4 10.1 1.0", "%clock64": ".u64 1 10.24 2.0 sm_20", "%envreg31": ".b32 1 10.27 1.0", "%pm7_64": ".u64 1 10.26 4.0 sm_50",
		"%is_explicit_cluster": ".pred 1 10.11 7.8 sm_90", "%reserved_smem_offset_1": ".b32 1 10.29 7.6 sm_80", "%gridid": ".u64 1 10.10 1.0",
	} {
		s, ok := LookupSpecial(name)
		i := s.Info()
		if got := fmt.Sprint(i.Type, " ", i.Lanes, " ", i.Section, " ", i.Since); !ok || got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, ok := LookupSpecial("%envreg32"); ok {
		t.Error("there are only 32 environment registers")
	}
}

func TestMisspelled(t *testing.T) {
	for _, pair := range [][2]string{{".gloabl", ".global"}, {".globl", ".global"}, {"poppc", "popc"}, {".vollatile", ".volatile"}} {
		if !Misspelled(pair[0], pair[1]) {
			t.Errorf("%s is a slip for %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{".nand", ".and"}, {".L3", ".L1"}, {".L2::512B", ".L2::128B"}, {".m16n8k4", ".m16n8k8"}, {".global", ".global"}, {".local", ".global"}} {
		if Misspelled(pair[0], pair[1]) {
			t.Errorf("%s may be more than a slip for %s", pair[0], pair[1])
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"add", "addc", "and", "mad", "popc", "mbarrier.arrive"}
	for s, want := range map[string]string{"ad": "add", "adn": "add", "pocp": "popc", "xyz": "", "mbarier.arive": "mbarrier.arrive"} {
		if got := Nearest(s, names); got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
	if got := Nearest(strings.Repeat("a", 1000), names); got != "" {
		t.Errorf("a long name is near %q", got)
	}
}

// TestIndexAgrees: entries parsed through the index are those of a full reading.
func TestIndexAgrees(t *testing.T) {
	if generated == nil {
		t.Skip("zisa.go is being made")
	}
	whole, err := Load(Ptxas)
	if err != nil {
		t.Fatal(err)
	}
	lazy, err := load(dataFS, generated, Ptxas)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(whole.mods.all, lazy.mods.all) || !slices.Equal(whole.ids.all, lazy.ids.all) {
		t.Fatal("the index names other things than the data: run go generate")
	}
	for _, e := range whole.Entries() {
		if l := lazy.Entry(e.ID); l.Name != e.Name || l.Line != e.Line || l.File != e.File || len(l.Alts) != len(e.Alts) {
			t.Errorf("%s: the index gives %s:%d %s", e.Name, l.File, l.Line, l.Name)
		}
	}
}

// TestConcurrent: many goroutines match statements while the cache grows.
func TestConcurrent(t *testing.T) {
	table, err := load(dataFS, generated, Ptxas)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			q := Query{Version: Latest, Target: MustTarget("sm_90"), Entry: true}
			for i := range 3000 {
				spelling := fmt.Sprintf("add%s.s32 .s32, .s32, .s32", strings.Repeat(".sat", (i*7+g)%30))
				parseStatement(&q, spelling)
				if sel, fails := table.Match(&q); fails != nil {
					t.Errorf("%s: %v %v", spelling, sel, fails)
				}
			}
		})
	}
	wg.Wait()
}

// TestHostile: absurd statements are rejected quickly and without a panic.
func TestHostile(t *testing.T) {
	many := make([]Shape, 10000)
	for _, q := range []Query{
		{}, {Tokens: []string{""}}, {Tokens: []string{"add"}}, {Tokens: []string{"add", ".s32"}, Operands: many},
		{Tokens: append([]string{"add"}, slices.Repeat([]string{".f32"}, 100000)...)},
		{Tokens: append([]string{"mma", ".sync"}, slices.Repeat([]string{".f16", ".row"}, 12)...)},
		{Tokens: []string{strings.Repeat("x", 1<<20)}}, {Tokens: []string{"ld", "." + strings.Repeat("x", 1<<20)}},
		{Tokens: []string{"tex", ".1d"}, Operands: []Shape{{Kind: ShapeAddr}, {Kind: ShapePair}}},
		{Tokens: []string{"mov", ".u32"}, Operands: []Shape{{Kind: ShapeVec}, {Kind: ShapeVec}}},
	} {
		if sel, fails := Table().Match(&q); sel != nil || len(fails) == 0 {
			t.Errorf("%.60v is accepted", q.Tokens)
		}
	}
}

// TestBadData: errors in the data name file and line.
func TestBadData(t *testing.T) {
	for text, want := range map[string]string{
		"= 1 a  doc\na.type d;\nd : reg .type\n":                                  `x.isa:3: ".type" is neither a type nor a class`,
		"= 1 a  doc\na d;\n":                                                      "x.isa:1: no line says what operand d may be",
		"= 1 a  doc\na d;\nd : register .b32\n":                                   `x.isa:3: "register" is no kind of operand`,
		"= 1 a  doc\na d;\nd : reg .b32\nsince 6.6\n":                             "x.isa:4: there is no version 6.6",
		"= 1 a  doc\na d;\nd : reg .b32\nrequire .x\n":                            `x.isa:4: ".x" is neither a class nor a modifier`,
		"= 1 a  doc\na d;\nd : reg .b32\ncheck nothing\n":                         `x.isa:4: there is no check "nothing"`,
		"= 1 a  doc\na.x{.y d;\nd : reg .b32\n":                                   "x.isa:2: a { is not closed",
		"= 1 a  doc\nb d;\nd : reg .b32\n":                                        "x.isa:2: the form does not begin with the opcode a",
		"= 1 a  doc\na.t d;\n.t = { .b16 }\nd : reg .t\nwhat\n":                   `x.isa:5: "what" is no clause`,
		"= 1 a  doc\na.t d;\n.t = { .b16 }\nd : reg .t\ntable t[.t]\n .b16 : 1\n": "x.isa:6: table t has 1 keys and 0 columns",
	} {
		_, err := parseEntryText("x.isa", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// parseEntryText parses one entry with names of its own.
func parseEntryText(file, text string) (*Entry, error) {
	return newISA(&index{}, Ptxas).parseEntry(splitEntries(file, text)[0], Ptxas)
}
