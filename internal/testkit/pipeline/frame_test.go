package pipeline

// This file has kernels that want more of a stack than there is.

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestFrame: code of our own that would have too many values in its frame is refused.
func TestFrame(t *testing.T) {
	for _, values := range []int{40, 1600} { // of 128 bytes each
		var b strings.Builder
		fmt.Fprintf(&b, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"+
			".reg .b32 %%r<%d>; .reg .b64 %%rd<4>; ld.param.u64 %%rd1, [p]; mov.u32 %%r0, %%tid.x;\n"+
			"mul.wide.u32 %%rd2, %%r0, 4; add.s64 %%rd1, %%rd1, %%rd2;\n", values+2)
		for i := 1; i <= values; i++ {
			fmt.Fprintf(&b, "ld.global.u32 %%r%d, [%%rd1+%d];\n", i, 128*i)
		}
		for i := 1; i <= values; i++ {
			fmt.Fprintf(&b, "st.global.u32 [%%rd1+%d], %%r%d;\n", 128*(values-i), i)
		}
		b.WriteString("ret;\n}\n")
		buf := &corpus.Buffer{Name: "p", Elem: corpus.S32, Init: make([]byte, 128*(values+1))}
		for i := range buf.Init {
			buf.Init[i] = byte(i / 128 * 7)
		}
		r := &corpus.Run{Buffers: []*corpus.Buffer{buf}, Launches: []corpus.Launch{{Kernel: "k", Grid: [3]int{1, 1, 1},
			Block: [3]int{32, 1, 1}, Args: []corpus.Arg{{Buffer: buf}}}}}
		refused := map[string]error{}
		c := &jit.PipelineC{Own: true, Note: func(kernel string, err error) { refused[kernel] = err }} // a replay of registers takes seconds
		got := run(t, b.String(), r, 3, func(d *ptxvm.Device) error {
			return vm.CompileWith(d, jit.ThroughC(jit.Options{Vectors: jit.AVX2}, c))
		})
		same(t, "k", &run(t, b.String(), r, 1, nil)[0], got)
		if err := refused["k"]; (err != nil) != (values == 1600) || err != nil && !strings.Contains(err.Error(), "a frame of") {
			t.Errorf("%d values: %v", values, err)
		}
	}
}
