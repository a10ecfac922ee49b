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
	r.want(r.Copy(0, 0, Place{Addr: a}, Place{Addr: a}, Box{4, 1, 1}, DeviceToDevice, true), InvalidValue)
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
