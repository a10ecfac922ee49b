// Package compiled runs kernels in compiled code through the public API, and holds what happens to what the interpreter does:
// exits from it, faults, addresses, tiers, and launches that are like the one before.
package compiled_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

func TestMain(m *testing.M) { rig.InRoot(m) }
