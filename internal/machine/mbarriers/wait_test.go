package mbarriers

import "testing"

// TestReason: what a phase still wants, and what its tx-count means.
func TestReason(t *testing.T) {
	for want, b := range map[string]*Wait{
		"wait for an mbarrier": nil,
		"wait for the mbarrier bar at 0x400, phase 1: 1 of 2 arrivals are missing":                                                                               {Addr: 0x400, Name: "bar", Phase: 1, Pending: 1, Expected: 2},
		"wait for the mbarrier at 0x8 of CTA rank 3, phase 0: all 1 arrivals are there, and 512 bytes have come that no expect_tx has announced (tx-count -512)": {CTA: 3, Addr: 8, Expected: 1, Tx: -512, Foreign: true},
		"wait for the mbarrier at 0x8, phase 0: all 1 arrivals are there, and 512 bytes that expect_tx has announced have not come (tx-count 512)":               {Addr: 8, Expected: 1, Tx: 512},
	} {
		if have := b.Reason(); have != want {
			t.Errorf("have %s\nwant %s", have, want)
		}
	}
}
