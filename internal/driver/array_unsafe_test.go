package driver

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestRegister: kernels use memory of the program while it is registered.
func TestRegister(t *testing.T) {
	r := newRig(t, Config{})
	host := make([]uint32, 64)
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(host))))
	kept.Store(unsafe.SliceData(host), nil)
	r.want(r.Register(0, at, 256), Success)
	r.want(r.Register(0, at+128, 4), AlreadyMapped)
	r.want(r.Register(0, 0, 4), InvalidValue)
	r.want(r.Register(0, 1<<60, 4), NotSupported) // no address of a device
	r.want(r.launch(0, r.function("add"), 1, addParams(at, 7, 64)), Success)
	r.want(r.Synchronize(0), Success)
	if host[0] != 7 || host[63] != 7 {
		t.Error(host)
	}
	if b := r.Holding(at + 255); b == nil || b.Kind != MemoryPinned {
		t.Errorf("%+v", b)
	}
	r.want(r.Free(at, true), InvalidValue)
	r.want(r.Unregister(at+4), NotRegistered)
	r.want(r.Unregister(at), Success)
	r.want(r.Unregister(at), NotRegistered)
	r.want(r.launch(0, r.function("add"), 1, addParams(at, 7, 64)), Success)
	r.want(r.Synchronize(0), IllegalAddress)
}

// TestGuard: with device memory kept from the program, copies of all directions and kernels work, and what both reach
// has one address; registered memory has another for kernels.
func TestGuard(t *testing.T) {
	r := newRig(t, Config{Device: vm.DeviceConfig{HostGuard: true}})
	f := r.function("add")
	host := bytes.Repeat([]byte{1, 0, 0, 0}, 64)
	a, b := r.alloc(256), r.alloc(256)
	shared, code := r.Alloc(0, 256, MemoryManaged)
	r.want(code, Success)
	move := func(dst, src uint64, kind CopyKind) {
		t.Helper()
		to, from, box := row(dst, src, 256)
		r.want(r.Copy(0, 0, to, from, box, kind, SyncCall), Success)
	}
	move(a, address(host), HostToDevice)
	r.want(r.launch(0, f, 1, addParams(a, 4, 64)), Success)
	move(b, a, DeviceToDevice)
	move(shared, b, CopyDefault)
	if got := r.word(shared + 252); got != 5 {
		t.Errorf("%d, want 5", got)
	}
	at := address(host)
	r.want(r.Register(0, at, 256), Success)
	device, code := r.DevicePointer(at + 4)
	r.want(code, Success)
	r.want(r.launch(0, f, 1, addParams(device, 10, 1)), Success)
	r.want(r.Synchronize(0), Success)
	if host[0] != 1 || host[4] != 11 {
		t.Error(host[:8])
	}
	move(at, b, DeviceToHost)
	move(b, at, HostToDevice)
	r.want(r.Unregister(at), Success)
	if r.read(b, 4)[0] != 5 {
		t.Error("copies from registered memory")
	}
}

// TestArrays: extents, levels and formats as CUDA has them; objects end once.
func TestArrays(t *testing.T) {
	r := newRig(t, Config{})
	make := func(s ArrayShape) uint64 {
		t.Helper()
		h, code := r.ArrayCreate(0, s)
		r.want(code, Success)
		return h
	}
	for name, c := range map[string]struct {
		shape ArrayShape
		want  Code
	}{
		"line":             {ArrayShape{Width: 5, Format: "f32", Channels: 1}, Success},
		"layers of a line": {ArrayShape{Width: 5, Depth: 3, Format: "u8", Channels: 4, Flags: ArrayLayered}, Success},
		"cubes":            {ArrayShape{Width: 4, Height: 4, Depth: 12, Format: "f16", Channels: 2, Flags: ArrayLayered | ArrayCubemap}, Success},
		"half a cube":      {ArrayShape{Width: 4, Height: 4, Depth: 3, Format: "f32", Channels: 1, Flags: ArrayCubemap}, InvalidValue},
		"a long face":      {ArrayShape{Width: 4, Height: 5, Depth: 6, Format: "f32", Channels: 1, Flags: ArrayCubemap}, InvalidValue},
		"three channels":   {ArrayShape{Width: 4, Format: "f32", Channels: 3}, InvalidValue},
		"no width":         {ArrayShape{Format: "f32", Channels: 1}, InvalidValue},
		"sparse":           {ArrayShape{Width: 4, Format: "f32", Channels: 1, Flags: 0x40}, InvalidValue},
		"too large":        {ArrayShape{Width: 1 << 20, Height: 1 << 10, Format: "f32", Channels: 4}, OutOfMemory},
	} {
		h, code := r.ArrayCreate(0, c.shape)
		if code != c.want {
			t.Errorf("%s: %d, want %d", name, code, c.want)
		}
		if code == Success {
			r.want(r.ArrayDestroy(h), Success)
		}
	}
	h := make(ArrayShape{Width: 8, Height: 4, Format: "f32", Channels: 1, Levels: 3})
	level, code := r.ArrayLevel(h, 2)
	r.want(code, Success)
	info, code := r.ArrayInfo(level)
	if code != Success || info.Width != 2 || info.Height != 1 || info.Element != 4 || info.Rows != 1 {
		t.Errorf("%+v, %d", info, code)
	}
	if again, _ := r.ArrayLevel(h, 2); again != level {
		t.Error("a level has two handles")
	}
	r.want(second(r.ArrayLevel(h, 3)), InvalidValue)
	s, code := r.SurfaceCreate(level)
	r.want(code, Success)
	r.want(r.SurfaceDestroy(s), Success)
	r.want(r.SurfaceDestroy(s), InvalidValue)
	tex, code := r.TextureCreate(0, TextureShape{Array: h, Normalized: true})
	r.want(code, Success)
	r.want(second(r.TextureCreate(0, TextureShape{Addr: 64, Width: 4, Format: "f32", Channels: 1})), InvalidValue)
	r.want(second(r.TextureCreate(0, TextureShape{Array: level + 5})), InvalidHandle)
	r.want(r.TextureDestroy(tex), Success)
	r.want(r.TextureDestroy(tex), InvalidValue)
	r.want(r.ArrayDestroy(level), InvalidHandle) // of its whole
	r.want(r.ArrayDestroy(h), Success)
	r.want(second(r.ArrayInfo(level)), InvalidHandle)
}

