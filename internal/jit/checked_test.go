package jit_test

import "ptxvm.invalid/ptxvm/internal/machine"

// What compiled code holds where it is left and entered is looked at in all tests of this package.
func init() { machine.Checked = true }
