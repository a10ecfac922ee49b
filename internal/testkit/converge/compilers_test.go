package converge

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

var (
	byEach    = flag.Int("converge.each", 40, "kernels of TestEach")
	compilers = flag.String("converge.by", "old,new", "TestEach: compilers: old, new, c")
)

// NewWhole draws the kernel of a seed, every other one of them plain, for blocks of whole warps, as the new pipeline wants them.
func NewWhole(seed uint64) *Kernel {
	if seed%2 == 0 {
		return NewPlain(seed)
	}
	k := New(seed)
	k.Threads = max(k.Threads/32, 1) * 32
	k.Columns = k.Threads
	return k
}

// TestEach holds the new pipeline by each width, and by one the old compiler and what goes through C, to the oracle and to the interpreter: what
// kernels write and, if they have votes alone and are the new pipeline's, in how many steps. Lanes that complete an operation for which others
// wait elsewhere go on beside these up to where code leaves or branches, and may pass the place where both ways meet (RATIONALE.md, functions
// put in place): kernels of other operations wait so in both arms of branches.
func TestEach(t *testing.T) {
	rig.NeedJIT(t)
	list := strings.Split(*compilers, ",")
	n := &tally{refusals: map[string]int{}}
	for s := *seed; s < *seed+uint64(*byEach); s++ {
		k := NewWhole(s)
		if err := k.byEach(s, list, n); err != nil {
			t.Errorf("seed %d: %v", s, err)
			k.Shrink(func() bool { return k.Threads%32 == 0 && differs(k.byEach(s, list, n)) })
			t.Errorf("seed %d, least kernel: %v\n%s", s, k.byEach(s, list, n), k)
		}
	}
	t.Logf("%d kernels and compilers do the same in other steps", n.otherwise)
	if !slices.Contains(list, "new") {
		return
	}
	t.Logf("the new pipeline takes %d of %d kernels and widths, and has %d of %d lane operations of these",
		n.taken, n.taken+n.refused(), n.compiled, n.laneOps)
	if n.taken < n.refused() || n.compiled*8 < n.laneOps {
		t.Error("that is too few")
	}
}

// byEach holds a kernel to the interpreter by each compiler of a list. The verifier, a third of the time, looks at one kernel in four.
func (k *Kernel) byEach(seed uint64, list []string, n *tally) error {
	r, err := k.interpreted()
	if err != nil {
		return err
	}
	for _, v := range jit.Runnable() {
		for _, by := range list {
			if by != "new" && v != vectors(seed) {
				continue
			}
			c, at := wayOf(seed), n
			c.Own = by == "new"
			o := n.options(&c, v, seed%4 == 0)
			if n.lastError = nil; by == "old" {
				o, c.Turn, at = jit.ThroughC(o, nil), 0, &tally{}
			}
			err := k.held(r, o, seed, c.Turn != 0, at)
			if exact := k.Plain && seed%4 != 0 && by != "old"; !exact && errors.Is(err, errSteps) {
				n.otherwise++
			} else if err != nil {
				return fmt.Errorf("%w: by the %s compiler, %v", err, by, v)
			}
		}
	}
	return nil
}

// reference is what the interpreter makes of a kernel.
type reference struct {
	m      *ptxvm.Module
	want   *Result
	counts ptxvm.Stats
}

// interpreted holds the interpreter to the oracle.
func (k *Kernel) interpreted() (r *reference, err error) {
	r = &reference{}
	if r.m, err = ptxvm.Compile("kernel.ptx", []byte(k.String()), nil); err != nil {
		return nil, err
	}
	if r.want, r.counts, err = k.counted(r.m, Way{Engine: ptxvm.Interp, Workers: 1}, 1); err != nil {
		return nil, err
	}
	if what := k.differs(k.Evaluate(), r.want); what != "" {
		return nil, fmt.Errorf("interpreted: %s", what)
	}
	return r, nil
}

// held holds compiled code to the interpreter. With little fuel lanes whose turn is over give way to others: they meet elsewhere, in other
// numbers of steps. So do functions that stand in place of their calls: RATIONALE.md has what differs.
func (k *Kernel) held(r *reference, o jit.Options, seed uint64, turn bool, n *tally) error {
	have, got, err := k.counted(r.m, Way{Engine: ptxvm.JIT, Options: o, Workers: 1 + int(seed/6%2)}, 3)
	if err != nil {
		return fmt.Errorf("DIFFERS: %w", err)
	}
	if what := k.differs(r.want, have); what != "" {
		return errors.New("DIFFERS: " + what)
	}
	if n.lastError != nil {
		return nil
	}
	n.compiled, n.laneOps = n.compiled+got.Compiled, n.laneOps+got.LaneOps
	calls := map[*Func]bool{}
	if callsOf(k.Nodes, calls); turn || len(calls) > 0 {
		return nil
	}
	return sameCounts(&got, &r.counts)
}
