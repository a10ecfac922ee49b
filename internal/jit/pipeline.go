package jit

// This file is the way into the new pipeline (ssa, build, opt, cc), which options choose; off by default. A kernel that it does not
// take is compiled as ever.

import (
	"errors"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// PipelineC is how kernels go through the new pipeline to C, and by the installed C compiler to machine code: tests and measurements.
type PipelineC struct {
	Build build.Options
	Opt   opt.Options
	Turn  int32                              // fuel of warps that begin, if not 0: tests
	Note  func(kernel string, refused error) // called for each kernel, with why it is not taken; may be nil
	Text  func(kernel, c string)             // called with the C of each that is taken; may be nil
	Bytes func(kernel string, code []byte)   // called with the machine code of each that is taken by our own; may be nil
	Own   bool                               // machine code of our own (isel, regalloc) in place of C
}

// ThroughC makes engines take what the new pipeline takes.
func ThroughC(o Options, p *PipelineC) Options {
	o.c = p
	return o
}

// throughC compiles a kernel by the new pipeline, nil if it does not take it.
func (e *Engine) throughC(c *machine.Code) *abi.Native {
	if e.refused[c] != nil {
		return nil
	}
	n, err := e.compileC(c)
	if e.opt.c.Note != nil {
		e.opt.c.Note(c.Func.Name, err)
	}
	if err == nil {
		return n
	}
	if e.refused == nil {
		e.refused = map[*machine.Code]error{}
	}
	if e.refused[c] = err; !errors.As(err, new(build.Refusal)) && !errors.As(err, new(amd64.Refusal)) {
		e.fail(err)
	}
	return nil
}

func (e *Engine) compileC(c *machine.Code) (*abi.Native, error) {
	b, err := build.Build(c, e.opt.c.Build)
	if err != nil {
		return nil, err
	}
	if err := opt.Run(b.Func, e.opt.c.Opt); err != nil {
		return nil, err
	}
	code, err := e.code(c.Func.Name, b.Func)
	if err != nil {
		return nil, err
	}
	f := decode.FuncOf(c.Func)
	if e.c == nil {
		e.c = map[*ir.Func][]wholeCode{}
	}
	e.c[f] = append(e.c[f], code)
	n := len(c.Insts)
	turn := e.opt.c.Turn
	out := &abi.Native{
		Call: func(s *abi.State, entry uintptr) {
			if turn != 0 {
				s.Batch.Turn = turn
			}
			if err := code.Call(s, entry); err != nil {
				panic(err) // there is no memory for a stack
			}
		},
		Entries: make([]uintptr, n), Warps: make([]uintptr, n), Resumes: make([]uintptr, n), Wholes: make([]uintptr, n),
		Meets: meets(f), Bounds: b.Bounds, NumBounds: b.NumBounds,
		Batch: cc.Batch, Begin: cc.BeginCTA, Start: cc.Start, Again: cc.Start, Out: cc.Out, Whole: true, Last: true,
	}
	out.Warps[0] = cc.Warp
	return out, nil
}

// wholeCode is machine code for batches of whole warps.
type wholeCode interface {
	Call(s *machine.NativeState, how uintptr) error
	Free() error
}

// code is the machine code of a placed function: by way of C, or our own.
func (e *Engine) code(kernel string, f *ssa.Func) (wholeCode, error) {
	if e.opt.c.Own {
		return e.opt.c.ownCode(kernel, f)
	}
	text, err := cc.Print(f)
	if err != nil {
		return nil, err
	}
	if e.opt.c.Text != nil {
		e.opt.c.Text(kernel, text)
	}
	return cc.Compile(text)
}
