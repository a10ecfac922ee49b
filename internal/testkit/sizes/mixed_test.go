package sizes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/judge"
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

// mixedExample is an example of 9.7.5 with what it lacks to be a kernel: declarations of
// operands, which its registers get from memory, and what fd must be.
type mixedExample struct {
	declared, statement string
	halves              []string // registers to load 16 bits to
	in                  []uint16
	fc, want            uint32
}

// mixedExamples: fd is cut to 24 bits, toward zero, and clamped.
var mixedExamples = []mixedExample{
	{".reg .b16 ba;", "add.rz.f32.bf16.sat fd, ba, fc;", []string{"ba"}, []uint16{0x3f00}, 0x33000001, 0x3f000000}, // 0.5 + a bit more than 2^-25
	{".reg .f16 ha;", "sub.rz.f32.f16.sat fd, ha, fc;", []string{"ha"}, []uint16{0x3c00}, 0x33000000, 0x3f7fffff},  // 1 - 2^-25
	{".reg .f16 ha, hb;", "fma.rz.sat.f32.f16.sat fd, ha, hb, fc;", []string{"ha", "hb"}, []uint16{0x3c01, 0x3800}, 0x30000000, 0x3f002000},
}

// TestMixedExamples runs the examples of 9.7.5.
func TestMixedExamples(t *testing.T) {
	b := newBench(t)
	for _, e := range mixedExamples {
		in, want := make([]byte, lanes*rowSize), bytes.Repeat([]byte{filler}, outSize)
		var loads strings.Builder
		for i, h := range e.halves {
			fmt.Fprintf(&loads, "\tld.global.b16 %s, [%%in+%d];\n", h, 4+2*i)
		}
		for lane := range lanes {
			row := in[lane*rowSize:]
			binary.LittleEndian.PutUint32(row, e.fc)
			for i, v := range e.in {
				binary.LittleEndian.PutUint16(row[4+2*i:], v)
			}
			binary.LittleEndian.PutUint32(want[lane*repeats*rowSize:], e.want)
		}
		body := "\t.reg .f32 fc, fd; " + e.declared + "\n\tld.global.f32 fc, [%in];\n" + loads.String() + "\t" + e.statement + "\n\tst.global.f32 [%out], fd;\n"
		b.run(t, []Kernel{{Name: "example", In: in, Want: want, Text: fmt.Sprintf(shape, "example", declarations(Type{'b', 32})+body)}})
	}
}

// TestMixedUndeclared: the example of 9.7.5.1 as it is printed names a register fa that nothing
// declares, and is an error that says so.
func TestMixedUndeclared(t *testing.T) {
	diags, err := ptxvm.Check("example.ptx", []byte(".version 8.6\n.target sm_100\n.address_size 64\n.entry k()\n{\n"+
		".reg .f32 fc, fd;\n.reg .b16 ba;\nadd.rz.f32.bf16.sat   fd, fa, fc;\nret;\n}\n"), nil)
	if err != nil || len(diags) != 1 || !strings.Contains(diags[0].Error(), "fa") {
		t.Errorf("want one error about fa, have %v %v", diags, err)
	}
}

// TestFmaNeedsRounding: fma has no default rounding, add and sub have.
func TestFmaNeedsRounding(t *testing.T) {
	for text, want := range map[string]bool{
		"fma.f32.f16 %f32_1, %f16_2, %f16_3, %f32_4;": false, "fma.rn.f32.f16 %f32_1, %f16_2, %f16_3, %f32_4;": true,
		"add.f32.f16 %f32_1, %f16_2, %f32_3;": true, "sub.f32.bf16 %f32_1, %b16_2, %f32_3;": true,
	} {
		c := judge.Case{Function: generate.Function{Version: isa.Latest, Target: isa.MustTarget("sm_100"), Text: text}}
		if here := c.Here(); (here == "") != want {
			t.Errorf("%s: want accepted %v, have %q", text, want, here)
		}
	}
}