// TestTextureOfQueuedLaunch: a texture object that is destroyed is there for the launches that wait in a stream, and gone for later ones.
func TestTextureOfQueuedLaunch(t *testing.T) {
	r := newRig(t, Config{})
	m, _, code := r.Load([][]byte{[]byte(`.version 8.0
.target sm_75
.address_size 64
.visible .entry sample(.param .u64 tex, .param .u64 out)
{
	.reg .b64 %t, %o; .reg .b32 %r<4>;
	ld.param.u64 %t, [tex]; ld.param.u64 %o, [out];
	tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {2}];
	st.global.u32 [%o], %r0;
	ret;
}`)})
	r.want(code, Success)
	f, code := r.Function(0, m, "sample")
	r.want(code, Success)
	samples, code := r.Alloc(0, 256, MemoryManaged)
	r.want(code, Success)
	gate, code := r.Alloc(0, 4, MemoryPinned)
	r.want(code, Success)
	out, code := r.Alloc(0, 4, MemoryManaged)
	r.want(code, Success)
	hostBytes(samples, 256)[2] = 42
	hostBytes(gate, 4)[0] = 0
	object, code := r.TextureCreate(0, TextureShape{Addr: samples, Width: 256, Format: "u8", Channels: 1})
	r.want(code, Success)
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, object), out)
	stream := r.stream(StreamNonBlocking)
	r.want(r.launch(stream, r.function("wait"), 1, addParams(gate, 0, 0)[:8]), Success)
	r.want(r.launch(stream, f, 1, params), Success)
	r.want(r.TextureDestroy(object), Success)
	r.want(r.TextureDestroy(object), InvalidValue)
	hostBytes(gate, 4)[0] = 1
	r.want(r.StreamSynchronize(0, stream), Success)
	if got := r.word(out); got != 42 {
		t.Errorf("the sample is %d", got)
	}
	for gone := false; !gone; gone = r.StreamSynchronize(0, stream) != Success { // behind the end, which a goroutine makes
		r.want(r.launch(stream, f, 1, params), Success)
	}
}

// TestConstantsWritten: a kernel writes constants by the address that the program has, and a later one reads them.
func TestConstantsWritten(t *testing.T) {
	r := newRig(t, Config{})
	m, _, code := r.Load([][]byte{[]byte(`.version 8.0
.target sm_75
.address_size 64
.const .u32 table[64] = {1, 2, 3};
.visible .entry read(.param .u64 out)
{
	.reg .b64 %o, %i; .reg .b32 %t, %v; .reg .b64 %a;
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;
	mul.wide.u32 %i, %t, 4; mov.u64 %a, table; add.u64 %a, %a, %i; add.u64 %o, %o, %i;
	ld.const.u32 %v, [%a]; st.global.u32 [%o], %v;
	ret;
}`)})
	r.want(code, Success)
	read, code := r.Function(0, m, "read")
	r.want(code, Success)
	table, size, code := r.Variable(0, m, "table")
	if code != Success || size != 256 {
		t.Fatal(size, code)
	}
	out, code := r.Alloc(0, 256, MemoryManaged)
	r.want(code, Success)
	for round := range uint32(6) { // the last ones are compiled
		r.want(r.launch(0, r.function("add"), 1, addParams(table, 10, 64)), Success)
		r.want(r.launch(0, read, 1, binary.LittleEndian.AppendUint64(nil, out)), Success)
		r.want(r.Synchronize(0), Success)
		if got := [2]uint32{r.word(out + 4), r.word(out + 252)}; got != [2]uint32{2 + 10*(round+1), 10 * (round + 1)} {
			t.Errorf("round %d: %d", round, got)
		}
	}
}

