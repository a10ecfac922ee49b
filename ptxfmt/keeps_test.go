package ptxfmt_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/ptxfmt"
)

// statement finds the opcode with its modifiers in a line.
var statement = regexp.MustCompile(`^\s+(?:@!?\S+\s+)?([a-z]\w*(?:\.[\w:]+)+)`)

// kinds are what no fix may change, as this test reads it.
var kinds = map[string]*regexp.Regexp{
	"width or sign": regexp.MustCompile(`^(?:[bus]\d+|b?f\d+(?:x\d)?|tf32|[us]\d+x\d|e\dm\d(?:x\d)?|pred)$`),
	"rounding":      regexp.MustCompile(`^r(?:[nzmp]i?|na|s)$`),
	"space":         regexp.MustCompile(`^(?:global|local|param|const|shared)(?:::\w+)?$`),
}

// said lists the words of a kind in an opcode.
func said(opcode string, kind *regexp.Regexp) (list []string) {
	for _, w := range strings.Split(opcode, ".")[1:] {
		if kind.MatchString(w) {
			list = append(list, w)
		}
	}
	return slices.Compact(list)
}

// mutate changes one word of an opcode; kind is how.
func mutate(r *rand.Rand, opcode string) (changed, kind string) {
	words := strings.Split(opcode, ".")
	i := 1 + r.IntN(len(words)-1)
	switch r.IntN(5) {
	case 0:
		kind, words = "left out", slices.Delete(words, i, i+1)
	case 1:
		kind, words = "twice", slices.Insert(words, i, words[i])
	case 2:
		j := 1 + r.IntN(len(words)-1)
		kind, words[i], words[j] = "exchanged", words[j], words[i]
	case 3:
		others := strings.Fields("u4 s4 u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64 f16x2 bf16 b8 b16 b32 b64 rn rz rm rni rzi global shared local param v2 v4 lo hi wide")
		kind, words[i] = "another", others[r.IntN(len(others))]
	default:
		kind, words[i] = "slip", slip(r, words[i])
	}
	return strings.Join(words, "."), kind
}

// slip spells a word wrong.
func slip(r *rand.Rand, word string) string {
	b, i := []byte(word), r.IntN(len(word))
	switch r.IntN(4) {
	case 0:
		return string(slices.Delete(b, i, i+1))
	case 1:
		return string(slices.Insert(b, i, b[i]))
	case 2:
		b[i] = "abefnrsuxz12468"[r.IntN(15)]
	default:
		if i+1 < len(b) {
			b[i], b[i+1] = b[i+1], b[i]
		}
	}
	return string(b)
}

// TestFixKeeps: whatever is wrong with the statements of compiled kernels, one that was fixed has the widths, signs, rounding and
// space that it said before, and after a slip of the pen those that it had before that; where it said none, a choice is named.
func TestFixKeeps(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 8))
	files, err := filepath.Glob("../testdata/cuda/*.sm_90.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	fixed := map[string]int{}
	for round := 0; round < 40; round++ {
		src, err := os.ReadFile(files[r.IntN(len(files))])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(src), "\n")
		if len(lines) > 3000 {
			continue
		}
		was, how := map[int]string{}, map[int]string{}
		for range 40 {
			at := r.IntN(len(lines))
			if m := statement.FindStringSubmatchIndex(lines[at]); m != nil && was[at] == "" {
				was[at] = lines[at][m[2]:m[3]]
				var changed string
				changed, how[at] = mutate(r, was[at])
				lines[at] = lines[at][:m[2]] + changed + lines[at][m[3]:]
			}
		}
		broken := strings.Join(lines, "\n")
		text, applied, err := ptxfmt.Mend("k.ptx", []byte(broken), nil)
		if err != nil {
			t.Fatal(err)
		}
		now := strings.Split(string(text), "\n")
		if len(now) != len(lines) {
			t.Fatal("lines came or went")
		}
		for i := range lines {
			if now[i] != lines[i] {
				named := slices.ContainsFunc(applied, func(a ptxfmt.Applied) bool { return a.Line == i+1 && len(a.Of) > 1 })
				checkKeeps(t, was[i], how[i], lines[i], now[i], named)
				fixed[how[i]]++
			}
		}
	}
	for _, how := range []string{"left out", "twice", "slip", "another"} {
		if fixed[how] == 0 {
			t.Errorf("no statement was fixed whose word was %s: %v", how, fixed)
		}
	}
}

// bits is the untyped type of a type's width: b32 of u32 and of f16x2.
func bits(word string) string {
	if i := strings.IndexByte(word, 'x'); i >= 0 && strings.HasSuffix(word[:i], "16") {
		return "b32"
	}
	return "b" + strings.TrimLeft(word, "bfsu")
}

func checkKeeps(t *testing.T, was, how, before, after string, named bool) {
	t.Helper()
	x, y := statement.FindStringSubmatch(before), statement.FindStringSubmatch(after)
	if y == nil {
		t.Fatalf("%s became %s", before, after)
	}
	for name, kind := range kinds {
		var had []string
		if x != nil {
			had = said(x[1], kind)
		}
		has := said(y[1], kind)
		if how == "slip" {
			had = said(was, kind)
		}
		rest := has
		for _, w := range had {
			at := slices.IndexFunc(rest, func(n string) bool { return n == w || n == bits(w) })
			if at < 0 {
				t.Errorf("%s: a fix changed its %s (%s): %s", strings.TrimSpace(before), name, how, strings.TrimSpace(after))
				break
			}
			rest = rest[at+1:]
		}
		if name == "rounding" && len(has) > len(had) && !named && !bytes.Contains([]byte(was), []byte("."+has[0])) {
			t.Errorf("%s: a rounding that nobody named: %s", strings.TrimSpace(before), strings.TrimSpace(after))
		}
	}
}
