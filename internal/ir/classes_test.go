package ir

// This file checks class solving on cases made by hand.

import (
	"strings"
	"testing"
)

func solveAt(t *testing.T, shape LaunchShape, text string) func(reg string) Class {
	t.Helper()
	f := parseBody(t, text)
	s := f.Solve(shape, nil)
	return func(reg string) Class { return s.Regs[f.Reg(reg)] }
}

func TestThreadIndexByShape(t *testing.T) {
	const text = `block A
  mov.u32 %a, <%tid.x> @0 0
  mov.u32 %b, <%tid.y> @0 0
  ret @0 0
`
	for _, c := range []struct {
		shape LaunchShape
		x, y  Class
	}{
		{LaunchShape{64, 1, 1, false, false}, Class{Kind: Affine}, Class{}},
		{LaunchShape{33, 1, 1, false, false}, Class{Kind: Affine}, Class{}},
		{LaunchShape{32, 8, 1, false, false}, Class{Kind: Affine}, Class{}},
		{LaunchShape{16, 16, 1, false, false}, Class{Kind: Periodic, W: 16}, Class{Kind: Periodic, W: 16}},
		{LaunchShape{8, 3, 1, false, false}, Class{Kind: Periodic, W: 8}, Class{Kind: Periodic, W: 8}},
		{LaunchShape{8, 3, 2, false, false}, Class{Kind: Periodic, W: 8}, Class{Kind: Vector}},
		{LaunchShape{1, 64, 1, false, false}, Class{}, Class{Kind: Affine}},
		{LaunchShape{12, 4, 1, false, false}, Class{Kind: Vector}, Class{Kind: Vector}},
		{LaunchShape{1, 1, 7, false, false}, Class{}, Class{}},
	} {
		at := solveAt(t, c.shape, text)
		if at("%a") != c.x || at("%b") != c.y {
			t.Errorf("%v: tid.x %v, tid.y %v; want %v, %v", c.shape, at("%a"), at("%b"), c.x, c.y)
		}
	}
}

// TestThreadIndexAgainstLanes compares the classes of thread indexes with their values.
func TestThreadIndexAgainstLanes(t *testing.T) {
	for x := int32(1); x <= 64; x++ {
		for _, y := range []int32{1, 2, 3, 4, 8, 32} {
			for _, z := range []int32{1, 2, 3} {
				s := LaunchShape{x, y, z, false, false}
				checkIndex(t, s, s.tidX(), func(n int32) int32 { return n % x })
				checkIndex(t, s, s.tidY(), func(n int32) int32 { return n / x % y })
				checkIndex(t, s, s.tidZ(), func(n int32) int32 { return n / x / y })
			}
		}
	}
}

func checkIndex(t *testing.T, s LaunchShape, c Class, value func(int32) int32) {
	t.Helper()
	threads := s.BlockX * s.BlockY * s.BlockZ
	for warp := int32(0); warp < threads; warp += 32 {
		at := func(lane int32) int32 { return value(warp + lane) }
		for lane := int32(0); lane < 32 && warp+lane < threads; lane++ {
			if c.Kind != Vector && at(lane) != c.predict(at, lane, threads-warp) {
				t.Fatalf("%v: class %v, but lane %d of the warp at %d has %d", s, c, lane, warp, at(lane))
			}
		}
	}
}

// predict computes a lane's value from the first lanes, as the class says.
func (c Class) predict(at func(int32) int32, lane, live int32) int32 {
	step := func(i int32) int32 {
		if i < live {
			return at(i) - at(0)
		}
		return 0
	}
	switch c.Kind {
	case Uniform:
		return at(0)
	case Affine:
		return at(0) + step(1)*lane
	}
	w := int32(c.W)
	return at(0) + step(1)*(lane%w) + step(w)*(lane/w)
}

func TestPropagation(t *testing.T) {
	at := solveAt(t, LaunchShape{64, 1, 1, false, false}, `block A
  mov.u32 %a, <%tid.x> @0 0
  mul.wide.u32 %x, %a, 0x4:u32 @0 0
  shl.b32 %b, %a, 0x2:u32 @0 0
  setp.ne.s32 %p, %b, 0x0:s32 @0 0
  setp.ne.s32 %q, 0x1:s32, 0x0:s32 @0 0
  ret @0 0
`)
	if at("%a") != (Class{Kind: Affine}) || at("%b") != (Class{Kind: Affine}) {
		t.Errorf("tid.x %v, shifted %v", at("%a"), at("%b"))
	}
	if at("%x") != (Class{Kind: Affine, Checked: true}) {
		t.Errorf("widened: %v", at("%x"))
	}
	if at("%p").Kind != Vector || at("%q").Kind != Uniform {
		t.Errorf("predicates: %v %v", at("%p"), at("%q"))
	}
}

// TestInfluenceRegion: what a loop defines is Vector if lanes leave it in different turns,
// and what stands behind the meeting point is not touched.
func TestInfluenceRegion(t *testing.T) {
	const text = `block A
  mov.u32 %a, 0x0:u32 @0 0
  mov.u32 %b, %s @0 0
block H
  add.s32 %a, %a, 0x1:s32 @0 0
  setp.ne.s32 %p, %a, %b @0 0
  @%p bra -> b1 @0 0
block X
  setp.ne.s32 %q, 0x1:s32, 0x0:s32 @0 0
  st.global.u32 [%x], %a @0 0
  ret @0 0
`
	for source, want := range map[string]Kind{"<%tid.x>": Vector, "<%ctaid.x>": Uniform} {
		at := solveAt(t, LaunchShape{64, 1, 1, false, false}, strings.ReplaceAll(text, "%s", source))
		if at("%a").Kind != want || at("%p").Kind != want || at("%q").Kind != Uniform {
			t.Errorf("bound %s: counter %v, predicate %v, behind the loop %v", source, at("%a"), at("%p"), at("%q"))
		}
	}
}

func TestLoads(t *testing.T) {
	for form, want := range map[string]Kind{
		"ld.global.u32": Uniform, "ld.shared.u32": Uniform, "ld.const.u32": Uniform,
		"ld.local.u32": Vector, "ld.u32": Vector,
	} {
		at := solveAt(t, LaunchShape{64, 1, 1, false, false}, "block A\n  "+form+" %a, [%x] @0 0\n  ret @0 0\n")
		if at("%a").Kind != want {
			t.Errorf("%s from one address: %v", form, at("%a"))
		}
	}
}
