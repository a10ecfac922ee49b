package decode

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// diamonds is a kernel that calls a function of so many branches, whose registers are the same for all lanes.
func diamonds(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.6\n.target sm_90\n.address_size 64\n.func f() {\n.reg .b32 %%r<%d>; .reg .pred %%p;\nmov.u32 %%r0, %%ctaid.x;\n", n+1)
	for i := range n {
		fmt.Fprintf(&b, "add.u32 %%r%d, %%r%d, 1; setp.eq.u32 %%p, %%r%d, 3; @%%p bra M%d; add.u32 %%r%d, %%r%d, 5; M%d:\n", i+1, i, i, i, i+1, i+1, i)
	}
	return b.String() + "ret;\n}\n.visible .entry k() {\ncall f;\nret;\n}\n"
}

// TestCallsWithManyBranches: what the machine clears for a call, and looks at when lanes part, does not grow with the
// branches of the function.
func TestCallsWithManyBranches(t *testing.T) {
	cleared := func(n int) uint32 {
		m := module(t, "k.ptx", diamonds(n))
		d := New(m, &onDevice{m: m})
		p, err := d.Kernel(m.Func("k"), ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1}, sizes.Of(90), 0, assume.Set{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Entry.Split {
			if ext := p.Entry.Split[i].Ext; ext != nil && ext.Call != nil {
				f := ext.Call.Callee
				if len(f.Scalars) < n {
					t.Fatalf("%d scalars of %d branches", len(f.Scalars), n)
				}
				return f.RegBytes - (f.SlotsEnd - f.Slots)
			}
		}
		t.Fatal("no call")
		return 0
	}
	if few, many := cleared(10), cleared(2000); many > few+blockAlign {
		t.Errorf("a call clears %d bytes with 10 branches, %d with 2,000", few, many)
	}
}