// TestTensorMaps: descriptions that are wrong are refused; a right one names the address.
func TestTensorMaps(t *testing.T) {
	r := newRig(t, Config{})
	good := func() TensorMap {
		return TensorMap{Addr: r.alloc(4096), Type: 7, Dims: []uint64{32, 16}, Strides: []uint64{128}, Box: []uint32{8, 4}, Steps: []uint32{1, 1}}
	}
	at := good()
	m, code := r.Encode(at)
	if code != Success || binary.LittleEndian.Uint64(m[:]) != at.Addr {
		t.Errorf("%d, %x", code, m[:8])
	}
	for name, spoil := range map[string]func(*TensorMap){
		"type": func(m *TensorMap) { m.Type = 99 }, "swizzle": func(m *TensorMap) { m.Swizzle = 7 }, "address": func(m *TensorMap) { m.Addr += 4 },
		"no extent": func(m *TensorMap) { m.Dims[0] = 0 }, "wide box": func(m *TensorMap) { m.Box[1] = 257 }, "stride": func(m *TensorMap) { m.Strides[0] = 130 },
		"rank": func(m *TensorMap) { m.Box = m.Box[:1] }, "interleave": func(m *TensorMap) { m.Interleave = 3 }, "slices of two dimensions": func(m *TensorMap) { m.Interleave = 1 },
	} {
		bad := good()
		spoil(&bad)
		if _, code := r.Encode(bad); code != InvalidValue {
			t.Errorf("%s: %d", name, code)
		}
	}
	slices := TensorMap{Addr: r.alloc(4096), Type: 6, Interleave: 2, Swizzle: 1, Dims: []uint64{32, 8, 4}, Strides: []uint64{32, 256}, Box: []uint32{16, 8, 4}, Steps: []uint32{1, 1, 1}}
	if m, code := r.Encode(slices); code != Success {
		t.Errorf("slices of 32 bytes: %d", code)
	} else if of, err := tensor.DecodeMap(&m); err != nil || of.Interleave != 2 {
		t.Errorf("%+v, %v", of, err)
	}
}

// TestTensorMapsMade: what the driver makes is made, also where no manual says what copies by it do.
func TestTensorMapsMade(t *testing.T) {
	r := newRig(t, Config{})
	cube := TensorMap{Addr: r.alloc(4096), Type: 3, Interleave: 2, Swizzle: 1, Dims: []uint64{128, 128, 128}, Strides: []uint64{512, 65536}, Box: []uint32{4, 4, 4}, Steps: []uint32{1, 1, 1}}
	apart := cube
	apart.Interleave, apart.Swizzle, apart.Box, apart.Steps = 1, 0, []uint32{16, 16, 16}, []uint32{8, 8, 8}
	wide := TensorMap{Addr: cube.Addr, Type: 3, Dims: []uint64{1 << 32, 16}, Strides: []uint64{1 << 34}, Box: []uint32{16, 16}, Steps: []uint32{1, 1}}
	for name, m := range map[string]TensorMap{"a part of a slice": cube, "channels apart": apart, "2^32 elements": wide} {
		if _, code := r.Encode(m); code != Success {
			t.Errorf("%s: %d: %s", name, code, strings.Join(r.errors, ""))
		}
	}
	wide.Dims[0]++
	if _, code := r.Encode(wide); code != InvalidValue || !strings.Contains(strings.Join(r.errors, ""), "want 1 to 2^32") {
		t.Errorf("2^32+1 elements: %d: %s", code, strings.Join(r.errors, ""))
	}
}

// TestClusters: how large clusters may be, and launches that are not possible.
func TestClusters(t *testing.T) {
	r := newRig(t, Config{})
	f, at := r.function("add"), r.alloc(64)
	launch := func(grid, cluster uint32) Code {
		p := addParams(at, 0, 1)
		return r.Launch(0, 0, f, Launch{Grid: vm.Dim3{X: grid, Y: 1, Z: 1}, Block: vm.Dim3{X: 32, Y: 1, Z: 1}, Cluster: vm.Dim3{X: cluster, Y: 1, Z: 1}, Buffer: address(p), BufferSize: uint64(len(p))})
	}
	r.want(launch(8, 4), Success)
	r.want(launch(6, 4), InvalidClusterSize)
	r.want(launch(16, 16), InvalidClusterSize)
	r.want(r.FunctionSet(0, f, FuncNonPortable, 1), Success)
	r.want(launch(16, 16), Success)
	most, n, code := r.OccupancyClusters(0, f, Launch{Block: vm.Dim3{X: 32, Y: 1, Z: 1}, Cluster: vm.Dim3{X: 2, Y: 1, Z: 1}})
	if most != maxClusters || n < 1 || code != Success {
		t.Errorf("%d %d %d", most, n, code)
	}
	if dynamic, code := r.OccupancyShared(0, f, 2, 256); code != Success || dynamic < 48<<10 {
		t.Errorf("%d bytes, %d", dynamic, code)
	}
	r.want(r.Synchronize(0), Success)
}
