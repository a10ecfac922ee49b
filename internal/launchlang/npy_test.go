package launchlang

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/value"
)

// npyFile builds a file as NumPy writes it.
func npyFile(version byte, header, data string) []byte {
	out := []byte(npyMagic + string(rune(version)) + "\x00")
	out = append(out, byte(len(header)), byte(len(header)>>8))
	if version >= 2 {
		out = append(out, 0, 0)
	}
	raw, err := hex.DecodeString(strings.ReplaceAll(data, " ", ""))
	if err != nil {
		panic(err)
	}
	return append(append(out, header...), raw...)
}

// TestNpyReads covers order, byte order, versions and shapes.
func TestNpyReads(t *testing.T) {
	for _, c := range []struct {
		version      byte
		header, Data string
		want         string // type, shape and values
	}{
		{1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "0000803f 00000040", "f32 [2] 1 2"},
		{1, "{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3), }", "0100 0400 0200 0500 0300 0600", "u16 [2 3] 1 2 3 4 5 6"},
		{1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2), }", "00 04 02 06 01 05 03 07", "u8 [2 2 2] 0 1 2 3 4 5 6 7"},
		{2, "{'descr': '>i4', 'fortran_order': False, 'shape': (1, 2), }", "fffffffe 00000003", "s32 [1 2] -2 3"},
		{3, "{'descr': '<f2', 'fortran_order': False, 'shape': (), }", "0038", "f16 [] 0.5"},
		{1, "{'descr': '>f8', 'fortran_order': True, 'shape': (1,), }", "3ff0000000000000", "f64 [1] 1"},
		{1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "01 00 01", "u8 [3] 1 0 1"},
		{1, "{'shape': (0, 4), 'descr': '<i8', 'fortran_order': False}", "", "s64 [0 4]"},
	} {
		a, err := DecodeNpy(npyFile(c.version, c.header, c.Data))
		if err != nil {
			t.Errorf("%s: %v", c.header, err)
			continue
		}
		got := strings.TrimSpace(fmt.Sprint(a.Type.Name(), " ", a.Shape, " ", strings.Join(a.words(), " ")))
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.header, got, c.want)
		}
	}
}

// TestNpyRefuses feeds damaged and foreign files.
func TestNpyRefuses(t *testing.T) {
	for name, raw := range map[string][]byte{
		"empty":      nil,
		"no magic":   []byte("a text that is long enough"),
		"cut header": []byte(npyMagic + "\x01\x00\xff\xff{'descr'"),
		"structured": npyFile(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "00000000"),
		"objects":    npyFile(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "00"),
		"complex":    npyFile(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "0000000000000000"),
		"too short":  npyFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "00000000"),
		"too long":   npyFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", "00000000"),
		"overflow":   npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296)}", ""),
		"negative":   npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", ""),
	} {
		if a, err := DecodeNpy(raw); err == nil {
			t.Errorf("%s: read as %v", name, a)
		}
	}
}

// TestNpyRoundTrip writes every element type and reads it back; what NumPy has no type for
// comes back as unsigned integers of the same bytes.
func TestNpyRoundTrip(t *testing.T) {
	for _, name := range strings.Fields("u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 f16 bf16 f32 f64 tf32 e4m3 e5m2 e2m1 ue8m0") {
		typ, err := value.ParseType(name)
		if err != nil {
			t.Fatal(err)
		}
		a := Array{Type: typ, Shape: []int{3, 2}, Bytes: bytes.Repeat([]byte{1, 2, 3}, 2*typ.Size())}
		file := EncodeNpy(a)
		if data := bytes.Index(file, []byte("\n")) + 1; data%64 != 0 {
			t.Errorf("%s: the data begin at %d, no multiple of 64", name, data)
		}
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := ReadArray(path)
		if err != nil || !bytes.Equal(back.Bytes, a.Bytes) || fmt.Sprint(back.Shape) != "[3 2]" {
			t.Errorf("%s: came back as %v, %v", name, back, err)
		}
		if _, known := npyWritten[name]; known && back.Type != typ {
			t.Errorf("%s came back as %s", name, back.Type.Name())
		}
		if back.Type.Size() != typ.Size() {
			t.Errorf("%s came back as %s", name, back.Type.Name())
		}
	}
	if raw := EncodeNpy(Array{Bytes: []byte{1, 2, 3}}); !bytes.Contains(raw, []byte("'|u1', 'fortran_order': False, 'shape': (3,)")) {
		t.Errorf("raw bytes are written as %q", raw)
	}
}
