package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// maskedWords is a kernel in the manner of Triton's: each thread takes as many words that follow each other as a vector has, if it is below n.
func maskedWords(count int) string {
	list := func(first int) string {
		var names []string
		for k := range count {
			names = append(names, fmt.Sprintf("%%r%d", first+k))
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	var zeros, change strings.Builder
	for k := range count {
		fmt.Fprintf(&zeros, "\tmov.u32 %%r%d, 0;\n", 10+k)
		fmt.Fprintf(&change, "\txor.b32 %%r%d, %%r%d, %d;\n", 20+k, 10+k, 3+5*k)
	}
	return fmt.Sprintf(`.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 from, .param .u64 to, .param .u32 n)
{
	.reg .pred %%p;
	.reg .b32 %%r<30>;
	.reg .b64 %%rd<5>;
	ld.param.u64 %%rd1, [from];
	ld.param.u64 %%rd2, [to];
	ld.param.u32 %%r1, [n];
	mov.u32 %%r2, %%tid.x;
	mul.wide.u32 %%rd3, %%r2, %d;
	add.u64 %%rd1, %%rd1, %%rd3;
	add.u64 %%rd2, %%rd2, %%rd3;
	setp.lt.u32 %%p, %%r2, %%r1;
%s	@%%p ld.global.v%[3]d.b32 %[4]s, [%%rd1];
%[5]s	@%%p st.global.v%[3]d.b32 [%%rd2], %[6]s;
	ret;
}
`, 4*count, zeros.String(), count, list(10), change.String(), list(20))
}

// TestStoreWords: two or four words of each of some lanes are stored by vectors in the order of memory; they are what the interpreter stores.
func TestStoreWords(t *testing.T) {
	for _, count := range []int{2, 4} {
		text := maskedWords(count)
		code := storeWordsCode(t, text)
		for v, want := range map[jit.Vectors]string{jit.AVX2: "store words masked", jit.AVX512: "store words under bits"} {
			isel, err := jit.Stage(code, "jit-isel", v)
			if hot, _, _ := strings.Cut(isel, " cold("); err != nil || !strings.Contains(hot, want) {
				t.Errorf("%d words, %v, %v: no %q in\n%s", count, v, err, want, hot)
			}
		}
		want := wordsOf(t, &ptxvm.DeviceConfig{Engine: ptxvm.Interp}, nil, text)
		backEnds(t, func(t *testing.T, b backEnd) {
			got := wordsOf(t, &ptxvm.DeviceConfig{Engine: ptxvm.JIT}, b.with(&jit.PipelineC{}, map[string]error{}), text)
			for n := range want {
				if !slices.Equal(got[n], want[n]) {
					t.Errorf("%d words of %d threads: got %v, the interpreter %v", count, n, got[n], want[n])
				}
			}
		})
	}
}

func storeWordsCode(t *testing.T, text string) *machine.Code {
	m, err := load.Text("kernel", text)
	if err != nil {
		t.Fatal(err)
	}
	code, err := decoded(m, m.Func("kernel"), ir.LaunchShape{BlockX: 64, BlockY: 1, BlockZ: 1})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// wordsOf is what all numbers of threads leave in memory, behind as many launches as code takes to know its allocations.
func wordsOf(t *testing.T, cfg *ptxvm.DeviceConfig, prepare func(*ptxvm.Device) error, text string) (out [][]byte) {
	const threads, bytes = 64, 16 * 64
	cfg.Memory, cfg.Workers = 1<<20, 1
	d, err := ptxvm.NewDevice(cfg)
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip("no compiled code on this processor")
	}
	defer d.Close()
	if prepare != nil {
		err = errors.Join(err, prepare(d))
	}
	m, err2 := ptxvm.Compile("words.ptx", []byte(text), nil)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("kernel")
	if err != nil {
		t.Fatal(err)
	}
	from := make([]byte, bytes)
	for i := range from {
		from[i] = byte(i * 7)
	}
	a, err := ptxvm.Upload(d, from)
	b, err2 := ptxvm.Upload(d, make([]byte, bytes))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for n := range threads + 8 {
		n = max(n-7, 0)
		b.WriteAt(make([]byte, bytes), 0)
		if _, err := k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: threads}}, a, b, uint32(n)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, bytes)
		b.ReadAt(got, 0)
		out = append(out, got)
	}
	return out
}
