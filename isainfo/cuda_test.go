package isainfo

import (
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/cudaabi"
)

// TestCUDAWords: every PTX name of cuda.txt is in the ISA data, no word is twice there, and each is explained.
func TestCUDAWords(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range cudaWords() {
		for _, name := range w.ptx {
			if ptxDoc(name) == "" {
				t.Errorf("%v: nothing in PTX is called %s", w.words, name)
			}
		}
		for _, word := range w.words {
			if seen[word] {
				t.Errorf("%s has two rows", word)
			}
			seen[word] = true
			if text, err := Explain(word); err != nil || text == "" {
				t.Errorf("%s: %v", word, err)
			}
		}
	}
	if len(seen) < 80 {
		t.Errorf("only %d words", len(seen))
	}
}

// TestFaults: there is advice on every fault of the catalogue, and on nothing else.
func TestFaults(t *testing.T) {
	for c, a := range advices() {
		if e, ok := diag.Lookup(c); !ok || c < 7000 || len(a.causes) != 3 || a.try == "" {
			t.Errorf("%v (%v): %d causes, try %q", c, e, len(a.causes), a.try)
		}
	}
	catalog := diag.Catalog()
	for i := range catalog {
		c := catalog[i].Code
		if _, ok := advices()[c]; c >= 7000 && !ok {
			t.Errorf("%v: no advice", c)
		}
		if known := slices.ContainsFunc(cudaabi.Errors(), func(e cudaabi.Error) bool { return e.Code == cudaabi.FaultCode(c) }); !known {
			t.Errorf("%v: CUDA has no error %d", c, cudaabi.FaultCode(c))
		}
	}
}

// TestExplainWays spells questions as people do.
func TestExplainWays(t *testing.T) {
	for _, c := range []struct{ ask, want string }{
		{"__syncthreads", "bar.sync"}, {"__syncthreads()", "bar.sync"}, {"threadIdx.x", "%tid"}, {"atomicAdd(&n, 1)", "atom"},
		{"__shfl_xor_sync", "shfl.sync.bfly"}, {"CUDA error 700", "P7001"}, {"error 716", "P7002"}, {"700", "P7001"},
		{"cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"}, {"CUDA_ERROR_ASSERT", "P7006"},
		{"CUDA error: an illegal memory access was encountered", "P7001"},
		{"ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];", "ld: Load"}, {"@%p1 bra L;", "bra: "}, {"L1: add.s32 a, b, c;", "add.int: "},
		{"P7001", "In CUDA: error 700, cudaErrorIllegalAddress"}, {"p7008", "Usual causes"}, {"P8002", "__syncwarp: from sm_70"},
	} {
		if text, err := Explain(c.ask); err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v, no %q in\n%s", c.ask, err, c.want, text)
		}
	}
	for _, ask := range []string{"", " ", ";", "@", "atomicAddd", "CUDA error 12345", "@%p", "error"} {
		if text, err := Explain(ask); err == nil {
			t.Errorf("%q is explained: %s", ask, text)
		}
	}
}
