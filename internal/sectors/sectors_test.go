package sectors_test

import (
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

const module = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to) {
	.reg .b64 %%from, %%to, %%a, %%i; .reg .b32 %%t, %%l; .reg .f32 %%f<4>; .reg .pred %%p;
	.shared .align 16 .b8 s[512];
	ld.param.u64 %%from, [from]; ld.param.u64 %%to, [to];
	mov.u32 %%t, %%tid.x; mov.u32 %%l, %%laneid; cvt.u64.u32 %%i, %%t;
	%s
	ret;
}`

// TestSectors: what one instruction of a warp touches of a sector counts once, whatever the lanes' order; what is not in global memory
// does not count. The launch has two warps.
func TestSectors(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want uint64
	}{
		"dense":           {"shl.b64 %i, %i, 2; add.u64 %a, %from, %i; ld.global.f32 %f0, [%a];", 2 * 4},
		"one off":         {"shl.b64 %i, %i, 2; add.u64 %a, %from, %i; ld.global.f32 %f0, [%a+4];", 2 * 5},
		"generic":         {"shl.b64 %i, %i, 2; add.u64 %a, %from, %i; ld.f32 %f0, [%a];", 2 * 4},
		"backwards":       {"xor.b64 %i, %i, 31; shl.b64 %i, %i, 2; add.u64 %a, %from, %i; ld.global.f32 %f0, [%a];", 2 * 4},
		"a sector a lane": {"shl.b64 %i, %i, 5; add.u64 %a, %to, %i; st.global.f32 [%a], 0f00000000;", 2 * 32},
		"one for all":     {"ld.global.f32 %f0, [%from];", 2},
		"vectors":         {"shl.b64 %i, %i, 4; add.u64 %a, %from, %i; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%a];", 2 * 16},
		"atomics":         {"red.global.add.u32 [%to], 1;", 2},
		"some lanes":      {"setp.ne.u32 %p, %l, 9; @%p ret; shl.b64 %i, %i, 2; add.u64 %a, %from, %i; ld.global.f32 %f0, [%a];", 2},
		"shared":          {"mov.u64 %a, s; st.shared.f32 [%a], 0f00000000;", 0},
		"asynchronous": {"shl.b64 %i, %i, 2; add.u64 %a, %from, %i; mov.u64 %to, s; add.u64 %to, %to, %i;" +
			"cp.async.ca.shared.global [%to], [%a], 4; cp.async.wait_all;", 2 * 4},
		"bulk": {"setp.ne.u32 %p, %t, 0; @%p ret; mov.u64 %a, s;" +
			"cp.async.bulk.global.shared::cta.bulk_group [%to], [%a], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", 16},
	} {
		for _, sanitize := range []vm.Sanitize{0, vm.SanitizeMem | vm.SanitizeRace | vm.SanitizeSync} {
			t.Run(fmt.Sprintf("%s/%v", name, sanitize), func(t *testing.T) {
				if have := counted(t, fmt.Sprintf(module, c.body), vm.DeviceConfig{Sectors: true, Sanitize: sanitize}); have != c.want {
					t.Errorf("have %d sectors, want %d", have, c.want)
				}
			})
		}
	}
	if have := counted(t, fmt.Sprintf(module, "ld.global.f32 %f0, [%from];"), vm.DeviceConfig{}); have != 0 {
		t.Errorf("not asked for, and %d sectors", have)
	}
}

// counted launches the kernel with two warps; buffers begin at sectors.
func counted(t *testing.T, text string, c vm.DeviceConfig) uint64 {
	t.Helper()
	m, err := vm.Compile("k.ptx", []byte(text), nil)
	fatal(t, err)
	c.Memory = 64 << 20
	d, err := vm.NewDevice(&c)
	fatal(t, err)
	defer d.Close()
	p, err := d.Load(m)
	fatal(t, err)
	k, err := p.Kernel("k")
	fatal(t, err)
	var buffers [2]vm.Buffer
	for i := range buffers {
		buffers[i], err = d.Alloc(4096)
		fatal(t, err)
	}
	var stats vm.Stats
	for range 3 { // the later ones may find their description made
		stats, err = k.Launch(t.Context(), vm.Launch{Grid: vm.Dim3{X: 1}, Block: vm.Dim3{X: 64}}, buffers[0], buffers[1])
		fatal(t, err)
	}
	return stats.Sectors
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
