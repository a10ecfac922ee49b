// Package tensors runs kernels of matrix units, tensor memory and copies of tensors through the public API.
package tensors_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

func TestMain(m *testing.M) { rig.InRoot(m) }
