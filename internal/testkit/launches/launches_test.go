// Package launches runs kernels through the public API, in both engines: the corpus of compiled and written ones with what
// they must leave, and what each part of the machine does to memory, surfaces and textures. Those of matrix units, tensor
// memory and copies of tensors are package tensors.
package launches_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

func TestMain(m *testing.M) { rig.InRoot(m) }
