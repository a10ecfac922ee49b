package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// store is memory that a capture is loaded into.
type store []byte

func (s store) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(s)) || len(p) > len(s)-int(off) {
		return 0, fmt.Errorf("%d bytes at %d, of %d", len(p), off, len(s))
	}
	return copy(s[off:], p), nil
}

// folderOf makes a folder of allocations with these bytes, with room between them.
func folderOf(all ...[]byte) *Folder {
	f := &Folder{
		Modules: [][]byte{[]byte(".version 8.0\n")},
		Options: []Option{{"--kernel", "k"}, {"--arg", "u64:1"}, {"--deterministic", ""}},
		Bytes:   func(i int) ([]byte, error) { return all[i], nil },
	}
	at := uint64(0x7000_0000_0000)
	for i, data := range all {
		size := uint64(len(data))
		f.Memory.Allocations = append(f.Memory.Allocations, Allocation{Address: Address(at), Size: size, Space: "device", Owner: fmt.Sprint("test ", i)})
		at += size + 256
	}
	return f
}

// back loads a folder.
func back(dir string, limit uint64) (all []store, err error) {
	m, err := Open(dir, limit)
	if err != nil {
		return nil, err
	}
	by := map[Address]store{}
	for _, a := range m.Allocations {
		s := make(store, a.Size)
		by[a.Address], all = s, append(all, s)
	}
	return all, m.Load(dir, func(a *Allocation) (io.WriterAt, error) { return by[a.Address], nil })
}

// TestRoundTrip writes memories of many shapes, zeros between them, and reads the same bytes.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all [][]byte
	for _, size := range []int{1, page - 1, page, page + 1, 3 * page, 100*page + 7, 3<<20 + 5} {
		for _, share := range []int{0, 1, 50, 100} { // percent of the pages
			data := make([]byte, size)
			for at := 0; at < size; at += page {
				if random.IntN(100) < share {
					data[min(at+random.IntN(page), size-1)] = byte(1 + random.IntN(255))
				}
			}
			all = append(all, data)
		}
	}
	for _, hold := range []bool{false, true} {
		roundTrip(t, all, hold)
	}
}

// roundTrip writes allocations with these bytes, at once or after they have changed.
func roundTrip(t *testing.T, all [][]byte, hold bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "here")
	f := folderOf(all...)
	if hold {
		held(t, f)
	}
	first := f.Memory.Allocations[2]
	f.Memory.Variables = []Variable{{"v", first.Address, 1}}
	f.Report = []byte(`{"fault": null}`)
	if err := Write(dir, f, 1<<30); err != nil {
		t.Fatal(err)
	}
	got, err := back(dir, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range all {
		if !bytes.Equal(got[i], data) {
			t.Errorf("allocation %d of %d bytes came back changed", i, len(data))
		}
	}
	m, err := Open(dir, 1<<30)
	if err != nil || !reflect.DeepEqual(m.Variables, f.Memory.Variables) {
		t.Errorf("variables came back as %v: %v", m, err)
	}
	launch, err := os.ReadFile(filepath.Join(dir, LaunchFile))
	want := "# A captured launch: ptxvm run @launch.txt\nmodule.ptx\n--kernel k\n--arg u64:1\n--deterministic\n"
	if err != nil || string(launch) != want {
		t.Errorf("%s is %q, %v; want %q", LaunchFile, launch, err, want)
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the capture there is something: %v %v", left, err)
	}
}

// held has a folder hold its memory, which is gone then.
func held(t *testing.T, f *Folder) {
	t.Helper()
	touched := 0
	f.Touched = func(i int) []Run {
		touched++
		half := f.Memory.Allocations[i].Size / 2 / page * page
		return slices.DeleteFunc([]Run{{0, half}, {half, f.Memory.Allocations[i].Size - half}}, func(r Run) bool { return r.Size == 0 })
	}
	if _, err := f.Hold(1<<30, make([]byte, 100)); err != nil || touched != len(f.Memory.Allocations) {
		t.Fatal(err, touched)
	}
	f.Bytes = func(int) ([]byte, error) { return nil, errors.New("the memory is gone") }
	if _, err := folderOf(make([]byte, 100), []byte{1}).Hold(0, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a byte that is not zero, of none allowed: %v", err)
	}
}

