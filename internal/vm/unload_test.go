package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestUnloadForgets: modules that were launched and unloaded leave nothing, in either engine, whatever their number.
func TestUnloadForgets(t *testing.T) {
	const text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 total;\n" +
		".visible .entry add(.param .u64 at) { .reg .b64 %%a; .reg .b32 %%v; ld.param.u64 %%a, [at]; ld.global.u32 %%v, [%%a]; add.u32 %%v, %%v, %d; st.global.u32 [%%a], %%v; ret; }\n"
	for _, engine := range []Engine{Interp, Auto, JIT} {
		d := testDevice(t, DeviceConfig{Engine: engine, Workers: 2})
		load := func(i int) {
			m, err := Compile("text.ptx", fmt.Appendf(nil, text, i), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			total, err := p.Global("total")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := testKernel(t, p, "add").Launch(context.Background(), Launch{}, total); err != nil {
				t.Fatal(err)
			}
			if err := p.Unload(); err != nil {
				t.Fatal(err)
			}
		}
		heap := func(from, to int) int64 {
			for i := from; i < to; i++ {
				load(i)
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before, code := heap(0, 600), codeBytes()
		if grown := heap(600, 1600) - before; grown > 20<<20 { // a module of these takes 50 KB
			t.Errorf("%v: %d KiB more after a thousand modules", engine, grown>>10)
		}
		if more := codeBytes() - code; more > 0 {
			t.Errorf("%v: %d bytes of executable memory more after a thousand modules", engine, more)
		}
	}
}

// codeBytes is how much of the process's memory is executable and of no file; 0 where no system says so.
func codeBytes() (n int) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 5 && fields[1] == "r-xp" {
			var from, to int
			if _, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to); err == nil {
				n += to - from
			}
		}
	}
	return n
}

// TestUnloadRunning: a program that is unloaded keeps its compiled code for the launches that run, which end as if it
// were there, and gives it back after the last.
func TestUnloadRunning(t *testing.T) {
	const text = ".version 8.0\n.target sm_75\n.address_size 64\n" +
		".visible .entry spin(.param .u32 n) { .reg .b32 %i, %n, %v; .reg .pred %p; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.u32 %v, %tid.x;\n" +
		"again: mad.lo.u32 %v, %v, %v, %i; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra again;\n" +
		"setp.eq.u32 %p, %v, 12345; @%p trap; ret; }\n"
	d := testDevice(t, DeviceConfig{Engine: JIT, Workers: 2})
	m, err := Compile("spin.ptx", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	code := codeBytes()
	for range 20 {
		p, err := d.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		k := testKernel(t, p, "spin")
		var launches sync.WaitGroup
		var ran atomic.Int64
		begun := make(chan struct{}, 2)
		for range 2 {
			launches.Go(func() {
				for {
					_, err := k.Launch(context.Background(), Launch{Block: Dim3{X: 64}}, uint32(100_000))
					if errors.Is(err, ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					if ran.Add(1) < 3 {
						begun <- struct{}{}
					}
				}
			})
		}
		<-begun
		if err := p.Unload(); err != nil {
			t.Fatal(err)
		}
		launches.Wait()
	}
	if more := codeBytes() - code; more > 0 {
		t.Errorf("%d bytes of executable memory more after 20 programs", more)
	}
}
