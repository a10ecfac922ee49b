package isel

import "testing"

// TestRoom: what is taken is zero and no one else's, also where it was used before, and also of more than a block has.
func TestRoom(t *testing.T) {
	r := &Room[int]{}
	for range 3 {
		var all [][]int
		for _, n := range []int{1, 200, 100, 3*roomBlock + 1, 0, 17} {
			list := r.Take(n)
			if len(list) != n || cap(list) != n {
				t.Fatalf("%d of %d, wanted %d", len(list), cap(list), n)
			}
			for i, x := range list {
				if list[i] = len(all) + 1; x != 0 {
					t.Fatalf("it is %d where it was taken", x)
				}
			}
			all = append(all, list)
		}
		for k, list := range all {
			for _, x := range list {
				if x != k+1 {
					t.Fatalf("list %d has what list %d was given", k, x-1)
				}
			}
		}
		r.Reset()
	}
}

// TestFree: a function that has another's memory has nothing of it.
func TestFree(t *testing.T) {
	for range 3 {
		f := New("f")
		if f.NumRegs() != 1 || len(f.Blocks) != 0 {
			t.Fatalf("%d registers, %d blocks", f.NumRegs(), len(f.Blocks))
		}
		k, v := f.Constant(Vector, Const{1}), f.NewReg(Vector)
		if f.Constant(Vector, Const{1}) != k || !f.IsConst(k) || f.IsConst(v) {
			t.Fatal("a constant is none, or twice")
		}
		b := f.NewBlock(0, false)
		i := f.NewInst(nil, v, k)
		if i.Fold != 0 || i.To != nil || i.gone || len(i.Temps)+len(i.Args) != 0 {
			t.Fatalf("%+v", i)
		}
		i.Fold, i.To, i.gone, i.Temps = 1, b, true, f.List(v)
		b.Insts = append(b.Insts, i)
		f.Add(b)
		f.Free()
	}
}
