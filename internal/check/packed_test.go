package check

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// sameWhenPacked holds the diagnostics of a packed file to those of the whole one.
func sameWhenPacked(t *testing.T, text []byte, want diag.List) (packed bool) {
	t.Helper()
	file := syntax.ParsePacked("fuzz.ptx", text)
	packed = file.Packed()
	_, have := Check(file, Options{WholeProgram: true})
	if h, w := written(have), written(want); h != w {
		t.Fatalf("packed:\n%s\nwhole:\n%s\n%s", h, w, text)
	}
	return packed
}

func written(list diag.List) string {
	var b strings.Builder
	if err := diag.WriteText(&b, list, diag.TextOptions{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// debugged has what is packed, and beside it what is not.
const debugged = head + `.visible .entry k() {
	.reg .b32 %r<9>;
	.loc	1 2 3
	mov.b32 	%r1, 1;
	.loc	2 10 7, function_name $L__info_string0, inlined_at 1 2 3
	mov.b32 	%r1, 1;
	.loc	2 11 7, function_name $L__info_string1, inlined_at 2 10 7 // here
	.loc	2 12 7, function_name $L__info_string0+0, inlined_at 2 10 7
	mov.b32 	%r1, 1;
	.loc	2 13 0x7, function_name $L__info_string0, inlined_at 2 10 7
	ret;
$L__tmp0:
}
.file	1 "a.cu"
.file	2 "b.cu"
.section	.debug_str
{
$L__info_string0:
.b8 95,90,78,52,0
$L__info_string1:
.b8 255
.b8 0
.b8 1, 2
.b8 10
.b32 300
.b64 $L__tmp0
}
`

// TestPacked: texts near what compilers write of debugging data are judged alike with packed lines and without.
func TestPacked(t *testing.T) {
	rounds := 1500
	if *full {
		rounds = 300_000
	}
	rng := rand.New(rand.NewPCG(3, 4))
	packed, again := 0, 0
	for range rounds {
		text := []byte(mutateBytes(rng, debugged))
		_, want := Check(syntax.Parse("fuzz.ptx", text), Options{WholeProgram: true})
		if sameWhenPacked(t, text, want) {
			packed++
			if want.HasErrors() {
				again++
			}
		}
	}
	if _, list := Check(syntax.Parse("whole.ptx", []byte(debugged)), Options{}); len(list) > 0 || packed < rounds/10 || again < rounds/100 {
		t.Errorf("%v; %d of %d texts were packed, %d of them with errors", list, packed, rounds, again)
	}
}

// mutateBytes changes a few bytes, or exchanges lines.
func mutateBytes(rng *rand.Rand, text string) string {
	const bytes = "0123456789,+-. \t\n;:{}/$x\r"
	for range 1 + rng.IntN(2) {
		i := rng.IntN(len(text) - 1)
		switch rng.IntN(4) {
		case 0:
			text = text[:i] + text[i+1:]
		case 1:
			text = text[:i] + bytes[rng.IntN(len(bytes)):][:1] + text[i:]
		case 2:
			text = text[:i] + bytes[rng.IntN(len(bytes)):][:1] + text[i+1:]
		case 3:
			lines := strings.SplitAfter(text, "\n")
			a, b := rng.IntN(len(lines)), rng.IntN(len(lines))
			lines[a], lines[b] = lines[b], lines[a]
			text = strings.Join(lines, "")
		}
	}
	return text
}

// TestPackedPlaces: a packed .loc that is inlined nowhere, or in an unknown function, is pointed at as a whole one is.
func TestPackedPlaces(t *testing.T) {
	for _, change := range [][3]string{
		{"inlined_at 1 2 3", "inlined_at 1 2 4", "names the place"},
		{"function_name $L__info_string1, inlined_at 2 10 7 // here", "function_name $L__other, inlined_at 2 10 7\n\tret;", "$L__other is no label"},
		{".version 9.0\n.target sm_90", ".version 6.5\n.target sm_70", "inlined_at"},
	} {
		text := []byte(strings.Replace(debugged, change[0], change[1], 1))
		_, want := Check(syntax.Parse("fuzz.ptx", text), Options{WholeProgram: true})
		if !strings.Contains(written(want), change[2]) {
			t.Errorf("%s: %s", change[1], written(want))
		}
		if !sameWhenPacked(t, text, want) {
			t.Errorf("%s: nothing was packed", change[1])
		}
	}
}

// TestPlaceSet: a set has what was added to it in its round, however often it grew.
func TestPlaceSet(t *testing.T) {
	var s placeSet
	at := func(i int) syntax.Place {
		return syntax.Place{File: uint32(i % 7), Line: uint32(i / 7), Col: uint32(i % 5)}
	}
	for round := range 3 {
		s.clear()
		for i := range 5000 {
			if s.has(at(i)) {
				t.Fatalf("round %d has %v before it was added", round, at(i))
			}
			s.add(at(i))
			s.add(at(i / 2))
		}
		for i := range 5000 {
			if !s.has(at(i)) {
				t.Fatalf("round %d has lost %v", round, at(i))
			}
		}
	}
	s.round = ^uint32(0)
	if s.clear(); s.has(at(1)) {
		t.Error("the first round after the last has old places")
	}
}
