package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

// TestSurfaceSweep: a row for each case, with values that follow from the arrays' bytes (0x80+i,
// rows of 32 bytes, layers of 96): what is read, what is changed, and what faults.
func TestSurfaceSweep(t *testing.T) {
	f := newFake(t, "sm_90")
	table := filepath.Join(t.TempDir(), "hw", "t")
	code, out, errs := f.oracle(text, "sweep", "-only", "sust.b.a2d.v2.b16", "-o", table, "surface")
	if code != exitAgree || !strings.Contains(out, ": 0 differ, 0 failed") {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	data, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"# fake, sm_90",
		"sust.b.a2d.v2.b16.trap [2dlayered 8x3x2 u32x1, {0, 28, 0, -1}] = @28 41 42 43 44 # hw sm_90",
		"sust.b.a2d.v2.b16.trap [2dlayered 8x3x2 u32x1, {0, 32, 0, -1}] = fault # hw sm_90",
		"sust.b.a2d.v2.b16.clamp [2dlayered 8x3x2 u32x1, {0, 32, 0, -1}] = @28 41 42 43 44 # hw sm_90",
		"sust.b.a2d.v2.b16.clamp [2dlayered 8x3x2 u32x1, {-1, 0, 0, -1}] = @96 41 42 43 44 # hw sm_90",
		"sust.b.a2d.v2.b16.clamp [2dlayered 7x3x2 u8x1, {0, 4, 0, -1}] = @0 41 42 43 44 # hw sm_90",
		"sust.b.a2d.v2.b16.zero [2dlayered 8x3x2 u32x1, {0, 0, -2147483648, -1}] = nothing # hw sm_90",
		"sust.b.a2d.v2.b16.zero [2dlayered 8x3x2 u32x1, {0, 30, 0, -1}] = fault # hw sm_90",
	} {
		if !slices.Contains(strings.Split(string(data), "\n"), row) {
			t.Errorf("no row %s\nin %s", row, data)
		}
	}
	if first, last := strings.Index(string(data), "= fault"), strings.LastIndex(string(data), "= @"); first < last {
		t.Error("a case that faults does not come last")
	}
}

// TestFewerFaults: a number of the faulting cases of each statement, at other places in each; all others
// stay.
func TestFewerFaults(t *testing.T) {
	tables := map[string]string{}
	for _, n := range []string{"0", "1"} {
		table := filepath.Join(t.TempDir(), "t")
		if code, out, errs := newFake(t, "sm_90").oracle(text, "sweep", "-only", "suld.b.2d.v2", "-faults", n, "-o", table, "surface"); code != exitAgree {
			t.Fatalf("code %d: %s%s", code, out, errs)
		}
		data, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		tables[n] = string(data)
	}
	const fault, statements = "= fault #", 12 // .v2.b8 to .v2.b64, in three modes
	all, few := strings.Count(tables["0"], fault), strings.Count(tables["1"], fault)
	if few != statements || all <= few || strings.Count(tables["0"], "\n")-all != strings.Count(tables["1"], "\n")-few {
		t.Errorf("%d faults of %d", few, all)
	}
	places := map[string]bool{}
	for line := range strings.Lines(tables["1"]) {
		if _, place, found := strings.Cut(line, "{"); found && strings.Contains(place, fault) {
			places[place] = true
		}
	}
	if len(places) < 4 {
		t.Errorf("the places %v alone", places)
	}
}

// TestSurfaceAssumptions: a device that answers an assumption otherwise is told from the default, and the
// row says which position it has.
func TestSurfaceAssumptions(t *testing.T) {
	for _, c := range []struct{ assume, only, row, tally string }{
		{"U23=mask", "suld.b.1d.v2.b16.zero", "suld.b.1d.v2.b16.zero [1d 8 u32x1, {30}] = 0x9d9c 0x9f9e # hw sm_90: want fault, have 0x9d9c 0x9f9e; U23 surf-misaligned=mask has it",
			"U23 surf-misaligned: 4 cases tell: fault 0, mask 4"},
		{"U24=last", "suld.b.a1d.b32.zero", "suld.b.a1d.b32.zero [1dlayered 8x2 u32x1, {2, 0}] = 0xa3a2a1a0 # hw sm_90: want 0x00000000, have 0xa3a2a1a0; U24 surf-layer=last has it",
			"mode 0, last"},
		{"U25=cut", "sust.p.1d", "sust.p.1d.v4.b32.trap [1d 5 u8x4, {1}] = @4 2c fb 70 00 # hw sm_90: want @4 ff ff ff ff, have @4 2c fb 70 00; U25 sust-integer=cut has it",
			"saturate 0, cut"},
		{"U26=one", "suq.height", "suq.height.b32 [1d 5 u8x4] = 0x00000001 # hw sm_90: want 0x00000000, have 0x00000001; U26 suq-absent=one has it",
			"U26 suq-absent: 1 cases tell: zero 0, one 1"},
	} {
		code, out, errs := newFakeThat(t, "sm_90", c.assume).oracle(text, "sweep", "-only", c.only, "surface")
		if code != exitDiffer || !strings.Contains(out, c.row+"\n") || !strings.Contains(out, c.tally) || strings.Contains(out, "no position") {
			t.Errorf("%s: code %d: %s%s\nwant %s\n%s", c.assume, code, out, errs, c.row, c.tally)
		}
	}
}

