package ssa

import "testing"

// TestIndex: an operation is made once, whatever the table has to grow by, and one that differs in any field is another.
func TestIndex(t *testing.T) {
	f := New("f", 32)
	const n = 5000
	first := make([]Value, n)
	for i := range first {
		first[i] = f.Const(X, uint64(i)<<32)
	}
	made := len(f.Ops)
	for i, v := range first {
		if again := f.Const(X, uint64(i)<<32); again != v {
			t.Fatalf("constant %d is v%d, then v%d", i, v, again)
		}
	}
	if len(f.Ops) != made || made != n+1 {
		t.Errorf("%d operations, then %d, of %d constants", made, len(f.Ops), n)
	}
	o := Op{Code: Add, Type: W, N: 2, A: 1, B: 2, C: 3, Copy: 4, Imm: 5}
	var x index
	ops := []Op{{}, o}
	x.add(ops, 1)
	for _, change := range []func(*Op){
		func(*Op) {}, func(o *Op) { o.Code = Sub }, func(o *Op) { o.Type = X }, func(o *Op) { o.A = 9 }, func(o *Op) { o.B = 9 },
		func(o *Op) { o.C = 9 }, func(o *Op) { o.Copy = 9 }, func(o *Op) { o.Imm = 9 }, func(o *Op) { o.N = 3 },
	} {
		other := o
		change(&other)
		if found := x.find(ops, &other); (found == 1) != (other == o) {
			t.Errorf("%+v is v%d", other, found)
		}
	}
}
