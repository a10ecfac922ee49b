package x86

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// finish ends the assembly, failing the test on an error.
func finish(t *testing.T, a *Asm) []byte {
	t.Helper()
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestGeneral: instructions with methods of their own. The bytes are those of GNU as.
func TestGeneral(t *testing.T) {
	tests := []struct {
		emit       func(a *Asm)
		text, code string
	}{
		{func(a *Asm) { a.MovImm(RAX, 0) }, "mov eax, 0", "b8 00 00 00 00"},
		{func(a *Asm) { a.MovImm(R9, 0xffffffff) }, "mov r9d, 4294967295", "41 b9 ff ff ff ff"},
		{func(a *Asm) { a.MovImm(RCX, 1<<64-2) }, "mov rcx, -2", "48 c7 c1 fe ff ff ff"},
		{func(a *Asm) { a.MovImm(R15, 1<<32) }, "movabs r15, 4294967296", "49 bf 00 00 00 00 01 00 00 00"},
		{func(a *Asm) { a.Zero(R8) }, "xor r8d, r8d", "45 31 c0"},
		{func(a *Asm) { a.Set(NE, RSI) }, "setne sil", "40 0f 95 c6"},
		{func(a *Asm) { a.Set(P, RBX) }, "setp bl", "0f 9a c3"},
		{func(a *Asm) { a.SetM(G, At(RSP, 8)) }, "setg byte ptr [rsp+8]", "0f 9f 44 24 08"},
		{func(a *Asm) { a.Cmov(AE, S64, RAX, R12) }, "cmovae rax, r12", "49 0f 43 c4"},
		{func(a *Asm) { a.CmovM(L, S32, RDX, At(RDI, -4)) }, "cmovl edx, dword ptr [rdi-4]", "0f 4c 57 fc"},
		{func(a *Asm) { a.None(VZEROUPPER) }, "vzeroupper", "c5 f8 77"},
		{func(a *Asm) { a.None(VZEROALL) }, "vzeroall", "c5 fc 77"},
		{func(a *Asm) { a.None(CQO) }, "cqo", "48 99"},
		{func(a *Asm) { a.None(CDQ) }, "cdq", "99"},
		{func(a *Asm) { a.None(MFENCE) }, "mfence", "0f ae f0"},
		{func(a *Asm) { a.None(RET) }, "ret", "c3"},
		{func(a *Asm) { a.RI(AND, S8, RAX, -16) }, "and al, -16", "24 f0"},
		{func(a *Asm) { a.RI(SUB, S64, RSP, 8) }, "sub rsp, 8", "48 83 ec 08"},
		{func(a *Asm) { a.RR(SAR, S64, R11, RCX) }, "sar r11, cl", "49 d3 fb"},
		{func(a *Asm) { a.MRR(SHLD, S32, At(RBX, 0), RDX, RCX) }, "shld dword ptr [rbx], edx, cl", "0f a5 13"},
		{func(a *Asm) { a.Lock().MR(CMPXCHG, S64, At(RDI, 0), RSI) }, "lock cmpxchg qword ptr [rdi], rsi", "f0 48 0f b1 37"},
	}
	for _, test := range tests {
		a := New(nil)
		list := a.List()
		test.emit(a)
		if a.Err() != nil {
			t.Errorf("%s: %v", test.text, a.Err())
			continue
		}
		have := fmt.Sprintf("%s = % x", list.Lines[0].Text, a.Bytes())
		if want := test.text + " = " + test.code; have != want {
			t.Errorf("have %s\nwant %s", have, want)
		}
	}
}

// TestJumps: jumps and calls in both directions. Distances that no eight bits can hold, and what
// is bound later, take 32; the bytes are those of GNU as.
func TestJumps(t *testing.T) {
	a := New(nil)
	list := a.List()
	far, near, end := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.Bind(far)
	a.Jcc(LE, end)
	a.Jmp(end)
	for range 40 {
		a.RI(ADD, S64, R8, 1)
	}
	a.Bind(near)
	a.Jcc(NE, near)
	a.Jmp(near)
	for range 31 {
		a.RI(SUB, S64, R9, 3)
	}
	a.Jmp(near) // 128 bytes back, and its own two
	a.Jcc(B, near)
	a.Jmp(far)
	a.Jcc(A, far)
	a.Call(far)
	a.Call(end)
	a.RM(LEA, S64, RAX, AtLabel(near))
	a.Bind(end)
	a.None(RET)
	code := finish(t, a)
	if a.Offset(end) != len(code)-1 || a.Offset(far) != 0 {
		t.Errorf("end at %d of %d, start at %d", a.Offset(end), len(code), a.Offset(far))
	}
	checkProgram(t, list, code)
	checkKnown(t, code, 0, "0f 8e 4c 01 00 00 e9 47 01 00 00")
	checkKnown(t, code, a.Offset(near), "75 fe eb fc")
	checkKnown(t, code, a.Offset(near)+4+31*4, "e9 7b ff ff ff 0f 82 75 ff ff ff")
}

// TestShortest: a jump back takes two bytes as far as eight bits reach: 128 bytes, its own two among them.
func TestShortest(t *testing.T) {
	for n := 124; n < 130; n++ {
		a := New(nil)
		list := a.List()
		back := a.NewLabel()
		a.Bind(back)
		for range n {
			a.None(NOP)
		}
		a.Jmp(back)
		if short := a.Len() == n+2; short != (n <= 126) {
			t.Errorf("over %d bytes: %d", n, a.Len()-n)
		}
		checkProgram(t, list, finish(t, a))
	}
}

// checkKnown compares bytes that were taken from GNU as once.
func checkKnown(t *testing.T, code []byte, at int, want string) {
	t.Helper()
	have := fmt.Sprintf("% x", code[at:])
	if !strings.HasPrefix(have, want) {
		t.Errorf("at %#x: have %.60s …, want %s", at, have, want)
	}
}

// checkProgram: GNU as, if installed, makes the same code of the listing.
func checkProgram(t *testing.T, list *Listing, code []byte) {
	t.Helper()
	var lines []string
	for _, line := range list.Lines {
		lines = append(lines, line.Text)
	}
	want, ok := gnuAs(t, lines)
	if !ok {
		t.Log("GNU as is not installed: known bytes alone are compared")
		return
	}
	if have := string(code); have != strings.Join(want, "") {
		t.Errorf("have\n% x\nwant\n% x", have, strings.Join(want, ""))
	}
}

// TestPool: constants stand behind the code, aligned, equal ones once.
func TestPool(t *testing.T) {
	a := New(nil)
	list := a.List()
	row := make([]byte, 64)
	for i := range row {
		row[i] = byte(i)
	}
	one := a.Const32(0x3f800000)
	a.VM(VBROADCASTSS, W256, 1, one)
	at := a.Len()
	a.VVM(VPADDD, W512, 2, 3, a.ConstRow(row, 64))
	at2 := a.Len()
	a.VVMI(VPALIGNR, W128, 2, 3, a.Const128(5, 6), 4)
	at3 := a.Len()
	a.RM(MOV, S64, RAX, a.Const64(77).Plus(4))
	at4 := a.Len()
	wide := a.ConstRow(row, 64)
	if a.Const32(0x3f800000) != one || a.ConstRow(row, 64) != wide {
		t.Error("equal constants have two places")
	}
	if a.ConstRow([]byte{0, 0, 0x80, 0x3f, 9}, 16) == one || a.ConstRow([]byte{0, 0, 0x80, 0x3f}, 16) == one {
		t.Error("other constants, or with another alignment, have the same place")
	}
	code := finish(t, a)
	target := func(end, behind int) int {
		return end + int(int32(binary.LittleEndian.Uint32(code[end-behind-4:])))
	}
	if p := target(at, 0); binary.LittleEndian.Uint32(code[p:]) != 0x3f800000 || p%4 != 0 {
		t.Errorf("the word stands at %d", p)
	}
	if p := target(at2, 0); string(code[p:p+64]) != string(row) || p%64 != 0 {
		t.Errorf("the row stands at %d", p)
	}
	if p := target(at3, 1); code[p] != 5 || code[p+8] != 6 || p%16 != 0 {
		t.Errorf("the pair stands at %d", p)
	}
	checkProgram(t, list, code)
	if p := target(at4, 0) - 4; binary.LittleEndian.Uint64(code[p:]) != 77 || p%8 != 0 {
		t.Errorf("the quadword stands at %d", p)
	}
}

// TestMistakes: what belongs to no instruction is found by Finish or at once; the first mistake stays.
func TestMistakes(t *testing.T) {
	tests := []struct {
		emit func(a *Asm)
		want string
	}{
		{func(a *Asm) { a.Jmp(a.NewLabel()) }, "label .L1 is used at 0x1 and bound nowhere"},
		{func(a *Asm) { a.Jmp(7) }, "jmp to a label that this code does not have"},
		{func(a *Asm) { a.RM(LEA, S64, RAX, AtLabel(9)) }, "an operand at a label that this code does not have"},
		{func(a *Asm) { l := a.NewLabel(); a.Bind(l); a.Bind(l) }, "label .L1 is unknown or bound already"},
		{func(a *Asm) { a.Bind(0) }, "label .L0 is unknown"},
		{func(a *Asm) { a.Masked(K1) }, "that no instruction took"},
		{func(a *Asm) { a.Lock() }, "that no instruction took"},
		{func(a *Asm) { a.ConstRow(nil, 12) }, "an alignment of 12 is no power of two"},
		{func(a *Asm) { a.VV(VADDPS, W128, 1, 2); a.VV(VMULPS, W128, 1, 2) }, "vaddps takes no operands (vector, vector)"},
	}
	for _, test := range tests {
		a := New(nil)
		test.emit(a)
		if _, err := a.Finish(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("have %v, want … %s …", err, test.want)
		}
	}
}

// TestListing: the text of everything, in order, and offsets of the code.
func TestListing(t *testing.T) {
	a := New(nil)
	list := a.List()
	loop := a.NewLabel()
	a.Note("the body")
	a.Bind(loop)
	a.Masked(2).VVM(VPADDD, W512, 1, 3, At(RBX, 64).Bcast())
	a.Round(RU).VVV(VADDPS, W512, 1, 2, 30)
	a.Zeroed(K3).Round(SAE).VVI(VRNDSCALEPS, W512, 4, 5, 9)
	a.Jcc(NE, loop)
	var have []string
	for _, l := range list.Lines {
		have = append(have, fmt.Sprint(l.At, " ", l.Text))
	}
	want := `0 # the body
0 .L1:
0 vpaddd zmm1 {k2}, zmm3, dword ptr [rbx+64]{1to16}
7 vaddps zmm1, zmm2, zmm30, {ru-sae}
13 vrndscaleps zmm4 {k3}{z}, zmm5, {sae}, 9
20 jne .L1`
	if strings.Join(have, "\n") != want {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), want)
	}
	checkProgram(t, list, finish(t, a))
}

