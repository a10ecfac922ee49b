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
		"mov rax, rcx": "moves", "vmovaps ymm1, ymm2": "moves", "mov eax, 5": "scalar", "mov rax, qword ptr [rdi+8]": "scalar loads",
		"vmovaps ymmword ptr [rsp+4480], ymm1": "spills", "vaddps ymm1, ymm2, ymmword ptr [rsp+5000]": "reloads", "mov rax, qword ptr [rsp+4472]": "frame",
		"mov dword ptr [rsp], eax": "frame", "lea rax, [rsp+8]": "scalar",
	} {
		if got := kinds[kindOf(text, 4480)]; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestParts: a part begins behind a counter and ends at a title; loops inside it are seen.
func TestParts(t *testing.T) {
	list := partsOf(&jit.Counted{Counts: []uint64{7, 5}, Listing: "# one\n# counted 0\n    10  inc qword ptr [rax]\n# behind the counter\n    13  mov eax, 5\n" +
		".L1:\n#    17  ld.global.f32 %f1, [%rd1]\n    18  add rax, 8\n    1c  jne .L1\n    1e  ret\n# two\n    20  ret\n# counted 1\n# behind the counter\n    21  ret\n"})
	if len(list) != 2 || list[0].title != "one" || list[0].count != 7 || list[0].size() != 4 || list[0].loops != 2 || list[1].title != "two" || list[1].size() != 1 {
		t.Errorf("%+v", list)
	}
}

// TestProfile: every warp of saxpy comes once to the first instruction, by the old compiler.
func TestProfile(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	jit.CountFromNow()
	t.Cleanup(jit.CountNoMore)
	pipeline = "old"
	t.Cleanup(func() { pipeline = "" })
	top, err := root()
	if err != nil {
		t.Fatal(err)
	}
	w := workloads[slices.IndexFunc(workloads, func(w workload) bool { return w.name == "saxpy" })]
	warps, left, err := w.counted(top, corpus.Saxpy(corpus.Target{Arch: 90}, 4096))
	if err != nil || left != 0 {
		t.Fatal(left, err)
	}
	times := uint64(0)
	for _, c := range jit.AllCounted() {
		for _, p := range partsOf(c) {
			together := uint64(1)
			if strings.HasPrefix(p.title, "all lanes, from 0") {
				fmt.Sscanf(p.title, "all lanes, from 0, of %d warps", &together)
				times += p.count * together
			}
		}
	}
	if times != warps || warps != 128 {
		t.Errorf("%d warps came %d times to the first instruction", warps, times)
	}
}
