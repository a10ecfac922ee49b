package jit_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/jit"
)

// TestSame: a function compiled again has the same code, byte for byte: nothing depends on the order in which Go
// visits a map.
func TestSame(t *testing.T) {
	for _, name := range []string{"matmul", "radixsort", "reduce", "blackscholes", "spmv", "stencil"} {
		for _, code := range decoded(t, map[string]string{name: corpus(t, name)}) {
			for _, v := range []jit.Vectors{jit.AVX512, jit.AVX2} {
				var first *jit.Compiled
				for range 3 {
					out, err := jit.Compile(code, decode.FuncOf(code.Func), jit.Options{Vectors: v})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if first == nil {
						first = out
					}
					if !bytes.Equal(out.Bytes, first.Bytes) {
						t.Errorf("%s, %v: %d and %d bytes of code, which differ", code.Func.Name, v, len(first.Bytes), len(out.Bytes))
					}
				}
			}
		}
	}
}

// TestLive: what the compiler's cursor says is live, however it moves, is what ir says.
func TestLive(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, name := range []string{"matmul", "radixsort", "reduce", "nbody"} {
		for _, code := range decoded(t, map[string]string{name: corpus(t, name)}) {
			f := decode.FuncOf(code.Func)
			at, n := jit.LiveAt(f), len(f.Insts)
			for k := range 2 * n {
				pc := int32(k % n)
				if k >= n {
					pc = int32(r.IntN(n))
				}
				if have, want := at(pc), f.LiveAt(pc); !slices.Equal(have, want) {
					t.Fatalf("%s at %d: have %v, want %v", f.Name, pc, have, want)
				}
			}
		}
	}
}

// TestLiveRows: counting the living registers of a row says what looking at each does.
func TestLiveRows(t *testing.T) {
	for _, name := range []string{"reduce", "matmul"} {
		for _, code := range decoded(t, map[string]string{name: corpus(t, name)}) {
			f := decode.FuncOf(code.Func)
			jit.LiveRows(f, func(pc int32, off uint32, counted, behind, before, after bool) {
				if counted != before || behind != after {
					t.Fatalf("%s at %d, row %d: counted %v and %v behind, want %v and %v", f.Name, pc, off, counted, behind, before, after)
				}
			})
		}
	}
}
