//go:build amd64 && (linux || darwin || freebsd || windows)

package native

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// twice is `add dword [rdi], esi-free`: it doubles the first word of its context.
var twice = []byte{
	0x8b, 0x07, // mov eax, [rdi]
	0x01, 0x07, // add [rdi], eax
	0xc3, // ret
}

// countdown decrements the 64-bit word at [rdi] to zero.
var countdown = []byte{
	0x48, 0xff, 0x0f, // dec qword [rdi]
	0x75, 0xfb, // jnz -5
	0xc3,
}

func made(t *testing.T, code []byte) *Code {
	t.Helper()
	c, err := New(code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Free() })
	return c
}

func TestCall(t *testing.T) {
	c := made(t, twice)
	v := new(uint32)
	for *v = 1; *v < 1<<20; {
		Call(c.Addr(0), unsafe.Pointer(v))
	}
	if *v != 1<<20 {
		t.Errorf("20 doublings of 1 give %d", *v)
	}
}

// TestProtected writes to code that has been made executable.
func TestProtected(t *testing.T) {
	c := made(t, twice)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			t.Error("executable memory can be written")
		}
	}()
	c.mem[0] = 0xc3
}

// TestCollect collects garbage while code runs in slices: the collector must be able to stop the
// goroutine between two of them.
func TestCollect(t *testing.T) {
	c := made(t, countdown)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		n := new(int64)
		for {
			select {
			case <-stop:
				return
			default:
				*n = 20000
				Call(c.Addr(0), unsafe.Pointer(n))
			}
		}
	})
	start := time.Now()
	for range 20 {
		runtime.GC()
	}
	close(stop)
	wg.Wait()
	t.Logf("20 collections beside running code: %v", time.Since(start))
}

// TestFree gives memory back twice.
func TestFree(t *testing.T) {
	c := made(t, twice)
	if err := c.Free(); err != nil {
		t.Error(err)
	}
	if err := c.Free(); err != nil {
		t.Error(err)
	}
}

// TestRoom takes and gives back code of many lengths in any order: each is what was written, calls work, what is free is not
// executable, and no more than one mapping stays.
func TestRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []*Code
	for range 3000 {
		if len(list) > 0 && rng.IntN(100) < 49 {
			i := rng.IntN(len(list))
			mem := list[i].mem
			if err := list[i].Free(); err != nil {
				t.Fatal(err)
			}
			if len(mem) <= mostPages*os.Getpagesize() && !writable(mem) {
				t.Fatal("free pages are not writable, and so may be executable")
			}
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
			continue
		}
		code := bytes.Repeat([]byte{0x90}, rng.IntN(1<<rng.IntN(18)))
		c := made(t, append(code, twice...))
		if v := uint32(3); !bytes.Equal(c.mem[:len(code)], code) {
			t.Fatal("code is not what was written")
		} else if Call(c.Addr(0), unsafe.Pointer(&v)); v != 6 {
			t.Fatalf("3 doubled is %d", v)
		}
		if writable(c.mem) {
			t.Fatal("executable memory can be written")
		}
		list = append(list, c)
	}
	v := uint32(1)
	for _, c := range list {
		n := c.Len()
		if Call(c.Addr(bytes.Index(c.mem, twice)), unsafe.Pointer(&v)); v != 2 || n == 0 {
			t.Fatalf("1 doubled is %d", v)
		}
		v = 1
		if err := c.Free(); err != nil {
			t.Fatal(err)
		}
	}
	room.Lock()
	defer room.Unlock()
	empty := 0
	for _, c := range room.chunks {
		if c.used == 0 {
			empty++
		}
	}
	if empty > 1 {
		t.Errorf("%d mappings stay without code", empty)
	}
}

// writable tells whether a byte can be written. Memory that is not mapped is not looked at.
func writable(mem []byte) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	mem[0]++
	mem[0]--
	return true
}

func BenchmarkCall(b *testing.B) {
	c, err := New([]byte{0xc3})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Free()
	var v uint64
	for b.Loop() {
		Call(c.Addr(0), unsafe.Pointer(&v))
	}
}