// TestAlign: what is put in is executed as few instructions without effect.
func TestAlign(t *testing.T) {
	for n := range 32 {
		a := New(nil)
		for range n {
			a.None(RET)
		}
		a.Align(16)
		if a.Len() != (n+15)&^15 {
			t.Errorf("after %d bytes: %d", n, a.Len())
		}
	}
	var lines []string
	for _, nop := range nops[1:] {
		lines = append(lines, dataText([]byte(nop)))
	}
	if code, ok := gnuAs(t, lines); ok && len(code) != len(lines) {
		t.Errorf("%d instructions, want %d", len(code), len(lines))
	}
}

// TestNeeds: the features that code needs are those of its encodings.
func TestNeeds(t *testing.T) {
	tests := []struct {
		emit func(a *Asm)
		want Feature
	}{
		{func(a *Asm) { a.RR(ADD, S64, RAX, RCX) }, 0},
		{func(a *Asm) { a.RR(TZCNT, S64, RAX, RCX) }, HasBMI1},
		{func(a *Asm) { a.RRR(SHLX, S64, RAX, RCX, RDX) }, HasBMI2},
		{func(a *Asm) { a.VVV(VADDPS, W256, 1, 2, 3) }, HasAVX},
		{func(a *Asm) { a.VVV(VPADDD, W128, 1, 2, 3) }, HasAVX},
		{func(a *Asm) { a.VVV(VPADDD, W256, 1, 2, 3) }, HasAVX2},
		{func(a *Asm) { a.VVV(VPADDD, W256, 1, 2, 17) }, HasAVX512F | HasAVX512VL},
		{func(a *Asm) { a.VVV(VPADDD, W512, 1, 2, 3) }, HasAVX512F},
		{func(a *Asm) { a.VVV(VADDSS, W128, 1, 2, 17) }, HasAVX512F},
		{func(a *Asm) { a.VVV(VPMULLQ, W512, 1, 2, 3) }, HasAVX512DQ},
		{func(a *Asm) { a.VVV(VFMADD231PS, W256, 1, 2, 3) }, HasFMA},
		{func(a *Asm) { a.KKK(KANDD, 1, 2, 3) }, HasAVX512BW},
		{func(a *Asm) { a.VV(VCVTPH2PS, W256, 1, 2); a.VVV(VPAND, W256, 1, 2, 3) }, HasF16C | HasAVX2},
	}
	for i, test := range tests {
		a := New(nil)
		test.emit(a)
		if a.Needs() != test.want || a.Err() != nil {
			t.Errorf("%d: have %v, want %v (%v)", i, a.Needs(), test.want, a.Err())
		}
	}
	if have := (HasAVX2 | HasFMA).String(); have != "AVX2 FMA" {
		t.Errorf("have %q", have)
	}
}

// TestNoAllocation: once buffers have grown, assembling allocates nothing.
func TestNoAllocation(t *testing.T) {
	a := New(make([]byte, 0, 4096))
	if n := testing.AllocsPerRun(50, func() { a.Reset(); body(a); finish(t, a) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// body assembles six instructions of a loop as the JIT makes them.
func body(a *Asm) {
	l := a.NewLabel()
	a.Bind(l)
	a.VVV(VPADDD, W512, 1, 2, 19)
	a.VVM(VADDPS, W256, 3, 4, At(RDI, 256))
	a.Masked(K3).VVM(VPMULLD, W512, 5, 6, AtIndex(RDI, RCX, 4, 64).Bcast())
	a.MV(VMOVDQU32, W512, At(RDI, 1024), 7)
	a.RI(SUB, S64, RAX, 1)
	a.Jcc(NE, l)
}

// BenchmarkAssemble measures one instruction.
func BenchmarkAssemble(b *testing.B) {
	a := New(make([]byte, 0, 1<<16))
	b.ReportAllocs()
	for i := 0; i < b.N; i += 6 {
		if a.Len() > 1<<15 {
			a.Reset()
		}
		body(a)
	}
	if a.Err() != nil {
		b.Fatal(a.Err())
	}
}
