package x86

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestPiece: code that is copied with other numbers, behind other code and before its pool, is what would have been
// assembled there.
func TestPiece(t *testing.T) {
	const place, constant, wide = 0x13500000, 0x65000000, 0x7a5a5a5a5a5a5a00
	body := func(a *Asm, place, constant int32, wide uint64, other Label) {
		again := a.NewLabel()
		a.Bind(again)
		a.VM(VMOVUPS, W256, 9, At(RSI, place+32))
		a.VVM(VPADDD, W256, 9, 9, a.ConstRow([]byte{31: 7}, 32))
		a.MV(VMOVUPS, W256, At(RSI, place), 9)
		a.RI(ADD, S64, RCX, constant)
		a.RI(AND, S32, RCX, 0x7fffffff)
		a.MovImm(RDX, wide)
		a.MI(MOV, S32, At(RSI, place), constant)
		a.Jcc(E, other)
		a.Jmp(again)
	}
	var a Asm
	marked := []int64{place, place + 32, constant, wide}
	a.MarkIf(func(v int64) bool { return slices.Contains(marked, v) })
	other := a.NewLabel()
	body(&a, place, constant, wide, other)
	p, err := a.Piece()
	if err != nil || len(p.Outside) != 1 || len(p.Pooled) != 1 || len(p.Marks) != 6 || p.Align != 32 {
		t.Fatalf("%+v, %v", p, err)
	}
	a.Reset()
	const place2, constant2, wide2 = 0x2345600, 0x1234567, 0x123456789abcdef0
	other = a.NewLabel()
	a.Jmp(other)
	start := a.Len()
	body(&a, place2, constant2, wide2, other)
	a.Bind(other)
	a.None(RET)
	end := a.Len()
	want, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	pool := (end + 31) &^ 31
	for _, m := range p.Marks {
		switch v := p.Code[m.At:]; {
		case m.Wide:
			binary.LittleEndian.PutUint64(v, wide2)
		case m.Value == constant:
			binary.LittleEndian.PutUint32(v, constant2)
		default:
			binary.LittleEndian.PutUint32(v, uint32(m.Value-place+place2))
		}
	}
	for _, at := range p.Pooled {
		v := p.Code[at:]
		binary.LittleEndian.PutUint32(v, binary.LittleEndian.Uint32(v)+uint32(pool-start))
	}
	o := p.Outside[0]
	if o.Label != other {
		t.Errorf("a distance to %v, want %v", o.Label, other)
	}
	binary.LittleEndian.PutUint32(p.Code[o.At:], uint32(end-1-start-int(o.At)-4))
	if got := want[start : end-1]; !slices.Equal(p.Code, got) {
		t.Errorf("the copy is\n% x, want\n% x", p.Code, got)
	}
	if !slices.Equal(p.Pool, want[pool:]) {
		t.Errorf("the pool is % x, want % x", p.Pool, want[pool:])
	}
}
