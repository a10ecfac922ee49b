package jit_test

import (
	"bytes"
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// provenBodies are kernels with accesses of every way to compile them.
func provenBodies() map[string]string {
	bodies := map[string]string{}
	for name, body := range indexCases {
		bodies["index, "+name] = indexHeader + body + indexFooter
	}
	for name, body := range accessCases {
		bodies["access, "+name] = body
	}
	return bodies
}

// TestProofs leaves out the tests of one access after the other: what touches memory in its name is not compiled.
func TestProofs(t *testing.T) {
	fired := 0
	for name, body := range provenBodies() {
		for _, v := range []jit.Vectors{jit.AVX512, jit.AVX2} {
			touched := map[int32]bool{}
			if err := compileBody(t, body, jit.Touching(jit.Options{Vectors: v}, touched)); err != nil {
				t.Errorf("%s, %v: %v", name, v, err)
			}
			for pc := range touched {
				fired++
				if err := compileBody(t, body, jit.Untested(jit.Options{Vectors: v}, func(at int32) bool { return at == pc })); !errors.Is(err, jit.ErrUnsound) {
					t.Errorf("%s, %v, pc %d without its test: %v", name, v, pc, err)
				}
			}
		}
	}
	if t.Logf("%d accesses", fired); fired < 300 {
		t.Error("too few accesses")
	}
}

// compileBody compiles a body of a kernel and returns what has kept it from being compiled.
func compileBody(t *testing.T, body string, o jit.Options) error {
	t.Helper()
	l, at, _, _ := accessRoom(t, body)
	e, err := jit.NewEngine(o)
	if err != nil {
		t.Skip(err)
	}
	defer e.Close()
	l.run(t, "k", 1, [3]uint32{32, 1, 1}, e.Install, at, uint32(24))
	return e.Err()
}

// TestPlantedDefects plants what once was, or would be, a hole: the compilation fails with a reason, and the interpreter runs
// the kernel.
func TestPlantedDefects(t *testing.T) {
	body := indexHeader + "mov.u64 %rd9, smem; and.b32 %r11, %r12, 255; mul.wide.u32 %rd3, %r11, 4; add.s64 %rd6, %rd3, %rd1; sub.s64 %rd8, %rd6, %rd3; ld.global.u32 %r15, [%rd6]; mad.wide.u32 %rd4, %r11, 16, %rd9; st.shared.u32 [%rd4], %r15; ld.shared.u32 %r14, [%rd4];" + indexFooter
	for name := range jit.Defects {
		for _, v := range []jit.Vectors{jit.AVX512, jit.AVX2} {
			l, at, all, fill := accessRoom(t, body)
			block := [3]uint32{64, 1, 1}
			fill()
			l.run(t, "k", 2, block, nil, at, uint32(24))
			want, there := bytes.Clone(all), false
			e, err := jit.NewEngine(jit.Planted(jit.Options{Vectors: v}, name, &there))
			if err != nil {
				t.Skip(err)
			}
			fill()
			got := l.run(t, "k", 2, block, e.Install, at, uint32(24))
			if err := e.Err(); !there || !errors.Is(err, jit.ErrUnsound) {
				t.Errorf("%s, %v: planted: %v; %v", name, v, there, err)
			}
			if got.NativeOps != 0 || !bytes.Equal(all, want) {
				t.Errorf("%s, %v: %d lane-ops of compiled code; memory equal: %v", name, v, got.NativeOps, bytes.Equal(all, want))
			}
			e.Close()
		}
	}
}
