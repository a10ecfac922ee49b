package driver

import (
	"encoding/binary"
	"testing"
)

// TestReset: what a device had is gone, its handles too; modules and functions work on, with the first values of
// variables, and another device has lost nothing.
func TestReset(t *testing.T) {
	r := newRig(t, Config{Devices: 2})
	f := r.function("add")
	total := func() uint64 {
		t.Helper()
		at, _, code := r.Variable(0, r.module, "total")
		r.want(code, Success)
		return at
	}
	before := total()
	r.want(r.launch(0, f, 1, addParams(before, 7, 1)), Success) // launches keep room for their parameters
	r.want(r.Synchronize(0), Success)
	free, _, code := r.MemoryInfo(0)
	r.want(code, Success)
	a := r.alloc(1 << 20)
	other, code := r.Alloc(1, 256, MemoryDevice)
	r.want(code, Success)
	managed, code := r.Alloc(0, 256, MemoryManaged)
	r.want(code, Success)
	stream, code := r.StreamCreate(0, 0, 0)
	r.want(code, Success)
	own, code := r.StreamCreate(0, StreamOfThread, 0)
	r.want(code, Success)
	event, code := r.EventCreate(0, 0)
	r.want(code, Success)
	array, code := r.ArrayCreate(0, ArrayShape{Width: 64, Height: 8, Format: "f32", Channels: 1})
	r.want(code, Success)
	texture, code := r.TextureCreate(0, TextureShape{Array: array})
	r.want(code, Success)
	surface, code := r.SurfaceCreate(array)
	r.want(code, Success)
	host := make([]byte, 256)
	r.want(r.Register(0, address(host), 256), Success)
	r.want(r.launch(stream, f, 1, addParams(before, 7, 1)), Success)

	r.want(r.Reset(2), InvalidDevice)
	r.want(r.Reset(0), Success)
	if now, _, _ := r.MemoryInfo(0); now < free {
		t.Errorf("%d bytes free, %d before", now, free)
	}
	for _, addr := range []uint64{a, managed, address(host)} {
		if b := r.Holding(addr); b != nil {
			t.Errorf("%+v is still there", b)
		}
	}
	r.want(r.Copy(0, 0, Place{Addr: a}, Place{Addr: a}, Box{4, 1, 1}, DeviceToDevice, SyncCall), InvalidValue)
	r.want(r.StreamDestroy(stream), InvalidHandle)
	r.want(r.StreamSynchronize(0, own), Success)
	r.want(r.EventDestroy(event), InvalidHandle)
	r.want(r.ArrayDestroy(array), InvalidHandle)
	r.want(r.TextureDestroy(texture), InvalidValue)
	r.want(r.SurfaceDestroy(surface), InvalidValue)
	r.want(r.Free(other, false), Success)

	if got := binary.LittleEndian.Uint32(r.read(total(), 4)); got != 0 {
		t.Errorf("total is %d, want its first value", got)
	}
	r.want(r.launch(0, f, 1, addParams(total(), 9, 1)), Success)
	if got := binary.LittleEndian.Uint32(r.read(total(), 4)); got != 9 {
		t.Errorf("total is %d, want 9", got)
	}
	r.want(r.Reset(0), Success)
	r.want(r.Reset(0), Success)
}

// TestVariables: those of modules are found by their addresses, as long as the module is loaded, and not freed alone.
func TestVariables(t *testing.T) {
	r := newRig(t, Config{})
	h, _, code := r.Load([][]byte{[]byte(".version 8.0\n.target sm_75\n.address_size 64\n" +
		".visible .global .align 4 .b8 plain[40];\n.visible .global .attribute(.managed) .align 8 .b8 both[16];\n.visible .const .align 4 .u32 three = 3;\n")})
	r.want(code, Success)
	var addrs []uint64
	for _, c := range []struct {
		name string
		size uint64
		kind MemoryKind
	}{{"plain", 40, MemoryDevice}, {"both", 16, MemoryManaged}, {"three", 4, MemoryDevice}} {
		at, size, code := r.Variable(0, h, c.name)
		r.want(code, Success)
		if b := r.Holding(at + c.size - 1); b == nil || b.Start != at || b.Size != size || size != c.size || b.Kind != c.kind {
			t.Errorf("%s: %+v", c.name, b)
		}
		r.want(r.Free(at, false), InvalidValue)
		r.want(r.FreeIn(0, 0, at), InvalidValue)
		addrs = append(addrs, at)
	}
	r.want(r.Reset(0), Success)
	for range 2 {
		for _, at := range addrs {
			if b := r.Holding(at); b != nil {
				t.Errorf("%+v is still there", b)
			}
		}
		at, _, code := r.Variable(0, h, "plain")
		r.want(code, Success)
		addrs = []uint64{at}
		if r.Holding(at) == nil {
			t.Error("the variable is not known after it was loaded again")
		}
		r.want(r.Unload(h), Success)
		if h, _, code = r.Load([][]byte{[]byte(".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .b8 plain[40];\n")}); code != Success {
			t.Fatal(code)
		}
	}
}
