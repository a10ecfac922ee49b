package host

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestHostParts: parts follow each other, have all bytes, and begin at multiples of 128.
func TestHostParts(t *testing.T) {
	for _, size := range []int{0, 1, 127, 128, 129, 1000, 4096, 100003} {
		for n := 1; n < 20; n++ {
			from := make([]byte, size)
			for i := range from {
				from[i] = byte(i*7 + i>>8)
			}
			w := hostWrite{make([]byte, size), from}
			at := 0
			for k := range n {
				p := w.part(k, n)
				if at%128 != 0 && len(p.to) != 0 || len(p.to) > size/n+128 {
					t.Errorf("%d bytes: part %d of %d is %d bytes at %d", size, k, n, len(p.to), at)
				}
				at += len(p.to)
				p.copy()
			}
			if at != size || !bytes.Equal(w.to, w.from) {
				t.Errorf("%d parts of %d bytes have %d, the bytes equal: %t", n, size, at, bytes.Equal(w.to, w.from))
			}
		}
	}
}

// TestWrite writes with helpers that are asleep, awake, called back as they do not come, and without a crew; more bytes than
// there is room for, and fewer.
func TestWrite(t *testing.T) {
	const most = 3*leastWrite + 77
	from := make([]byte, most)
	for i := range from {
		from[i] = byte(i*3 + i>>9)
	}
	write := func(name string, d *Device) {
		t.Helper()
		for _, size := range []int{0, 1, 2*leastWrite - 1, 2 * leastWrite, most} {
			for _, room := range []int{size, max(size-1, 0), size + 3} {
				got, want := make([]byte, room), make([]byte, room)
				if n, m := d.Write(got, from[:size]), copy(want, from[:size]); n != m || !bytes.Equal(got, want) {
					t.Errorf("%s, %d bytes into %d: %d written, want %d, the bytes equal: %t", name, size, room, n, m, bytes.Equal(got, want))
				}
			}
		}
	}
	m, crew, _ := helped(t, 1)
	h := crew.helpers[0]
	write("no crew", m.Device)
	m.dismiss(crew)
	defer m.lend() // which helped dismisses
	write("asleep", m.Device)
	if h.state.Load() != away {
		t.Errorf("state %d behind writes while it was asleep", h.state.Load())
	}
	h.lookout.Store(int64(time.Minute))
	h.state.Store(ready)
	write("not coming", m.Device)
	if h.state.Load() != ready {
		t.Errorf("state %d behind writes for which it did not come", h.state.Load())
	}
	go h.run() // it comes between two launches
	for range 50 {
		write("awake", m.Device)
	}
	h.lookout.Store(0)
	h.reaches(t, away)
}

// TestWriteAwake: a helper that looks out copies, looks out again and forgets what it has copied; one that does not is not called.
func TestWriteAwake(t *testing.T) {
	_, crew, _ := helped(t, 1)
	h := crew.helpers[0]
	w := hostWrite{make([]byte, 1000), bytes.Repeat([]byte{7}, 1000)}
	if h.callAwake(w) || h.state.Load() != away {
		t.Fatalf("a helper that is asleep was called, state %d", h.state.Load())
	}
	h.lookout.Store(int64(time.Minute))
	for range 20 {
		if h.state.Load() == away { // at first, and when its caller has gone to sleep
			go h.run()
		}
		h.reaches(t, ready)
		clear(w.to)
		if !h.callAwake(w) {
			t.Fatal("a helper that is awake was not called")
		}
		for h.state.Load() == called {
			runtime.Gosched()
		}
		if !h.wait(awakeUntil(time.Now())) || !bytes.Equal(w.to, w.from) || h.write.to != nil {
			t.Fatalf("it did not copy, or keeps %d bytes", len(h.write.to))
		}
	}
	h.lookout.Store(0)
	h.reaches(t, away)
}

// BenchmarkWrite writes again and again, with the one helper awake.
func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{32 << 10, 256 << 10, 4 << 20, 64 << 20} {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%dKB/%d", size>>10, workers), func(b *testing.B) {
				arena, err := mem.NewArena(1 << 20)
				if err != nil {
					b.Fatal(err)
				}
				d := NewDevice(arena, workers)
				defer d.Close()
				c, err := d.hire(workers)
				if err != nil {
					b.Fatal(err)
				}
				d.dismiss(c)
				for _, h := range c.helpers {
					h.lookout.Store(int64(time.Hour))
					go h.run()
				}
				from, to := make([]byte, size), make([]byte, size)
				b.SetBytes(int64(size))
				for b.Loop() {
					d.Write(to, from)
				}
				for _, h := range c.helpers {
					h.lookout.Store(0)
				}
			})
		}
	}
}