// TestSurfaceUnexplained: an answer that no position has is reported as such, once.
func TestSurfaceUnexplained(t *testing.T) {
	f := newFake(t, "sm_90")
	reads := 0
	f.corrupt = func(_ string, out []byte) {
		if reads++; reads == 2 { // the first is the load that must work
			out[0] ^= 1
		}
	}
	code, out, _ := f.oracle(text, "sweep", "-only", "suld.b.2d.b8.zero", "surface")
	if code != exitDiffer || strings.Count(out, "no position of an assumption has it") != 1 || !strings.Contains(out, ": 1 differ, 0 failed") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestSurfaceContext: after a fault the device gets a new context, in which a plain load must work
// before the next case is asked.
func TestSurfaceContext(t *testing.T) {
	f := newFake(t, "sm_90")
	if code, out, errs := f.oracle(text, "sweep", "-only", "suld.b.1d.b16.trap", "surface"); code != exitAgree {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	want := "launch close open load array fill alloc write launch read fetch free load fill alloc write launch close open"
	if calls := strings.Join(f.calls, " "); !strings.Contains(calls, want) {
		t.Errorf("calls\nhave %s\nwant %s", calls, want)
	}
}

// TestSurfaceLost: a device that never recovers ends the sweep; what was asked is kept, and the
// message says how to go on. What the next cases would have been is not taken for their answer.
func TestSurfaceLost(t *testing.T) {
	f := newFake(t, "sm_90")
	f.forever = true
	table := filepath.Join(t.TempDir(), "t")
	code, out, errs := f.oracle(text, "sweep", "-only", "suld.b.1d.b16.trap", "-o", table, "surface")
	if code != exitUsage || !strings.Contains(errs, "does not recover from a fault") || !strings.Contains(errs, "the rest: -from 3") || !strings.Contains(out, "cases 0 to 3 of 7") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	if data, err := os.ReadFile(table); err != nil || strings.Count(string(data), "# hw") != 3 || strings.Count(string(data), "fault #") != 1 {
		t.Errorf("table %s, %v", data, err)
	}
	f.forever, f.lost = false, false
	if code, out, _ := f.oracle(text, "sweep", "-only", "suld.b.1d.b16.trap", "-from", "3", "-count", "2", "surface"); code != exitAgree || !strings.Contains(out, "cases 3 to 5 of 7: 0 differ") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestSurfaceRefused: a statement that does not assemble costs its own cases.
func TestSurfaceRefused(t *testing.T) {
	refuses := func(ptx string, _ isa.Target) ([]byte, error) {
		if strings.Contains(ptx, "suq.depth") {
			return nil, errors.New("ptxas: no")
		}
		return []byte(ptx), nil
	}
	code, out, errs := newFake(t, "sm_90").oracle(refuses, "sweep", "-only", "suq", "surface")
	if code != exitDiffer || !strings.Contains(out, "of 20: 0 differ, 5 failed") || strings.Count(errs, "suq.depth.b32 [") != 5 {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}

// TestSurfaceCases: no case is there twice, and each statement has, for each coordinate of its
// geometry, one beyond either end.
func TestSurfaceCases(t *testing.T) {
	seen := map[string]bool{}
	beyond := map[*access]map[[2]int]bool{}
	for _, c := range surfaceCases() {
		if seen[c.String()] {
			t.Errorf("%v is there twice", c)
		}
		seen[c.String()] = true
		if c.query || c.samples {
			continue
		}
		if beyond[c.access] == nil {
			beyond[c.access] = map[[2]int]bool{}
		}
		ends := []int{c.array.Size[0] * c.array.Format.Bytes(), height, layers}
		for i, p := range places[c.geometry] {
			if p >= 0 {
				beyond[c.access][[2]int{i, 0}] = beyond[c.access][[2]int{i, 0}] || c.at[p] < 0
				beyond[c.access][[2]int{i, 1}] = beyond[c.access][[2]int{i, 1}] || int(c.at[p]) >= ends[i]
			}
		}
	}
	if len(beyond) != 5*2*11*3 {
		t.Errorf("%d statements of bytes", len(beyond))
	}
	for a, sides := range beyond {
		for side, there := range sides {
			if !there {
				t.Errorf("%s: nothing beyond end %d of coordinate %d", a.op, side[1], side[0])
			}
		}
	}
}

// TestSurfaceAll asks every case, with -images.
func TestSurfaceAll(t *testing.T) {
	if !*images {
		t.Skip("-images asks all")
	}
	if code, out, errs := newFake(t, "sm_90").oracle(text, "sweep", "surface"); code != exitAgree {
		t.Errorf("code %d: %s%s", code, out, errs)
	} else {
		t.Log(out)
	}
}

// TestSurfaceImages: ptxas makes an image of a kernel of each kind; with -images, of all.
func TestSurfaceImages(t *testing.T) {
	if _, err := ptxas.Find(); err != nil {
		t.Skip(err)
	}
	some := strings.Fields("suld.b.a2d.v2.b8.clamp sust.b.3d.v4.b32.zero sust.p.1d.v4.b32.trap suq.array_size.b32")
	target, seen := isa.MustTarget("sm_90a"), map[string]bool{}
	for _, c := range surfaceCases() {
		if seen[c.op] || !*images && !slices.Contains(some, c.op) {
			continue
		}
		seen[c.op] = true
		if image, err := assembleCubin(c.kernel(target), target); err != nil || !strings.HasPrefix(string(image), "\x7fELF") {
			t.Errorf("%s: %d bytes, %v", c.op, len(image), err)
		}
	}
	t.Logf("%d images", len(seen))
}
