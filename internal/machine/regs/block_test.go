package regs

import (
	"testing"
	"unsafe"
)

// newBlock returns a block of n bytes.
func newBlock(n int) Block {
	words := make([]uint64, n/8)
	return Block{unsafe.Pointer(unsafe.SliceData(words)), uint32(n)}
}

// TestBlock: what is put or filled in each shape is there, and read as a register.
func TestBlock(t *testing.T) {
	b := newBlock(1024)
	b.FillConsts([]ConstRow{{0, Row32, 7}, {128, Row64, 1 << 40}, {384, Slot64, 9}, {392, Pred, 1}})
	for _, c := range []ConstRow{{0, Row32, 7}, {128, Row64, 1 << 40}, {384, Slot64, 9}, {392, Pred, 1}} {
		if !b.Holds(c.Off, c.Width, c.Value) || b.Holds(c.Off, c.Width, c.Value^1) {
			t.Errorf("%+v is not there, or all is", c)
		}
	}
	if !b.Put(0, Row32, 31, 5) || !b.Put(128, Row64, 3, 1<<41) || !b.Put(392, Pred, 4, 0) || b.Put(384, Slot64, 0, 10) {
		t.Error("rows and predicates have a place for each lane, slots one for all")
	}
	if r := b.Register(Row{Off: 0, Width: Row32}); r.Low[30] != 7 || r.Low[31] != 5 {
		t.Errorf("32 bits: %v", r.Low)
	}
	if r := b.Register(Row{Off: 128, Width: Row64}); r.Low[2] != 1<<40 || r.Low[3] != 1<<41 {
		t.Errorf("64 bits: %v", r.Low)
	}
	if r := b.Register(Row{Off: 392, Width: Pred}); r.Low[3] != 1 || r.Low[4] != 0 {
		t.Errorf("a predicate: %v", r.Low)
	}
	if any := b.Any([]uint32{384}, []uint32{396}); any != 10 {
		t.Errorf("slots and words together are %#x", any)
	}
	if b.ClearFrom(384, 8); b.Any([]uint32{384}, nil) != 0 || b.Bytes()[0] != 7 {
		t.Error("more or less than a slot is cleared")
	}
}

// TestScalars: a scalar in rows comes back, and lanes agree on it until one differs.
func TestScalars(t *testing.T) {
	b := newBlock(1024)
	for _, s := range []Scalar{{Slot: 512, Row: 0, Width: Row32, Stride: 4}, {Slot: 520, Row: 128, Width: Row64, Stride: 1 << 33}, {Slot: 528, Row: 536, Width: Row32}} {
		const lanes = 0xf0f0
		*b.Slot(s.Slot) = 100
		if b.Spread(&s, lanes); b.Scalar(&s, lanes) != 100 || !b.Agree(&s, lanes) {
			t.Errorf("%+v: %d", s, b.Scalar(&s, lanes))
		}
		if b.Put(s.Row, s.Width, 15, 1); b.Agree(&s, lanes) {
			t.Errorf("%+v: a lane differs", s)
		}
	}
	p := Scalar{Row: 600, Width: Pred}
	if *b.Word(600) = 0xf; !b.Agree(&p, 3) || !b.Agree(&p, 0xf0) || b.Agree(&p, 0x18) {
		t.Error("a predicate is one where it holds in all lanes, or in none")
	}
}

// TestOverlaps compares rows with their bytes.
func TestOverlaps(t *testing.T) {
	wide := Row{Off: 0, Width: Row64, Wide: true}
	for _, c := range []struct {
		r    Row
		want bool
	}{{Row{Off: 508, Width: Pred}, true}, {Row{Off: 512, Width: Row32}, false}, {Row{Off: 256, Width: Row64}, true}} {
		if c.r.Overlaps(&wide) != c.want || wide.Overlaps(&c.r) != c.want {
			t.Errorf("%+v: want %v", c.r, c.want)
		}
	}
}
