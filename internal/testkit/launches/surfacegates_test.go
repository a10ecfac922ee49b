package launches_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// surfaceModule declares what the statements of these tests use.
func surfaceModule(version, target, statements string) string {
	size := ".address_size 64\n"
	if version < "2.3" {
		size = ""
	}
	return fmt.Sprintf(`.version %s
.target %s
%s.global .surfref surf_A;
.global .surfref surf_B;
.global .surfref surf_C;
.global .surfref surf_D;
.entry k(.param .u64 out)
{
	.reg .b32 x, y, z, w, idx, r0, r1, s1, s2, s3, s4;
	.reg .b64 d1, d2, o, h;
	%s
	ret;
}`, version, target, size, statements)
}

// TestSurfaceGates: every PTX ISA and target note of suld and sust: the verdict at the gate and
// one step below (ptxas 13.5 says the same: internal/check/testdata/verdicts/surface.txt), and the
// one place where the manual's judge differs.
func TestSurfaceGates(t *testing.T) {
	const newer, sm20, any = "9.5", "sm_20", "sm_90"
	for _, c := range []struct {
		note, statement    string
		version, target    string // at the gate
		below, belowTarget string // a version and a target that are too old, "" for none
	}{
		{"trap", "suld.b.1d.b32.trap r0, [surf_A, {x}];", "1.5", "sm_10", "1.4", ""},
		{"clamp", "suld.b.1d.b32.clamp r0, [surf_A, {x}];", "2.0", sm20, "1.5", ""},
		{"zero", "suld.b.1d.b32.zero r0, [surf_A, {x}];", "2.0", sm20, "1.5", ""},
		{"cop", "suld.b.1d.cg.b32.trap r0, [surf_A, {x}];", "2.0", sm20, "1.5", "sm_13"},
		{"3d", "suld.b.3d.b32.trap r0, [surf_A, {x,y,z,w}];", "3.0", sm20, "2.3", "sm_13"},
		{"a1d", "suld.b.a1d.b32.trap r0, [surf_A, {idx,x}];", "3.0", sm20, "2.3", "sm_13"},
		{"a2d", "suld.b.a2d.b32.trap r0, [surf_A, {idx,x,y,z}];", "3.0", sm20, "2.3", "sm_13"},
		{"indirect", "suld.b.1d.b32.trap r0, [h, {x}];", "3.1", sm20, "3.0", "sm_13"},
		{"all targets", "suld.b.1d.b32.trap r0, [surf_A, {x}];", newer, "sm_10", "", ""},
		{"all targets", "suld.b.1d.b32.trap r0, [surf_A, {x}];", newer, "sm_121", "", ""},
		{"sust", "sust.b.1d.b32.trap [surf_A, {x}], r0;", "1.5", "sm_10", "1.4", ""},
		{"sust.p", "sust.p.1d.b32.trap [surf_A, {x}], r0;", "2.0", sm20, "1.5", "sm_13"},
		{"sured", "sured.b.add.1d.u32.trap [surf_A, {x}], r0;", "2.0", sm20, "1.5", "sm_13"},
		{"sured 64", "sured.b.min.1d.u64.trap [surf_A, {x}], d1;", "8.1", "sm_50", "8.0", "sm_37"},
		{"suq", "suq.width.b32 r0, [surf_A];", "1.5", "sm_10", "1.4", ""},
		{"suq channels", "suq.channel_order.b32 r0, [surf_A];", "2.1", sm20, "2.0", ""},
		{"suq array", "suq.array_size.b32 r0, [surf_A];", "4.1", sm20, "4.0", ""},
		{"suq layout", "suq.memory_layout.b32 r0, [surf_A];", "4.2", sm20, "4.1", ""},
	} {
		for _, judge := range []ptxvm.Judge{ptxvm.JudgePtxas, ptxvm.JudgeManual} {
			verdict := func(version, target string, want bool) {
				t.Helper()
				_, err := ptxvm.Compile("gate.ptx", []byte(surfaceModule(version, target, c.statement)), &ptxvm.CompileConfig{Judge: judge})
				if (err == nil) != want {
					t.Errorf("%s, judge %v, %s %s: accepted %v, want %v (%v)", c.note, judge, version, target, err == nil, want, err)
				}
			}
			verdict(c.version, c.target, true)
			if c.below != "" {
				target := c.target
				if c.below < "2.0" {
					target = "sm_13"
				}
				verdict(c.below, target, false)
			}
			if c.belowTarget != "" {
				verdict(newer, c.belowTarget, false)
			}
		}
	}
	for _, mode := range []string{"clamp", "zero"} { // sm_1x: the manual has .trap alone, ptxas all three
		src := []byte(surfaceModule("2.0", "sm_13", "suld.b.1d.b32."+mode+" r0, [surf_A, {x}];"))
		if _, err := ptxvm.Compile("sm_1x.ptx", src, nil); err != nil {
			t.Errorf("ptxas takes .%s on sm_13: %v", mode, err)
		}
		if _, err := ptxvm.Compile("sm_1x.ptx", src, &ptxvm.CompileConfig{Judge: ptxvm.JudgeManual}); err == nil {
			t.Errorf("the manual's judge takes .%s on sm_13", mode)
		}
	}
}

