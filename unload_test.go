package ptxvm

import (
	"context"
	"fmt"
	"runtime"
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
		before := heap(0, 600)
		if grown := heap(600, 1600) - before; grown > 20<<20 { // a module of these takes 50 KB
			t.Errorf("%v: %d KiB more after a thousand modules", engine, grown>>10)
		}
	}
}
