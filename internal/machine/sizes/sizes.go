// Package sizes says how large the emulated devices are.
package sizes

import "ptxvm.invalid/ptxvm/internal/machine/shape"

// Target is what a launch depends on in the device.
type Target struct {
	Arch           int // 90 for sm_90
	SMs            int
	CTAsPerSM      int
	WarpsPerSM     int
	SharedPerSM    uint32 // bytes
	SharedPerCTA   uint32 // bytes, the most a launch may ask for
	ReservedShared uint32 // bytes at the start of the shared window that kernels do not own
	SharedUnit     uint32 // bytes, granularity of %total_smem_size (10.30)
}

// Unit rounds a size of shared memory up to what hardware hands out (10.30).
func (t *Target) Unit(n uint32) uint32 { return (n + t.SharedUnit - 1) / t.SharedUnit * t.SharedUnit }

const kib = 1 << 10

// targets lists, in ascending order of Arch, a common product of each compute capability.
var targets = []Target{
	{10, 16, 8, 24, 16 * kib, 16 * kib, 0, 512},
	{12, 30, 8, 32, 16 * kib, 16 * kib, 0, 512},
	{20, 14, 8, 48, 48 * kib, 48 * kib, 0, 128},
	{30, 8, 16, 64, 48 * kib, 48 * kib, 0, 256},
	{37, 13, 16, 64, 112 * kib, 48 * kib, 0, 256},
	{50, 16, 32, 64, 64 * kib, 48 * kib, 0, 256},
	{52, 24, 32, 64, 96 * kib, 48 * kib, 0, 256},
	{60, 56, 32, 64, 64 * kib, 48 * kib, 0, 256},
	{61, 28, 32, 64, 96 * kib, 48 * kib, 0, 256},
	{62, 2, 32, 64, 64 * kib, 48 * kib, 0, 256},
	{70, 80, 32, 64, 96 * kib, 96 * kib, 0, 256},
	{75, 72, 16, 32, 64 * kib, 64 * kib, 0, 256},
	{80, 108, 32, 64, 164 * kib, 163 * kib, 0, 128},
	{86, 84, 16, 48, 100 * kib, 99 * kib, 0, 128},
	{87, 16, 16, 48, 164 * kib, 163 * kib, 0, 128},
	{89, 128, 24, 48, 100 * kib, 99 * kib, 0, 128},
	{90, 132, 32, 64, 228 * kib, 227 * kib, 1 * kib, 128},
	{100, 148, 32, 64, 228 * kib, 227 * kib, 1 * kib, 128},
	{110, 20, 32, 48, 228 * kib, 227 * kib, 1 * kib, 128},
	{120, 170, 24, 48, 100 * kib, 99 * kib, 1 * kib, 128},
	{121, 48, 24, 48, 100 * kib, 99 * kib, 1 * kib, 128},
}

// Of returns the device of an architecture: that of the closest older one in the table.
func Of(arch int) Target {
	t := targets[0]
	for _, next := range targets {
		if next.Arch <= arch {
			t = next
		}
	}
	t.Arch = arch
	return t
}

// MaxCluster is the most CTAs of a cluster; beyond 8, hosts set the attribute for non-portable
// sizes, which is taken for granted here.
func (t *Target) MaxCluster() int {
	switch {
	case t.Arch < 90:
		return 1
	case t.Arch < 120:
		return shape.MaxClusterRank
	}
	return 8
}

// Resident is how many CTAs of a launch the device holds at a time, at least one.
func (t *Target) Resident(threads, shared uint32) int {
	warps := int(threads+31) / 32
	n := min(t.CTAsPerSM, t.WarpsPerSM/warps)
	if used := shared + t.ReservedShared; used > 0 {
		n = min(n, int(t.SharedPerSM/used))
	}
	return max(n*t.SMs, 1)
}
