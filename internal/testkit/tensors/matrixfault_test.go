package tensors_test

// This file holds what ldmatrix, stmatrix and wmma refuse.

import (
	"context"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

const matrixKernel = `.version 9.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .b32 %r<64>; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .b32 %x<8>;
	.shared .align 1024 .b8 data[2048]; .local .align 16 .b8 own[512];
	ld.param.u64 %rd1, [out];
	mov.u32 %r0, %laneid;
	shl.b32 %r1, %r0, 4;
	mov.u32 %r2, data;
	add.u32 %r2, %r2, %r1;
	setp.lt.u32 %p1, %r0, 8;
STMT
	ret;
}`

// TestMatrixFaults: what check cannot see is a fault that says what is wrong and in which lanes.
func TestMatrixFaults(t *testing.T) {
	for _, c := range []struct{ text, wants string }{
		{"add.u32 %r2, %r2, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];", "shared load of 16 bytes at 0x408, which is no multiple of 16"},
		{"add.u32 %r2, %r2, 2040; and.b32 %r2, %r2, -16; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];", "of 16 bytes at"},
		{"ldmatrix.sync.aligned.m8n8.x1.b16 {%r3}, [%rd1];", "address outside its state space: generic"},
		{"stmatrix.sync.aligned.m8n8.x1.b16 [%rd1], {%r3};", "address outside its state space: generic"},
		{"@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];", "the guard excludes lanes ffffff00"},
		{"@!%p1 exit; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r3};", "have exited"},
		{"mov.b64 %rd2, own; cvta.local.u64 %rd2, %rd2; wmma.load.a.sync.aligned.row.m16n16k16.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, [%rd2];", "address outside its state space: generic"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, [%r2];", "the lanes give different addresses or strides"},
		{"mov.u32 %r2, data; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, [%r2], %r0;", "the lanes give different addresses or strides"},
		{"mov.u32 %r2, data; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, [%r2], 17;", "shared load of 32 bytes at 0x422, which is no multiple of 16"},
		{"mov.u32 %r2, data; wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {%x0}, [%r2], 33;", "stride is 33, which is no multiple of 2"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}, [%rd1], 4096;", "access out of bounds: global load of 32 bytes"},
	} {
		_, err := launchMatrix(t, strings.Replace(matrixKernel, "STMT", c.text, 1), ptxvm.DeviceConfig{Arch: "sm_90a"})
		if err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s\n\twant %q\n\thave %v", c.text, c.wants, err)
		}
	}
}

// TestScaleSelectors: selectors in registers are checked when they are used.
func TestScaleSelectors(t *testing.T) {
	for _, c := range []struct{ text, wants string }{
		{"{%h0, 0}, %r2, {0, 0}", "byte-id is 5, which exceeds its limit of 3"},
		{"{0, %h0}, %r2, {0, 0}", "thread-id is 5, which exceeds its limit of 1"},
		{"{0, 0}, %r2, {0, %h0}", "thread-id is 5, which exceeds its limit of 3"},
		{"{%h1, 0}, %r2, {0, 0}", "the lanes give different selectors of scale factors"},
	} {
		stmt := ".reg .b16 %h<2>; mov.b16 %h0, 5; cvt.u16.u32 %h1, %r0;\nmma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0 " +
			"{%r3, %r4, %r5, %r6}, {%r3, %r4, %r5, %r6}, {%r3, %r4}, {%r3, %r4, %r5, %r6}, %r1, " + c.text + ";"
		text := strings.Replace(strings.Replace(matrixKernel, "STMT", stmt, 1), "sm_90a", "sm_120a", 1)
		if _, err := launchMatrix(t, text, ptxvm.DeviceConfig{Arch: "sm_120a"}); err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s\n\twant %q\n\thave %v", c.text, c.wants, err)
		}
	}
}

// TestMatrixRowsUnused: lanes beyond the matrices need no address.
func TestMatrixRowsUnused(t *testing.T) {
	text := strings.Replace(matrixKernel, "STMT", "mov.u32 %r3, 0x7ffffff7; @%p1 mov.u32 %r3, %r2; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];", 1)
	if _, err := launchMatrix(t, text, ptxvm.DeviceConfig{Arch: "sm_90a"}); err != nil {
		t.Error(err)
	}
}

func launchMatrix(t *testing.T, text string, cfg ptxvm.DeviceConfig) (ptxvm.Stats, error) {
	t.Helper()
	d := rig.Device(t, cfg)
	m, err := ptxvm.Compile("t.ptx", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, rig.Buffer(t, d, 4096))
}
