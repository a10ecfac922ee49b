package mem

import (
	"bytes"
	"testing"
	"unsafe"
)

// TestElements: plain and strong accesses of every size read and write the same bytes, and no others.
func TestElements(t *testing.T) {
	const v = 0x8877665544332211
	for _, size := range []uint32{1, 2, 4, 8} {
		low := v & (^uint64(0) >> (64 - 8*size))
		for name, store := range map[string]func(p Pointer){
			"plain":  func(p Pointer) { StorePlain(p, size, v) },
			"strong": func(p Pointer) { StoreStrong(p, size, v) },
			"element": func(p Pointer) {
				StoreElement(unsafe.Slice((*byte)(p), size), []byte{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}[:size])
			},
		} {
			words := [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}
			p := Add(unsafe.Pointer(&words), 8)
			store(p)
			if rest := words[1] >> (8*size - 1) >> 1; words[0] != ^uint64(0) || words[2] != ^uint64(0) || rest != ^uint64(0)>>(8*size-1)>>1 {
				t.Errorf("%s store of %d bytes: %#x", name, size, words)
			}
			if plain, strong := LoadPlain(p, size), LoadStrong(p, size); plain != low || strong != low {
				t.Errorf("%s store of %d bytes, read back: plain %#x, strong %#x, want %#x", name, size, plain, strong, low)
			}
		}
	}
}

// TestCopies: runs of bytes, plain and in whole units, both ways.
func TestCopies(t *testing.T) {
	room := make([]byte, 128)
	at := unsafe.Add(unsafe.Pointer(&room[0]), -uintptr(unsafe.Pointer(&room[0]))&15)
	from, to := (*[2]Uint128)(at), (*[3]Uint128)(unsafe.Add(at, 32))
	*from = [2]Uint128{{1, 2}, {3, 4}}
	bytesOf := func(p *[3]Uint128) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), 32) }
	source := unsafe.Slice((*byte)(unsafe.Pointer(from)), 32)
	for _, copyTo := range []func(){
		func() { CopyUnits(bytesOf(to), source, true) },
		func() { CopyUnits(bytesOf(to), source, false) },
		func() { StoreBytes(Pointer(to), source) },
		func() { LoadBytes(bytesOf(to), Pointer(from)) },
		func() {
			CopyPlain(Pointer(to), Pointer(from), 16)
			CopyPlain(Pointer(&to[1]), Pointer(&from[1]), 8)
			to[1].Hi = 4
		},
	} {
		*to = [3]Uint128{2: {5, 6}}
		if copyTo(); !bytes.Equal(bytesOf(to), source) || to[2] != (Uint128{5, 6}) {
			t.Errorf("%v of %v", *to, *from)
		}
	}
	if ClearBytes(Pointer(to), 32); *to != [3]Uint128{2: {5, 6}} {
		t.Errorf("cleared: %v", *to)
	}
}
