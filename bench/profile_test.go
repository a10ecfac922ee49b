package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// TestKindOf: each kind of instruction has its column.
func TestKindOf(t *testing.T) {
	for text, want := range map[string]string{
		"vaddps zmm1, zmm2, zmm3": "vector", "vaddps zmm1, zmm2, zmmword ptr [rsi+64]": "vector loads", "vmovups zmmword ptr [rsi], zmm1": "vector stores",
		"kmovd k1, eax": "vector", "lea rax, [rcx+8]": "scalar", "add rax, qword ptr [rsi+8]": "scalar loads", "mov dword ptr [rsi+8], eax": "scalar stores",
		"cmp rax, qword ptr [rdx]": "tests", "jne .L15": "branches", "ret": "branches",
	} {
		if got := kinds[kindOf(text)]; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestProfile: every warp of saxpy comes once to the first instruction, and loops inside a part are seen.
func TestProfile(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	jit.CountFromNow()
	t.Cleanup(jit.CountNoMore)
	top, err := root()
	if err != nil {
		t.Fatal(err)
	}
	w := workloads[slices.IndexFunc(workloads, func(w workload) bool { return w.name == "saxpy" })]
	warps, left, err := w.counted(top, corpus.Saxpy(corpus.Target{Arch: 90}, 4096))
	if err != nil || left != 0 {
		t.Fatal(left, err)
	}
	times, loops := uint64(0), 0
	for _, c := range jit.AllCounted() {
		for _, p := range partsOf(c) {
			together := uint64(1)
			if loops += p.loops; strings.HasPrefix(p.title, "all lanes, from 0") {
				fmt.Sscanf(p.title, "all lanes, from 0, of %d warps", &together)
				times += p.count * together
			}
		}
	}
	if times != warps || warps != 128 || loops == 0 {
		t.Errorf("%d warps came %d times to the first instruction; %d instructions in loops", warps, times, loops)
	}
}
