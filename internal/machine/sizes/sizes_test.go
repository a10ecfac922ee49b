package sizes

import "testing"

// TestOf: an architecture without a row has the device of the closest older one, and an answer to all that is asked.
func TestOf(t *testing.T) {
	last := 0
	for _, d := range targets {
		if d.Arch <= last {
			t.Errorf("sm_%d stands behind sm_%d", d.Arch, last)
		}
		last = d.Arch
		if got := Of(d.Arch); got != d {
			t.Errorf("sm_%d is %+v", d.Arch, got)
		}
	}
	if d := Of(103); d.Arch != 103 || d.SMs != Of(100).SMs {
		t.Errorf("sm_103 is %+v", d)
	}
	for arch, most := range map[int]int{80: 1, 90: 16, 110: 16, 120: 8} {
		if d := Of(arch); d.MaxCluster() != most {
			t.Errorf("sm_%d has clusters of up to %d CTAs, want %d", arch, d.MaxCluster(), most)
		}
	}
}

// TestResident: what a launch needs of warps, CTAs and shared memory limits how many of its CTAs are there, of which one always is.
func TestResident(t *testing.T) {
	d := Of(90)
	for _, c := range []struct {
		threads, shared uint32
		want            int
	}{{32, 0, 32 * 132}, {1024, 0, 2 * 132}, {33, 0, 32 * 132}, {32, 113 * kib, 2 * 132}, {32, 300 * kib, 1}} {
		if got := d.Resident(c.threads, c.shared); got != c.want {
			t.Errorf("%d threads with %d bytes: %d CTAs, want %d", c.threads, c.shared, got, c.want)
		}
	}
}
