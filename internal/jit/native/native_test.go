//go:build amd64 && (linux || darwin || freebsd || windows)

package native

import (
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
