package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

const surfaceRows = `suld.b.2d.v2.b8.clamp {d0, d1}, [X2, {a:b32, b:b32}]
  14 2 = 0xae 0xaf          # arithmetic
  16 3 = 0xae 0xaf          # arithmetic
sust.b.a1d.b32.zero [XL, {a:b32, b:b32}], s; suld.b.a1d.b32.trap d, [XL, {2, 12}]
  2 12 0x12345678 = 0x12345678   # arithmetic
  3 12 0x12345678 = 0xafaeadac   # arithmetic
suld.b.1d.b32.trap d, [X1, {a:b32}]
  64 = 0   # outside: the launch faults
suld.b.3d.b32.clamp d, [X3, {a:b32, b:b32, c:b32, c}]
  -4 -1 1 = 0xb3b2b1b0   # arithmetic
`

// TestSurfaceRows: blocks with surfaces get arrays for each lane, filled before every launch, and a
// fault costs its block alone: the next one has arrays of the new context.
func TestSurfaceRows(t *testing.T) {
	f := newFake(t, "sm_90")
	name := writeVectors(t, surfaceRows)
	code, out, errs := f.oracle(text, "vectors", "-write", name)
	if code != exitDiffer || !strings.Contains(out, "5 rows confirmed, 0 differ, 0 differ as they say, 1 blocks failed, 0 blocks not for") || !strings.Contains(out, "v.txt:7: suld.b.1d.b32.trap d, [X1, {a:b32}]: CUDA_ERROR") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	want := strings.Repeat("array fill ", 32) + "alloc write alloc write alloc write launch close open load " + strings.Repeat("array fill ", 32)
	if calls := strings.Join(f.calls, " "); !strings.Contains(calls, want) {
		t.Errorf("calls\nhave %s\nwant %s", calls, want)
	}
	marked, err := os.ReadFile(name)
	if err != nil || strings.Count(string(marked), "# hw sm_90") != 5 || strings.Contains(string(marked), "faults #") {
		t.Errorf("%v: marked\n%s", err, marked)
	}
}

// TestSurfaceFile: the rows of the vector file run on the device and agree: with -images all, else
// those of the first blocks.
func TestSurfaceFile(t *testing.T) {
	data, err := os.ReadFile("../../sem/testdata/vec/surface.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !*images {
		data = bytes.Join(bytes.SplitAfter(data, []byte("\n"))[:80], nil)
	}
	name := writeVectors(t, string(data))
	blocks, err := vec.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, b := range blocks {
		rows += len(b.Cases)
	}
	want := fmt.Sprintf("%d rows confirmed, 0 differ, 0 differ as they say, 0 blocks failed, 0 blocks not for", rows)
	if code, out, errs := newFake(t, "sm_90").oracle(text, "vectors", name); code != exitAgree || !strings.Contains(out, want) {
		t.Errorf("code %d: %s%s\nwant %s", code, out, errs, want)
	}
}