// exampleSetup gives the examples their operands: x 16, y 1, z 1, w far outside, layer 1.
const exampleSetup = `ld.param.u64 o, [out]; mov.u32 x, 16; mov.u32 y, 1; mov.u32 z, 1; mov.u32 w, -1000; mov.u32 idx, 1; `

// exampleArrays are the surfaces of the examples: byte i is i.
func exampleArrays(l *surfaceLab) {
	l.array("surf_A", ptxvm.Array3D, "u32x1", 8, 2, 2)
	l.array("surf_B", ptxvm.Array1D, "u32x1", 8)
	l.array("surf_C", ptxvm.Array1DLayered, "u32x1", 8, 2)
	l.array("surf_D", ptxvm.Array2DLayered, "u32x1", 8, 2, 2)
}

// TestSuldExamples runs the four examples of 9.7.11.1, the two without a clamp mode under the
// manual's judge, where they trap outside; ptxas rejects these two. Rows have 32 bytes: byte 16
// of row 1 of slice 1 is byte 16+32+64 = 112.
func TestSuldExamples(t *testing.T) {
	word := func(first int) uint32 {
		return binary.LittleEndian.Uint32([]byte{byte(first), byte(first + 1), byte(first + 2), byte(first + 3)})
	}
	for _, c := range []struct {
		text, store string
		want        []uint32
		ptxas       bool
	}{
		{"suld.b.1d.v4.b32.trap {s1,s2,s3,s4}, [surf_B, {x}];", "st.global.v4.b32 [o], {s1,s2,s3,s4};", []uint32{word(16), word(20), word(24), word(28)}, true},
		{"suld.b.3d.v2.b64.trap {d1,d2}, [surf_A, {x,y,z,w}];", "st.global.v2.b64 [o], {d1,d2};", []uint32{word(112), word(116), word(120), word(124)}, true},
		{"suld.b.a1d.v2.b32 {r0,r1}, [surf_C, {idx,x}];", "st.global.v2.b32 [o], {r0,r1};", []uint32{word(48), word(52), 0, 0}, false},
		{"suld.b.a2d.b32 r0, [surf_D, {idx,x,y,z}];", "st.global.b32 [o], r0;", []uint32{word(112), 0, 0, 0}, false},
	} {
		src := surfaceModule("9.0", "sm_90", exampleSetup+c.text+c.store)
		_, err := ptxvm.Compile("example.ptx", []byte(src), nil)
		if (err == nil) != c.ptxas {
			t.Errorf("%s: judged as by ptxas: %v", c.text, err)
		}
		if err != nil && !strings.Contains(err.Error(), "ptxas") {
			t.Errorf("%s: the message does not say whose verdict it is: %v", c.text, err)
		}
		l := labJudged(t, src)
		exampleArrays(l)
		if have := l.words(4, 1); fmt.Sprint(have) != fmt.Sprint(c.want) {
			t.Errorf("%s: have %#x, want %#x", c.text, have, c.want)
		}
		if c.ptxas {
			continue
		}
		l = labJudged(t, surfaceModule("9.0", "sm_90", strings.Replace(exampleSetup, "x, 16", "x, 32", 1)+c.text))
		exampleArrays(l)
		out, _ := l.d.Alloc(16)
		if err := l.launch(1, out); err == nil || !strings.Contains(err.Error(), "P7030") {
			t.Errorf("%s outside: %v", c.text, err)
		}
	}
}

// labJudged is newSurfaceLab under the manual's judge.
func labJudged(t *testing.T, src string) *surfaceLab {
	t.Helper()
	return newLab(t, src, &ptxvm.CompileConfig{Judge: ptxvm.JudgeManual}, nil)
}

