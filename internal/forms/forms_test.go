package forms

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
)

// TestModule: what a module holds, in words and as JSON whose lists are never null.
func TestModule(t *testing.T) {
	m, err := ptxvm.Compile("k.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 seen[4] = {1};\n"+
		".visible .entry k(.param .u64 .ptr .global .align 4 out, .param .f32 f)\n.reqntid 32, 2\n{\n\tret;\n}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	info := Describe("k.ptx", m)
	if err := info.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"k.ptx: .version 8.0 .target sm_90", "kernel k\n", "0: .u64 out  8 bytes at 0", "points to global", "1: .f32 f  4 bytes at 8", "block must be 32,2,1", ".global .u32 seen[4]  16 bytes, align 4, visible, initialised"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	data, err := json.Marshal(info)
	if err != nil || bytes.Contains(data, []byte(`"missing":null`)) || !bytes.Contains(data, []byte(`"reqBlock":[32,2,1],"maxThreads"`)) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestTensor prints lanes that are the same as one, and tables of zeros by their columns.
func TestTensor(t *testing.T) {
	m := &ptxvm.TensorMemory{CTA: ptxvm.Index3{X: 1}, Words: make([][]uint32, 4)}
	for c := range 24 {
		m.Columns = append(m.Columns, c)
	}
	for lane := range m.Words {
		m.Words[lane] = make([]uint32, 24)
	}
	m.Words[2][9] = 0xabc
	var text bytes.Buffer
	if err := PrintTensor(&text, m); err != nil {
		t.Fatal(err)
	}
	want := []string{"tensor memory of CTA (1,0,0)\n", "\n0-1 ", "\n2       00000000 00000abc", "\n3 ", "zero: columns 0 to 7, 16 to 23\n"}
	for _, w := range want {
		if !strings.Contains(text.String(), w) {
			t.Errorf("no %q in\n%s", w, &text)
		}
	}
	text.Reset()
	if err := PrintTensor(&text, &ptxvm.TensorMemory{}); err != nil || !strings.Contains(text.String(), "nothing was allocated") {
		t.Errorf("%s, %v", &text, err)
	}
}

// TestBench: the rate is that of the median.
func TestBench(t *testing.T) {
	b := Bench{Kernel: "k"}
	for _, ms := range []int{3, 1, 2} {
		b.Add(time.Duration(ms)*time.Millisecond, ptxvm.Stats{LaneOps: 4e6})
	}
	var text bytes.Buffer
	if err := b.Write(&text, "text"); err != nil || text.String() != "k: 3 launches, median 2ms, fastest 1ms; 4000000 lane-ops, 2.00 Glane-ops/s\n" {
		t.Errorf("%s, %v", &text, err)
	}
	for rate, want := range map[float64]string{12: "12 ", 1250: "1.25 k", 3e12: "3.00 T"} {
		if got := Rate(rate); got != want {
			t.Errorf("%g is %q, want %q", rate, got, want)
		}
	}
}
