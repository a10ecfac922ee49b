package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// turning goes n times round a loop.
const turning = `.version 8.0
.target sm_90
.address_size 64
.visible .entry turning(.param .u64 out, .param .u32 n) .reqntid 64
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r2, %r2, 64, %r4;
	mul.wide.s32 %rd2, %r2, 4;
	add.s64 %rd1, %rd1, %rd2;
	ld.global.u32 %r5, [%rd1];
	mov.u32 %r6, 0;
L:
	mad.lo.s32 %r5, %r5, 3, 1;
	add.s32 %r6, %r6, 1;
	setp.lt.u32 %p1, %r6, %r1;
	@%p1 bra L;
	shfl.sync.down.b32 %r5, %r5, 3, 31, -1; // executed by its handler, behind a call that has returned
	st.global.u32 [%rd1], %r5;
	ret;
}
`

// turns is a launch of eight warps that go n times round.
func turns(n uint32) *corpus.Run {
	buf := &corpus.Buffer{Name: "out", Elem: corpus.S32, Init: make([]byte, 4*256)}
	return &corpus.Run{Buffers: []*corpus.Buffer{buf}, Launches: []corpus.Launch{{Kernel: "turning", Grid: [3]int{4, 1, 1}, Block: [3]int{64, 1, 1},
		Args: []corpus.Arg{{Buffer: buf}, {Elem: corpus.U32, Scalar: binary.LittleEndian.AppendUint32(nil, n)}}}}}
}

// TestExecuted: a turn of a loop more executes, in each warp, the instructions more that the machine code has in the loop, kind by kind.
func TestExecuted(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	pipeline = "new"
	t.Cleanup(func() { pipeline = "" })
	top, file := t.TempDir(), "turning.ptx"
	if err := os.WriteFile(filepath.Join(top, file), []byte(turning), 0o666); err != nil {
		t.Fatal(err)
	}
	w := &workload{name: "turning", ptx: file}
	var of [3]executed
	for i := range of {
		var err error
		if of[i], err = w.executes(top, turns(uint32(10+7*i))); err != nil {
			t.Fatal(err)
		}
	}
	want, slots := inLoop(t)
	for k, name := range kinds {
		if a, b := of[1].kinds[k]-of[0].kinds[k], of[2].kinds[k]-of[1].kinds[k]; a != b || a != 8*7*want[k] {
			t.Errorf("%s: seven turns of eight warps execute %d and %d more; a turn has %d", name, a, b, want[k])
		}
	}
	if want[kindVector] == 0 || want[kindBranches] == 0 || slots == 0 || of[0].warps != 8 {
		t.Errorf("%d warps; the loop has %v, slots are from %d on", of[0].warps, want, slots)
	}
}

// inLoop are the instructions that a turn of the hot loop executes.
func inLoop(t *testing.T) (n [len(kinds)]uint64, slots int) {
	var text bytes.Buffer
	o := cli.DumpOptions{Stage: "jit-asm", Width: vectorBits()}
	if err := cli.DumpLinked(&text, []cli.Source{{Name: "turning.ptx", Text: []byte(turning)}}, o); err != nil {
		t.Fatal(err)
	}
	for _, c := range jit.AllCounted() {
		if c.Name == "turning" {
			slots = c.Slots
		}
	}
	hot := regexp.MustCompile(`(?s)# b\d+ level 3\(.*?\n# b\d+ level 2`).FindString(text.String())
	for line := range strings.Lines(hot) {
		m := instruction.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		to, leaves := strings.CutPrefix(m[1], "jmp ")
		if leaves = leaves && !strings.Contains(hot, to+":"); !leaves { // by that no turn but the last goes
			n[kindOf(m[1], slots)]++
		}
	}
	if blocks := strings.Count(hot, "\n# b"); blocks != 2 { // the second of the loop, and what is behind
		t.Fatalf("the loop has %d blocks:\n%s", blocks, hot)
	}
	return n, slots
}
