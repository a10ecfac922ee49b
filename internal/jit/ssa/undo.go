package ssa

// Mark is how far a function has been made.
type Mark struct{ ops, blocks, checks, states, copies, copy int }

// Mark notes how far it has been made so far.
func (f *Func) Mark() Mark {
	return Mark{len(f.Ops), len(f.Blocks), len(f.Checks), len(f.States), len(f.Copies), int(f.Copy)}
}

// Undo takes back all that was made since a mark. Nothing that was there may lead to a block that goes, or use a value.
func (f *Func) Undo(m Mark) {
	f.Ops, f.Info, f.Blocks, f.Checks, f.States = f.Ops[:m.ops], f.Info[:m.ops], f.Blocks[:m.blocks], f.Checks[:m.checks], f.States[:m.states]
	f.Copies, f.Copy = f.Copies[:m.copies], uint16(m.copy)
	f.index = index{}
	for v := range f.Ops {
		if f.Ops[v].Code > Result {
			f.index.add(f.Ops, Value(v))
		}
	}
}
