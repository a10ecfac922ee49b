package isa

import (
	"strings"
	"testing"
)

// TestSteady: whether values decide about operands of an opcode.
func TestSteady(t *testing.T) {
	for opcode, want := range map[string]bool{
		"add .s32": true, "ld .global .u32": true, "st .shared .v2 .f32": true, "mov .b64": true, "setp .lt .u32": true, "cvt .sat .s8 .s32": true,
		"bar .sync": false, "cp .async .cg .shared .global": false, "setmaxnreg .inc .sync .aligned .u32": false, "frobnicate": false,
	} {
		if have := Table().Forms(strings.Fields(opcode), "").Steady(); have != want {
			t.Errorf("%s: %v, want %v", opcode, have, want)
		}
	}
	for name := range kindChecks {
		if checks[name] == nil {
			t.Errorf("there is no check %s", name)
		}
	}
}
