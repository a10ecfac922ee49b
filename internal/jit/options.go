package jit

import (
	"errors"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/native"
)

// Vectors is a set of vector instructions.
type Vectors uint8

// The sets of vector instructions.
const (
	Best   Vectors = iota // that this machine has
	AVX2                  // with FMA, BMI and POPCNT
	AVX512                // F, BW, DQ, VL, CD, VPOPCNTDQ, VBMI and VNNI besides
)

// Options say how to compile.
type Options struct {
	Vectors Vectors
	List    bool  // keep a listing
	Whole   bool  // code for warps of 32 lanes alone, which leaves where they part
	Quick   bool  // engines: the quick tier alone (quick.go)
	Room    int64 // engines: bytes that their machine code may take; 0: as many as it likes

	leave   func(pc int32) bool // tests: instructions to be left to the interpreter
	help    func(pc int32) bool // tests: instructions to be executed by handlers
	miss    func(pc int32) bool // tests: accesses whose allocation is never learned
	spoil   func(c *compiler)   // tests: plants a defect in what has been planned
	untried func(pc int32) bool // tests: accesses whose tests are taken for left out
	counted *Counted            // its parts are counted there
	stage   func(name string)   // benchmarks: what is done from now on, "" for nothing
	budget  int                 // tests: units of work (effort.go); 0: what the function's length allows
	spent   *int                // tests: where the units that were spent go
	stopped func() bool         // tells whether to end with ErrStopped; nil: never
	c       *PipelineC          // the new pipeline, by way of C; nil: none
}

// Staged calls visit with the name of each stage of a compilation when it begins, and with "" at its end:
// benchmarks measure what each costs.
func Staged(o Options, visit func(name string)) Options {
	o.stage = visit
	return o
}

// Budgeted makes a compilation end with ErrBudget when it has spent so many units of work (effort.go), 0: as many as the
// function's length allows, and puts into spent how many it has: tests and benchmarks.
func Budgeted(o Options, budget int, spent *int) Options {
	o.budget, o.spent = budget, spent
	return o
}

// Stopped makes a compilation end with ErrStopped as soon as stopped says so.
func Stopped(o Options, stopped func() bool) Options {
	o.stopped = stopped
	return o
}

// begin says that a stage begins.
func (o *Options) begin(name string) {
	if o.stage != nil {
		o.stage(name)
	}
}

// Leaving makes code leave at every instruction for which leave is true: tests force exits with it, here
// and where whole programs run.
func Leaving(o Options, leave func(pc int32) bool) Options {
	o.leave = leave
	return o
}

// Missing makes every test of addresses at an instruction for which miss is true fail: code leaves there with
// everything as it stands at that access.
func Missing(o Options, miss func(pc int32) bool) Options {
	o.miss = miss
	return o
}

// Helping makes the interpreter's handlers execute the instructions for which help is true, where they may without leaving.
func Helping(o Options, help func(pc int32) bool) Options {
	o.help = help
	return o
}

// Untested takes the tests of the accesses for which untested is true for left out: what touches memory in their name must not
// be compiled.
func Untested(o Options, untested func(pc int32) bool) Options {
	o.untried = untested
	return o
}

// String says what code is made.
func (o Options) String() string {
	if o.Quick {
		return o.Vectors.String() + ", quick"
	}
	return o.Vectors.String()
}

// String names the set as processors do.
func (v Vectors) String() string {
	return [...]string{Best: "best", AVX2: "AVX2", AVX512: "AVX-512"}[v]
}

// Proven are the sets whose engine matrix has run on real processors; docs/performance.md says on which, and at which
// commit. Others are only used where they are asked for.
var Proven = []Vectors{AVX512, AVX2}

// Compilers are those that the engine matrix compares with the interpreter: both widths and both tiers. Without AVX-512 those of AVX2 remain.
func Compilers() (list []Options) {
	for _, v := range Runnable() {
		list = append(list, Options{Vectors: v}, Options{Vectors: v, Quick: true})
	}
	return list
}

// Runnable are the sets of vector instructions that this processor has.
func Runnable() []Vectors {
	return slices.DeleteFunc([]Vectors{AVX2, AVX512}, func(v Vectors) bool { return Options{Vectors: v}.possible() != nil })
}

// Here returns the set that this machine's code uses, or why there is none, and a better one that is not proven.
func Here() (v, unproven Vectors, err error) {
	if err := (Options{}).possible(); err != nil {
		return 0, 0, err
	}
	if v = (Options{}).vectors(); native.HasAVX512() && v != AVX512 {
		unproven = AVX512
	}
	return v, unproven, nil
}

// ErrUnproven says that no set of this processor has run the engine matrix.
var ErrUnproven = errors.New("compiled code has not been proven on processors like this one")

// ErrProcessor says that this processor cannot run what Compile would make.
var ErrProcessor = errors.New("compiled code needs amd64 with AVX2, FMA, BMI1, BMI2 and POPCNT")

// vectors is the set that is meant: of the proven ones the best that the processor has; Best if there is none.
func (o Options) vectors() Vectors {
	switch {
	case o.Vectors != Best:
		return o.Vectors
	case native.HasAVX512() && slices.Contains(Proven, AVX512):
		return AVX512
	case slices.Contains(Proven, AVX2):
		return AVX2
	}
	return Best
}

// possible tells whether the processor can run the code.
func (o Options) possible() error {
	if o.vectors() == Best {
		return ErrUnproven
	}
	if !native.HasAVX2() || o.Vectors == AVX512 && !native.HasAVX512() {
		return ErrProcessor
	}
	return nil
}
