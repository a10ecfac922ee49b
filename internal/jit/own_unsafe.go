package jit

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// own is machine code that we have made ourselves. It runs on a stack like C's: it has the values there that have no
// register.
type own struct{ *native.Code }

// targets are those of the new pipeline.
var targets = map[Vectors]*amd64.Target{AVX2: amd64.AVX2, AVX512: amd64.AVX512}

func (p *PipelineC) ownCode(kernel string, f *ssa.Func, v Vectors) (WholeCode, error) {
	if p.Instead != nil {
		return p.Instead(f)
	}
	counted := newCounts()
	trace := counted.trace(kernel)
	image, err := amd64.Compile(f, targets[v], amd64.Options{Check: p.Opt.Verify, Forced: p.Forced != nil, Trace: trace})
	if err == nil {
		err = counted.end(trace)
	}
	if err != nil {
		return nil, err
	}
	if p.Bytes != nil {
		p.Bytes(kernel, image)
	}
	code, err := native.New(image)
	if err != nil {
		return nil, err
	}
	return own{code}, nil
}

// Call runs the code; how says where it is entered: abi.ByBatch or abi.ByCTA, or what Help.Back or Help.Leave has said. Where the code
// has returned for a handler it keeps its stack.
func (o own) Call(s *abi.State, how uintptr) error {
	stack := s.Help.Stack
	if stack == 0 {
		var err error
		if stack, err = native.TakeStack(); err != nil {
			return err
		}
	}
	native.CallAt(stack, o.Addr(0), unsafe.Pointer(s), uint64(how))
	if s.Help.Stack = stack; s.Help.Back == 0 {
		s.Help.Stack = 0
		native.GiveStack(stack)
	}
	return nil
}
