package main

// This file has the five loops that show what a machine's vectors can do (W1 to W5): chains that do not wait for
// each other, one chain, memory, shared memory, and trips that differ by lane.

import (
	"encoding/binary"
	"math"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// forms are the LANES of the reference in C: a loop over threads that the compiler is to vectorise, then vector types.
var forms = []int{0, 8, 16, 32}

// micro are those loops; w3 is the saxpy of the corpus, w5 is compared with masked C.
var micro = []workload{
	{name: "w1", make: w1, lanes: forms, ptx: "bench/micro/w1.ptx", goal: [2]float64{0.9, 0.65}, bound: true},
	{name: "w2", make: w2, lanes: forms, ptx: "bench/micro/w2.ptx", goal: [2]float64{0.9, 0.65}, bound: true},
	{name: "w3", make: func(t corpus.Target) *corpus.Run { return corpus.Saxpy(t, 1<<16) }, goal: [2]float64{0.7, 0.9}},
	{name: "w4", make: w4, lanes: forms, ptx: "bench/micro/w4.ptx", goal: [2]float64{0.7, 0.6}, bound: true},
	{name: "w5", make: w5, lanes: forms, ptx: "bench/micro/w5.ptx", goal: [2]float64{1, 1}, bound: true},
}

func w1(corpus.Target) *corpus.Run {
	return microRun("w1", 32, 256, nil, float32(0.999), float32(0.5), uint32(1000))
}
func w2(corpus.Target) *corpus.Run { return microRun("w2", 32, 256, nil, uint32(1000)) }
func w5(corpus.Target) *corpus.Run { return microRun("w5", 128, 256, nil, uint32(1)) }

// w4 goes over 256 values four times: 256 turns of the loop.
func w4(corpus.Target) *corpus.Run {
	const ctas = 64
	x, y := &corpus.Buffer{Name: "x", Elem: corpus.F32, Init: ramp(ctas * 8 * 256)}, &corpus.Buffer{Name: "y", Elem: corpus.F32, Init: ramp(256 * 32)}
	r := microRun("w4", ctas, 256, []*corpus.Buffer{x, y}, uint32(4))
	r.Launches[0].Block = [3]int{32, 8, 1}
	return r
}

// microRun is one launch with buffers to read, one to write, a word a thread, and scalars.
func microRun(kernel string, ctas, threads int, in []*corpus.Buffer, scalars ...any) *corpus.Run {
	out := &corpus.Buffer{Name: "out", Elem: corpus.U32, Init: make([]byte, 4*ctas*threads)}
	l := corpus.Launch{Kernel: kernel, Grid: [3]int{ctas, 1, 1}, Block: [3]int{threads, 1, 1}}
	buffers := append(in[:len(in):len(in)], out)
	for _, b := range buffers {
		l.Args = append(l.Args, corpus.Arg{Buffer: b, Elem: corpus.U64})
	}
	for _, s := range scalars {
		bits, elem := uint32(0), corpus.U32
		switch s := s.(type) {
		case float32:
			bits, elem = math.Float32bits(s), corpus.F32
		case uint32:
			bits = s
		}
		l.Args = append(l.Args, corpus.Arg{Elem: elem, Scalar: binary.LittleEndian.AppendUint32(nil, bits)})
	}
	return &corpus.Run{Buffers: buffers, Launches: []corpus.Launch{l}}
}

// ramp is n floats between -1 and 1.
func ramp(n int) (out []byte) {
	for i := range n {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(i*37%201-100)/100))
	}
	return out
}