// TestWriteRefuses: what cannot be captured leaves nothing, and nothing that is there is overwritten.
func TestWriteRefuses(t *testing.T) {
	one := bytes.Repeat([]byte{1}, 3*page)
	for name, c := range map[string]struct {
		change func(*Folder)
		limit  uint64
		want   string
	}{
		"limit":   {func(*Folder) {}, 2 * page, "12288 bytes or more that are not zero, of 8192"},
		"overlap": {func(f *Folder) { f.Memory.Allocations[1].Address = f.Memory.Allocations[0].Address + 1 }, 1 << 30, "begins before 0x"},
		"line":    {func(f *Folder) { f.Options[0].Value = "a\n--kernel b" }, 1 << 30, "does not fit into a line"},
		"size":    {func(f *Folder) { f.Memory.Allocations[0].Size++ }, 1 << 30, "has 12288 bytes, not 12289"},
		"report":  {func(f *Folder) { f.Report = []byte("{") }, 1 << 30, "no JSON"},
	} {
		root := t.TempDir()
		f := folderOf(one, []byte{0})
		c.change(f)
		err := Write(filepath.Join(root, "c"), f, c.limit)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
		if left, _ := os.ReadDir(root); len(left) != 0 {
			t.Errorf("%s has left %v", name, left)
		}
	}
	root := t.TempDir()
	kept := filepath.Join(root, "notes")
	if err := os.WriteFile(kept, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(root, folderOf(one), 1<<30); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder that is not empty: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// hostile are texts of memory.json that promise what cannot be, with what is said of them.
var hostile = []struct{ name, text, want string }{
	{"empty", ``, "ends early"},
	{"truncated", `{"schema": 2, "allocations": [{"address": "0x1000",`, "ends early"},
	{"later", `{"schema": 3}`, "schema 3; this version of ptxvm reads 2"},
	{"no schema", `{}`, "schema 0"},
	{"two objects", `{"schema": 2} {}`, "behind the object"},
	{"null", `{"schema": 2, "allocations": [{"address": "0x0", "size": 1, "space": "device"}]}`, "cannot be device memory"},
	{"wraps", `{"schema": 2, "allocations": [{"address": "0xfffffffffffff000", "size": 8192, "space": "device"}]}`, "cannot be device memory"},
	{"size wraps", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 18446744073709551615, "space": "device"}]}`, "cannot be device memory"},
	{"no number", `{"schema": 2, "allocations": [{"address": "x", "size": 1, "space": "device"}]}`, "no address"},
	{"decimal", `{"schema": 2, "allocations": [{"address": "4096", "size": 1, "space": "device"}]}`, "no address"},
	{"negative", `{"schema": 2, "allocations": [{"address": "0x1000", "size": -1, "space": "device"}]}`, "-1"},
	{"space", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 1, "space": "moon"}]}`, `no space "moon"`},
	{"below", `{"schema": 2, "base": "0x2000", "allocations": [{"address": "0x1000", "size": 16, "space": "device"}]}`, "lies before 0x2000"},
	{"overlap", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device"}, {"address": "0x100f", "size": 1, "space": "device"}]}`,
		"begins before 0x"},
	{"huge", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 1073741825, "space": "device"}]}`, "larger than the limit"},
	{"run", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device", "runs": [{"offset": 8, "size": 9}]}]}`, "no 9 bytes"},
	{"run wraps", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device", "runs": [{"offset": 8, "size": 18446744073709551615}]}]}`,
		"no 18446744073709551615 bytes"},
	{"runs overlap", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device", "runs": [{"offset": 0, "size": 8}, {"offset": 7, "size": 1}]}]}`,
		"no 1 bytes"},
	{"variable", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device"}], "variables": [{"name": "v", "address": "0x1008", "size": 9}]}`,
		"lies in no allocation"},
	{"unwritten", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device", "unwritten": [{"offset": 9, "size": 8}]}]}`, "can be unwritten from byte 9"},
	{"handles", `{"schema": 2, "allocations": [], "handles": [{"handle": "0x8"}, {"handle": "0x8"}]}`, "handle 0x8 stands behind 0x8"},
	{"handle 0", `{"schema": 2, "allocations": [], "handles": [{"handle": "0x0"}]}`, "stands behind"},
	{"image", `{"schema": 2, "allocations": [], "handles": [{"handle": "0x8", "images": [{"address": "0x1000"}]}]}`, "lies in no allocation"},
	{"levels", `{"schema": 2, "allocations": [], "handles": [{"handle": "0x8", "images": [` + strings.Repeat(`{},`, 64) + `{}]}]}`, "65 images"},
	{"reference", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device"}], "variables": [{"name": "v", "address": "0x1000", "size": 1}],
		"references": [{"name": "v", "address": "0x8", "size": 8}]}`, "named twice"},
	{"variable twice", `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device"}],
		"variables": [{"name": "v", "address": "0x1000", "size": 1}, {"name": "v", "address": "0x1000", "size": 1}]}`, "named twice"},
}

// TestHostileTexts: each is refused with the words that say why.
func TestHostileTexts(t *testing.T) {
	for _, c := range hostile {
		if _, err := parse(strings.NewReader(c.text), 1<<30); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
	if _, err := parse(strings.NewReader(hostile[14].text), 1<<30); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a huge allocation gives %v, not ErrTooLarge", err)
	}
}

// packed compresses bytes.
func packed(t testing.TB, data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// TestHostileBytes: bytes that are cut, changed, too few or too many are refused, and a bomb is not unpacked.
func TestHostileBytes(t *testing.T) {
	data := make([]byte, 5*page)
	for i := range data {
		data[i] = byte(i*i>>3) | 1
	}
	whole := packed(t, data)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 0x40
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"cut":     {whole[:len(whole)/2], "missing"},
		"empty":   {nil, "missing"},
		"changed": {flipped, "allocation at"},
		"few":     {packed(t, data[:len(data)-1]), "missing"},
		"many":    {packed(t, append(bytes.Clone(data), 0)), "more bytes"},
		"bomb":    {packed(t, append(bytes.Clone(data), make([]byte, 256<<20)...)), "more bytes"},
		"no zstd": {[]byte("plain text, long enough to be looked at"), "magic"},
	} {
		m := &Memory{Allocations: []Allocation{{Address: 0x1000, Size: uint64(len(data)), Runs: []Run{{0, uint64(len(data))}}}}}
		s := make(store, len(data))
		err := m.load(bytes.NewReader(c.raw), func(*Allocation) (io.WriterAt, error) { return s, nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
}

// FuzzRead reads folders of any bytes: an error, or a memory whose runs all lie inside of disjoint allocations.
func FuzzRead(f *testing.F) {
	text := `{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device", "runs": [{"offset": 4, "size": 8}]}],` +
		`"variables": [{"name": "v", "address": "0x1000", "size": 4}]}`
	f.Add([]byte(text), packed(f, []byte("8 bytes!")))
	f.Add([]byte(`{"schema": 2, "allocations": [{"address": "0x1000", "size": 16, "space": "device", "unwritten": [{"offset": 4, "size": 8}]}],`+
		`"handles": [{"handle": "0x103000000000000", "kind": "texture", "name": "t", "texture": {"sampler": {"address": ["wrap", "wrap", "wrap"], "compare": "le"}},`+
		`"images": [{"geometry": "2d", "size": [2, 2], "format": "f32x1", "pitch": 16, "bytes": 16, "address": "0x1000"}]}],`+
		`"references": [{"name": "r", "address": "0x103000000000008", "size": 8}], "beside": ["k"]}`), packed(f, nil))
	for _, c := range hostile {
		f.Add([]byte(c.text), []byte(nil))
	}
	const limit = 1 << 20
	f.Fuzz(func(t *testing.T, text, raw []byte) {
		m, err := parse(bytes.NewReader(text), limit)
		if err != nil {
			return
		}
		total, end := uint64(0), uint64(0)
		for _, a := range m.Allocations {
			if uint64(a.Address) < end || a.Size == 0 {
				t.Fatalf("%d bytes at %#x behind %#x", a.Size, uint64(a.Address), end)
			}
			end = uint64(a.Address) + a.Size
			total += a.Size
		}
		if total > limit || end > maxAddress {
			t.Fatalf("%d bytes up to %#x", total, end)
		}
		err = m.load(bytes.NewReader(raw), func(a *Allocation) (io.WriterAt, error) { return make(store, a.Size), nil })
		if err != nil && strings.Contains(err.Error(), " bytes at ") {
			t.Fatalf("written outside: %v", err)
		}
	})
}
