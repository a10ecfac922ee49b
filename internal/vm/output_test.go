package vm_test

// This file checks how printf reaches DeviceConfig.Stdout.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// talking prints n lines a thread, then loops for ever if it is told to.
const talking = `.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[29] = {116,104,114,101,97,100,32,37,100,32,115,97,121,115,32,37,100,32,97,110,100,32,37,46,51,102,10,0};
.visible .entry talk(.param .u32 lines, .param .u32 forever)
{
	.local .align 8 .b8 args[16];
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	.reg .f64 %f;
	.reg .pred %p;
	ld.param.u32 %r1, [lines];
	ld.param.u32 %r5, [forever];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, 0;
	mov.u64 %rd1, args;
	cvta.local.u64 %rd1, %rd1;
	mov.u64 %rd2, text;
	cvta.global.u64 %rd2, %rd2;
next:
	setp.ge.u32 %p, %r3, %r1;
	@%p bra done;
	cvt.rn.f64.u32 %f, %r3;
	mul.f64 %f, %f, 0d3FF8000000000000;
	st.local.u32 [args], %r2;
	st.local.u32 [args+4], %r3;
	st.local.f64 [args+8], %f;
	{
		.param .b64 f;
		.param .b64 a;
		.param .b32 r;
		st.param.b64 [f], %rd2;
		st.param.b64 [a], %rd1;
		call (r), vprintf, (f, a);
	}
	add.u32 %r3, %r3, 1;
	bra next;
done:
	setp.ne.u32 %p, %r5, 0;
	@%p bra done;
	ret;
}
`

// talker makes a device that prints to w, and the kernel.
func talker(t testing.TB, source string, cfg vm.DeviceConfig) *vm.Kernel {
	t.Helper()
	cfg.Memory = 1 << 20
	_, k := onlyKernel(t, source, cfg)
	return k
}

// TestOutputOrder: lines come whole and in the order of one worker, whether they fill a buffer or not; a sanitizer, for
// which strings are read byte by byte, changes none.
func TestOutputOrder(t *testing.T) {
	for _, lines := range []int{1, 3, 100, 1000} {
		var want strings.Builder
		for i := range lines {
			for lane := range 32 {
				fmt.Fprintf(&want, "thread %d says %d and %.3f\n", lane, i, 1.5*float64(i))
			}
		}
		var got bytes.Buffer
		cfg := vm.DeviceConfig{Stdout: &got, Workers: 1}
		if lines == 100 {
			cfg.Sanitize = vm.SanitizeInit
		}
		k := talker(t, talking, cfg)
		if _, err := k.Launch(t.Context(), vm.Launch{Block: vm.Dim3{X: 32}}, int32(lines), int32(0)); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%d lines a thread: %d bytes, want %d", lines, got.Len(), want.Len())
		}
	}
}

// TestUnterminatedFormat: a format that fills its variable faults at the first byte behind it.
func TestUnterminatedFormat(t *testing.T) {
	source := strings.NewReplacer("text[29]", "text[27]", "10,0}", "10}").Replace(talking)
	for _, sanitize := range []vm.Sanitize{0, vm.SanitizeInit} {
		k := talker(t, source, vm.DeviceConfig{Sanitize: sanitize})
		_, err := k.Launch(t.Context(), vm.Launch{}, int32(1), int32(0))
		var fault *vm.Fault
		if !errors.As(err, &fault) || fault.Near == nil || fault.Near.Start+fault.Near.Size != fault.Address || fault.Near.Label != "text" {
			t.Errorf("got %v, want a fault behind text", err)
		}
	}
}

// heard tells when something is written.
type heard struct {
	mu   sync.Mutex
	text []byte
	some chan struct{}
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.text == nil {
		close(h.some)
	}
	h.text = append(h.text, p...)
	return len(p), nil
}

// TestOutputOfRunningKernel: what a kernel has printed is there while it still runs, and all of it when it is cancelled.
func TestOutputOfRunningKernel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	h := &heard{some: make(chan struct{})}
	k := talker(t, talking, vm.DeviceConfig{Stdout: h, Workers: 1})
	go func() {
		select {
		case <-h.some:
			cancel()
		case <-ctx.Done():
		}
	}()
	_, err := k.Launch(ctx, vm.Launch{Block: vm.Dim3{X: 32}}, int32(2), int32(1))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancellation", err)
	}
	if n := bytes.Count(h.text, []byte("\n")); n != 64 {
		t.Errorf("%d lines, want 64", n)
	}
}

// deaf fails.
type deaf struct{}

var errDeaf = errors.New("the reader is gone")

func (deaf) Write([]byte) (int, error) { return 0, errDeaf }

// TestOutputFails: a writer that fails ends the launch, be it at its last flush.
func TestOutputFails(t *testing.T) {
	for _, lines := range []int32{1, 1 << 30} {
		k := talker(t, talking, vm.DeviceConfig{Stdout: deaf{}})
		if _, err := k.Launch(t.Context(), vm.Launch{Block: vm.Dim3{X: 32}}, lines, int32(0)); !errors.Is(err, errDeaf) {
			t.Errorf("%d lines: got %v", lines, err)
		}
	}
}

// BenchmarkPrintf is a line of three arguments.
func BenchmarkPrintf(b *testing.B) {
	var out bytes.Buffer
	k := talker(b, talking, vm.DeviceConfig{Stdout: &out, Workers: 1})
	for b.Loop() {
		out.Reset()
		if _, err := k.Launch(b.Context(), vm.Launch{Block: vm.Dim3{X: 32}}, int32(1000), int32(0)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32000, "ns/line")
}
