//go:build !ptxvm_assert

package machine

const asserting = false

func (in *Inst) assertScalar(*Fragment) {}
