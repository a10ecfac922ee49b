package vm_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"ptxvm.invalid/ptxvm/internal/capture"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// restored is a kernel that reads by a reference, by handles and by an address.
const restored = `.version 8.0
.target sm_90
.address_size 64
.global .surfref s;
.global .texref t;
.global .align 4 .u32 v;
.visible .entry k()
{
	.reg .b32 %r; .reg .f32 %f<4>; .reg .b64 %h;
	suld.b.2d.b32.zero %r, [s, {4, 1}];
	sust.b.2d.b32.zero [s, {0, 1}], %r;
	tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {0f3F000000, 0f40000000}], 0f3F800000;
	st.global.f32 [v], %f0;
	mov.u64 %h, 0x100030000000000;
	tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%h, {%r, %r}];
	ld.global.u32 %r, [v];
	ret;
}
`

// wholeFolder is a memory.json of all there is.
const wholeFolder = `{"schema": 2, "base": "0x700000000000", "allocations": [
{"address": "0x700000000000", "size": 4096, "space": "device", "runs": [{"offset": 4, "size": 8}], "unwritten": [{"offset": 100, "size": 50}]},
{"address": "0x700000002000", "size": 4, "space": "device", "label": "v"}],
"variables": [{"name": "v", "address": "0x700000002000", "size": 4}],
"handles": [{"handle": "0x100030000000000", "kind": "texture", "name": "a", "images": [
 {"geometry": "2d", "size": [8, 2], "format": "f32x1", "linear": true, "pitch": 48, "bytes": 80, "address": "0x700000000000"}],
 "texture": {"sampler": {"address": ["wrap", "clamp", "border"], "border": [0, 0, 0, 1065353216], "bias": 0, "min_lod": 0, "max_lod": 1120403456, "compare": "le", "linear": true, "max_anisotropy": 4}}},
{"handle": "0x100030000000008", "kind": "surface", "name": "s", "images": [
 {"geometry": "2d", "size": [4, 4], "format": "u8x4", "pitch": 16, "bytes": 64, "address": "0x700000000100"}]},
{"handle": "0x100030000000010", "kind": "texture", "name": "t", "images": [
 {"geometry": "2d", "size": [4, 4], "format": "f32x1", "pitch": 16, "bytes": 64, "address": "0x700000000200"},
 {"geometry": "2d", "size": [2, 2], "format": "f32x1", "pitch": 16, "bytes": 32, "address": "0x700000000300"}],
 "texture": {"mipmapped": true, "sampler": {"address": ["mirror", "clamp_ogl", "wrap"], "border": [0, 0, 0, 0], "bias": 0, "min_lod": 0, "max_lod": 1120403456, "compare": "never"}}},
{"handle": "0x100030000000020", "kind": "sampler", "name": "gone", "freed": true}],
"references": [{"name": "s", "address": "0x100030000000008", "size": 8}, {"name": "t", "address": "0x100030000000010", "size": 8}]}`

// FuzzRestore begins with the memory of any folder, and runs a kernel on what it has: an error, or a launch that ends, never more.
func FuzzRestore(f *testing.F) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	eight := w.EncodeAll([]byte("8 bytes!"), nil)
	f.Add([]byte(wholeFolder), eight, "00")
	f.Add([]byte(wholeFolder), eight[:len(eight)/2], "")
	f.Add([]byte(`{"schema": 2, "base": "0x200000000000", "allocations": [{"address": "0x200000000000", "size": 8, "space": "host"},
{"address": "0x7ffffffff000", "size": 4096, "space": "host"}]}`), eight, "")
	f.Add([]byte(`{"schema": 2, "base": "0x200000000000", "allocations": [{"address": "0x55550000fff0", "size": 40, "space": "host", "runs": [{"offset": 0, "size": 8}]}]}`), eight, "")
	f.Add([]byte(`{"schema": 2, "base": "0x700000000000", "allocations": []}`), w.EncodeAll(nil, nil), "x")
	m, err := vm.Compile("k.ptx", []byte(restored), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, memory, bytes []byte, after string) {
		dir := t.TempDir()
		for name, text := range map[string][]byte{capture.MemoryFile: memory, capture.BytesFile: bytes, capture.AfterFile: []byte(after)} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		d, err := vm.NewDevice(&vm.DeviceConfig{
			Arch: "sm_90", Memory: 1 << 20, Restore: dir, Engine: vm.Interp, MaxSteps: 1000, Sanitize: vm.SanitizeInit,
		})
		if err != nil {
			return
		}
		defer d.Close()
		p, err := d.Load(m)
		if err != nil {
			return
		}
		k, err := p.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		stats, err := k.LaunchBlock(context.Background(), vm.Launch{}, nil)
		if string(memory) == wholeFolder && string(bytes) == string(eight) && after == "00" && (err != nil || stats.Replay != vm.ReplayDiffers) {
			t.Errorf("the folder that is whole: %d, %v", stats.Replay, err)
		}
	})
}