// TestSiblingExamples runs the examples of 9.7.11.2 to 9.7.11.4 under the manual's judge.
func TestSiblingExamples(t *testing.T) {
	const f = "mov.b32 s1, 7; mov.b32 s2, 8; mov.b32 s3, 9; mov.b32 s4, 10; mov.b64 d1, 11; mov.b64 d2, 12; mov.b32 r0, 13; mov.b32 r1, 14; "
	for _, c := range []struct {
		text, load string
		want       uint32
	}{
		{"sust.p.1d.v4.b32.trap [surf_B, {1}], {s1,s2,s3,s4};", "suld.b.1d.b32.trap r0, [surf_B, {4}];", 7},
		{"sust.b.3d.v2.b64.trap [surf_A, {x,y,z,w}], {d1,d2};", "suld.b.3d.b32.trap r0, [surf_A, {24, 1, 1, 0}];", 12},
		{"sust.b.a1d.v2.b64 [surf_C, {idx,x}], {d1,d2};", "suld.b.a1d.b32.trap r0, [surf_C, {1, 16}];", 11},
		{"sust.b.a2d.b32 [surf_D, {idx,x,y,z}], r0;", "suld.b.a2d.b32.trap r0, [surf_D, {1, 16, 1, 0}];", 13},
		{"sured.b.max.1d.u64.trap [surf_B, {x}], d1;", "suld.b.1d.b32.trap r0, [surf_B, {16}];", 0x13121110},
		{"sured.p.min.1d.u32.trap [surf_B, {1}], r1;", "suld.b.1d.b32.trap r0, [surf_B, {4}];", 14},
		{"sured.p.min.1d.b64.trap [surf_B, {1}], d1;", "suld.b.1d.b32.trap r0, [surf_B, {8}];", 11},
		{"suq.width.b32 r0, [surf_A];", "", 8},
	} {
		l := labJudged(t, surfaceModule("9.0", "sm_90", exampleSetup+f+c.text+c.load+"st.global.b32 [o], r0;"))
		exampleArrays(l)
		if have := l.words(1, 1)[0]; have != c.want {
			t.Errorf("%s: have %#x, want %#x", c.text, have, c.want)
		}
	}
}

// TestSurfaceOld: a module of PTX 1.5 for sm_13, whose kernel takes a .surfref parameter, runs.
func TestSurfaceOld(t *testing.T) {
	l := newSurfaceLab(t, `.version 1.5
.target sm_13
.global .surfref S;
.entry k(.param .surfref P)
{
	.reg .b32 x, v;
	cvt.s32.u16 x, %tid.x;
	shl.b32 x, x, 2;
	suld.b.1d.b32.trap v, [S, {x}];
	sust.b.1d.b32.trap [P, {x}], v;
	exit;
}`, nil)
	from, to := l.array("S", ptxvm.Array1D, "u32x1", 32), l.array("", ptxvm.Array1D, "u32x1", 32)
	if err := to.Write(make([]byte, to.Len())); err != nil {
		t.Fatal(err)
	}
	if err := l.launch(32, to.Surface()); err != nil {
		t.Fatal(err)
	}
	a, b := make([]byte, 128), make([]byte, 128)
	if from.Read(a) != nil || to.Read(b) != nil || string(a) != string(b) {
		t.Errorf("copied % x", b)
	}
}

// TestSurfaceAligned: surfaces and their rows begin at multiples of 16 bytes whatever the width,
// so that an aligned coordinate is an aligned address: a vector of 16 bytes is stored in the last
// row of an array whose rows are no multiple of 16.
func TestSurfaceAligned(t *testing.T) {
	l := newSurfaceLab(t, `.entry k(.param .u64 H) { .reg .b64 h; ld.param.u64 h, [H]; sust.b.2d.v2.b64.trap [h, {16, 2}], {0x0102030405060708, -1}; ret; }`, nil)
	a := l.array("", ptxvm.Array2D, "u8x1", 37, 3)
	if err := l.launch(1, a.Surface()); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, a.Len())
	if err := a.Read(data); err != nil {
		t.Fatal(err)
	}
	if at := 2*37 + 16; data[at] != 8 || data[at+8] != 255 || data[at-1] != byte(at-1) || data[at+16] != byte(at+16) {
		t.Errorf("stored % x", data[at-1:at+17])
	}
}

// TestSurfaceLinear: suq.memory_layout, and the formats that the command line does not have.
func TestSurfaceLinear(t *testing.T) {
	l := newSurfaceLab(t, `.entry k(.param .u64 out, .param .u64 H) { .reg .b64 o, h; .reg .b32 r<3>; ld.param.u64 o, [out]; ld.param.u64 h, [H];
	suq.memory_layout.b32 r0, [h]; suq.channel_order.b32 r1, [h]; st.global.v2.b32 [o], {r0, r1}; ret; }`, nil)
	for format, order := range map[string]uint32{"u8.a": 0x10b1, "u8.ra": 0x10b3, "u8.rgb": 0x10b4, "u8.bgra": 0x10b6, "u8.argb": 0x10b7} {
		f, err := ptxvm.ParseSampleFormat(format)
		if err != nil {
			t.Fatal(err)
		}
		for _, linear := range []bool{false, true} {
			a, err := l.d.NewArray(ptxvm.ArrayDesc{Size: []int{4}, Format: f, Linear: linear})
			if err != nil {
				t.Fatal(err)
			}
			if have := l.words(2, 1, a.Surface()); (have[0] == 1) != linear || have[1] != order {
				t.Errorf("%s: %#x", format, have)
			}
		}
	}
}
