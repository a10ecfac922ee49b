package launches_test

import (
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestDeterministic: clocks count instructions, the same ones in each run, where it is asked for and with a seed; else they show time, which
// goes on between launches.
func TestDeterministic(t *testing.T) {
	const clocks = `
.entry k(.param .u64 out)
{
	.reg .b64 o, c<3>; .reg .b32 i, n; .reg .pred p;
	ld.param.u64 o, [out]; mov.u32 n, 0;
	mov.u64 c0, %clock64;
again:	add.u32 n, n, 1; setp.lt.u32 p, n, 1000; @p bra again;
	mov.u64 c1, %clock64; mov.u64 c2, %globaltimer;
	st.global.u64 [o], c0; st.global.u64 [o+8], c1; st.global.u64 [o+16], c2;
	ret;
}`
	run := func(cfg *ptxvm.DeviceConfig) []uint32 { return newSurfaceLab(t, clocks, cfg).words(6, 1) }
	first := run(&ptxvm.DeviceConfig{Deterministic: true})
	if again := run(&ptxvm.DeviceConfig{Deterministic: true}); !slices.Equal(first, again) || first[2]-first[0] != 3001 {
		t.Errorf("%d, then %d", first, again)
	}
	if seeded := run(&ptxvm.DeviceConfig{Seed: 5, Workers: 1}); seeded[2]-seeded[0] != 3001 {
		t.Errorf("with a seed: %d", seeded)
	}
	free := run(nil)
	if later := run(nil); later[0] == free[0] || later[4] == free[4] {
		t.Errorf("%d, then %d", free, later)
	}
}
