package specials

import (
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// TestSpecialTable demands a line for every special register of the ISA, or a reason.
func TestSpecialTable(t *testing.T) {
	none := map[string]bool{ // refused by name before anything runs
		"%reserved_smem_offset_0": true, "%reserved_smem_offset_1": true,
		"%perctamemoryoffset": true, "%perctamemorysize": true,
	}
	known := map[string]bool{}
	for _, s := range isa.Specials() {
		known[s.String()] = true
		if got := ClassOf(s) == None; got != none[s.String()] {
			t.Errorf("%s: missing %v, want %v", s, got, none[s.String()])
		}
	}
	for _, line := range table {
		if !known[line.name] {
			t.Errorf("%s is no special register", line.name)
		}
	}
}

// still is a warp at which nothing moves.
type still struct {
	launch Launch
	cta    CTA
}

func (s *still) Launch() *Launch { return &s.launch }
func (s *still) CTA() CTA        { return s.cta }
func (*still) Warp() int32       { return 1 }
func (*still) Clock() uint64     { return 5 }
func (*still) Timer() uint64     { return 1<<40 + 5 }

func named(t *testing.T, name string) isa.Special {
	t.Helper()
	id, ok := isa.LookupSpecial(name)
	if !ok {
		t.Fatal(name)
	}
	return id
}

// TestFill: a register of each class comes into the block as it is read, lane by lane where lanes differ.
func TestFill(t *testing.T) {
	w := &still{cta: CTA{ID: [3]uint32{3, 1, 0}, Rank: 7, ClusterRank: 1}}
	w.launch.Shape = shape.Shape{Grid: [3]uint32{4, 2, 1}, Block: [3]uint32{33, 2, 1}, Cluster: [3]uint32{2, 1, 1}}
	w.launch.Target, w.launch.Shared, w.launch.Params = sizes.Of(90), 200, 0x7000
	memory := make([]uint64, 64)
	b := regs.Block{P: unsafe.Pointer(&memory[0]), N: 512}
	for _, c := range []struct {
		ref  Ref
		want func(lane int) uint32
	}{
		{Ref{Reg: named(t, "%tid"), Add: 2}, func(i int) uint32 { return uint32(32+i)%33 + 2 }},
		{Ref{Reg: named(t, "%tid"), Comp: 1}, func(i int) uint32 { return min(uint32(i), 1) }},
		{Ref{Reg: named(t, "%ctaid")}, func(int) uint32 { return 3 }},
		{Ref{Reg: named(t, "%clusterid")}, func(int) uint32 { return 1 }},
		{Ref{Reg: named(t, "%cluster_ctaid")}, func(int) uint32 { return 1 }},
		{Ref{Reg: named(t, "%aggr_smem_size")}, func(int) uint32 { return 1280 }},
		{Ref{Reg: SharedBase, Add: 8}, func(int) uint32 { return 1<<24 + 8 }},
		{Ref{Reg: KernelParams, Add: 4}, func(int) uint32 { return 0x7004 }},
		{Ref{Reg: named(t, "%warpid")}, func(int) uint32 { return 1 }},
	} {
		c.ref.Width = regs.Row32
		c.ref.Fill(b, w)
		for i, got := range b.Row32(0) {
			if got != c.want(i) {
				t.Errorf("%v.%d of lane %d: %#x, want %#x", c.ref.Reg, c.ref.Comp, i, got, c.want(i))
			}
		}
		if !c.ref.HeldBy(b, w) {
			t.Errorf("%v is not found where it was written", c.ref.Reg)
		}
		if c.ref.Add++; c.ref.HeldBy(b, w) {
			t.Errorf("%v is found where something else is", c.ref.Reg)
		}
	}
}

// TestReadOwn: the number of a launch and the place of its parameters are its own.
func TestReadOwn(t *testing.T) {
	tid, grid := Ref{Reg: named(t, "%tid")}, Ref{Reg: named(t, "%gridid")}
	if ReadOwn([]Ref{tid, {Reg: SharedBase}}) || !ReadOwn([]Ref{tid, grid}) || !ReadOwn([]Ref{{Reg: KernelParams}}) {
		t.Error("what is a launch's own is not told from what launches share")
	}
}
