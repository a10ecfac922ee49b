package sizes

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"ptxvm/internal/isa"
	"ptxvm/internal/ptxtest/generate"
	"ptxvm/internal/ptxtest/judge"
)

const (
	mixedFile = "testdata/mixed.txt"
	gatesFile = "testdata/mixedgates.txt"
)

// TestRecordMixed records what ptxas says about mixed precision.
func TestRecordMixed(t *testing.T) {
	if !*write {
		t.Skip("without -write")
	}
	path, list, gates := assembler(t), MixedQuestions(), MixedGates()
	if err := AskAll(path, list); err != nil {
		t.Fatal(err)
	}
	if err := judge.Ask(path, gates); err != nil {
		t.Fatal(err)
	}
	var b, g bytes.Buffer
	b.WriteString("# Registers of mixed precision (9.7.5) as ptxas 13.5 takes them: go test -run TestRecordMixed -write\n" +
		"# entry, operand, + - or ! for the types " + names(RegisterTypes) + ", target, statement\n")
	if err := WriteQuestions(&b, list); err != nil {
		t.Fatal(err)
	}
	if err := judge.Write(&g, gates); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string][]byte{mixedFile: b.Bytes(), gatesFile: g.Bytes()} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMixedRegisters: each operand of 9.7.5 with each type of register. Only registers of the
// operand's width fit: .f32 or .b32, and for a half .f16 or .b16, of bf16 .b16 alone.
func TestMixedRegisters(t *testing.T) {
	want := map[string]string{"f32": "b32 f32", "f16": "b16 f16", "bf16": "b16"}
	f, err := os.Open(mixedFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := ReadQuestions(f)
	if err != nil || len(list) != len(MixedQuestions()) {
		t.Fatal(len(list), err)
	}
	for _, q := range list {
		kind := "f32"
		if last := len(strings.Split(q.Case.Text, ",")) - 1; q.Operand > 0 && q.Operand < last {
			kind = []string{"f16", "bf16"}[strings.Count(q.Case.Text, ".bf16")]
		}
		var functions []generate.Function
		for _, c := range q.cases() {
			functions = append(functions, c.Function)
		}
		var ptxas, here []string
		for i, complaint := range complaints(t, functions) {
			name := RegisterTypes[i].String()[1:]
			if q.Verdicts[i] == Accepts {
				ptxas = append(ptxas, name)
			}
			if complaint == "" {
				here = append(here, name)
			}
		}
		if p, h := strings.Join(ptxas, " "), strings.Join(here, " "); p != want[kind] || h != p {
			t.Errorf("%s, operand %d: want %s, ptxas takes %s, here %s", q.Case.Text, q.Operand, want[kind], p, h)
		}
	}
}

// TestMixedGates: 8.6 and sm_100, from both sides.
func TestMixedGates(t *testing.T) {
	f, err := os.Open(gatesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := judge.Read(f)
	if err != nil || len(list) != len(MixedGates()) {
		t.Fatal(len(list), err)
	}
	for _, c := range list {
		open := !c.Version.Before(isa.V(8, 6)) && c.Target.Arch >= 100
		if here := c.Here(); (here == "") != open || (c.Ptxas == "") != open {
			t.Errorf("%v %v: %s: want accepted %v, ptxas %v; here %q", c.Version, c.Target, c.Text, open, c.Ptxas == "", here)
		}
	}
}
