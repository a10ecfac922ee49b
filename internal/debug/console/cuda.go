package console

// This file shows the machine: info cuda.

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/quote"
)

func cudaSubjects() []subject {
	shows := func(show func(c *Console, p *machine.Pause) error) func(*Console, string) error {
		return func(c *Console, _ string) error {
			p := c.Session.Pause()
			if p == nil {
				return debug.ErrNotRunning
			}
			return show(c, p)
		}
	}
	return []subject{
		{"async", shows((*Console).cudaAsync)},
		{"barriers", shows((*Console).cudaBarriers)},
		{"blocks", shows((*Console).cudaBlocks)},
		{"clusters", shows((*Console).cudaClusters)},
		{"divergence", shows((*Console).cudaDivergence)},
		{"images", shows((*Console).cudaImages)},
		{"kernels", shows((*Console).cudaKernels)},
		{"lanes", shows((*Console).cudaLanes)},
		{"mbarriers", shows((*Console).cudaMbarriers)},
		{"threads", shows((*Console).cudaThreads)},
		{"tmem", shows((*Console).cudaTensor)},
		{"warps", shows((*Console).cudaWarps)},
	}
}

func (c *Console) infoCuda(args string) error {
	if args == "" {
		return fmt.Errorf("info cuda: want %s.", strings.Join(infoWords([]string{"cuda"}), ", "))
	}
	return choose(c, cudaSubjects(), args, "info cuda")
}

// block is the CTA in focus.
func (c *Console) block(p *machine.Pause) (*machine.CTA, error) {
	scope, err := c.Session.Scope()
	if err != nil {
		return nil, err
	}
	return scope.Warp.CTA(), nil
}

// mark is * for what is in focus.
func mark(focus bool) string {
	if focus {
		return "*"
	}
	return " "
}

// at is where a pc of a frame stands.
func (c *Console) at(f *machine.Frame, pc int32) string {
	l, _ := c.Session.Code.Locate(debug.PlaceOf(f, pc))
	return quote.Place(l.Line())
}

func (c *Console) cudaKernels(p *machine.Pause) error {
	l := p.Warp.Launch()
	c.printf("  Kernel GridDim BlockDim Cluster Blocks Invocation\n")
	c.printf("* %6d %s %s %s %6d %s\n", 0, point(l.Grid), point(l.Block), point(l.Cluster), len(p.CTAs()), diag.Escape(c.Session.Kernel().Base()))
	return nil
}

func (c *Console) cudaClusters(p *machine.Pause) error {
	c.printf("  Cluster of blocks\n")
	seen := map[*machine.CTA]bool{}
	for _, b := range p.CTAs() {
		first := b.Peers()[0]
		if seen[first] {
			continue
		}
		seen[first] = true
		var ids []string
		focus := false
		for _, peer := range b.Peers() {
			ids = append(ids, point(peer.ID()))
			focus = focus || peer.ID() == c.Session.Focus().CTA
		}
		c.printf("%s %s\n", mark(focus), strings.Join(ids, " "))
	}
	return nil
}

func (c *Console) cudaBlocks(p *machine.Pause) error {
	c.printf("  BlockIdx Warps Living\n")
	for _, b := range p.CTAs() {
		living := 0
		for _, w := range b.Warps() {
			if w.Live != 0 {
				living++
			}
		}
		c.printf("%s %s %5d %6d\n", mark(b.ID() == c.Session.Focus().CTA), point(b.ID()), len(b.Warps()), living)
	}
	return nil
}

func (c *Console) cudaWarps(p *machine.Pause) error {
	b, err := c.block(p)
	if err != nil {
		return err
	}
	c.printf("  Wp Living   Fragments Where\n")
	for _, w := range b.Warps() {
		var words []string
		list := p.Fragments(w)
		for i := range list {
			words = append(words, fmt.Sprintf("%08x %s%s", list[i].Lanes, c.at(list[i].Frame, list[i].PC), waiting(&list[i])))
		}
		if len(words) == 0 {
			words = []string{"has ended"}
		}
		c.printf("%s %2d %08x %9d %s\n", mark(w.Index() == c.Session.Focus().Warp), w.Index(), w.Live, len(list), strings.Join(words, ", "))
	}
	return nil
}

// waiting says in a word whether a fragment can run.
func waiting(f *machine.FragmentState) string {
	if f.Reason != "" {
		return " waits"
	}
	return ""
}

func (c *Console) cudaLanes(p *machine.Pause) error {
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	c.printf("  Ln State    ThreadIdx Where\n")
	list := p.Fragments(scope.Warp)
	for m := scope.Warp.Lanes(); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		state, where := "exited", "-"
		for i := range list {
			if f := &list[i]; f.Lanes>>lane&1 != 0 {
				where = c.at(f.Frame, f.PC)
				switch state = "ready"; {
				case f.Running:
					state = "active"
				case f.Reason != "":
					state = "waiting"
				}
			}
		}
		c.printf("%s %2d %-8s %9s %s\n", mark(lane == scope.Lane), lane, state, point(scope.Warp.Thread(lane)), where)
	}
	return nil
}

// cudaThreads shows the threads of the block in runs that stand at one place.
func (c *Console) cudaThreads(p *machine.Pause) error {
	b, err := c.block(p)
	if err != nil {
		return err
	}
	c.printf("  BlockIdx ThreadIdx To BlockIdx ThreadIdx Count Where\n")
	var from, to [3]uint32
	count, place := 0, ""
	flush := func() {
		if count > 0 {
			c.printf("  %s %s %s %s %5d %s\n", point(b.ID()), point(from), point(b.ID()), point(to), count, place)
		}
		count = 0
	}
	for _, w := range b.Warps() {
		list := p.Fragments(w)
		for lane := range bits.OnesCount32(w.Lanes()) {
			where := "exited"
			for i := range list {
				if list[i].Lanes>>lane&1 != 0 {
					where = c.at(list[i].Frame, list[i].PC)
				}
			}
			if where != place {
				flush()
				from, place = w.Thread(lane), where
			}
			to = w.Thread(lane)
			count++
		}
	}
	flush()
	return nil
}

func (c *Console) cudaBarriers(p *machine.Pause) error {
	b, err := c.block(p)
	if err != nil {
		return err
	}
	list := b.Barriers()
	if len(list) == 0 {
		c.printf("No warp waits at a barrier of block %s.\n", point(b.ID()))
		return nil
	}
	c.printf("  Barrier Arrived Expected Warps that wait\n")
	for _, s := range list {
		name := fmt.Sprint(s.ID)
		if s.ID == barriers.OfCluster {
			name = "cluster"
		}
		var words []string
		for m := s.Waiting; m != 0; m &= m - 1 {
			words = append(words, fmt.Sprint(bits.TrailingZeros64(m)))
		}
		for _, g := range s.Gathering {
			words = append(words, fmt.Sprintf("%d (lanes %08x have come, %08x have not)", g.Warp, g.Lanes, g.Missing))
		}
		c.printf("  %7s %7d %8d %s\n", name, s.Arrived, s.Expected, strings.Join(words, " "))
	}
	return nil
}

func (c *Console) cudaMbarriers(p *machine.Pause) error {
	b, err := c.block(p)
	if err != nil {
		return err
	}
	list := b.Mbarriers()
	if len(list) == 0 {
		c.printf("Block %s has no mbarriers.\n", point(b.ID()))
		return nil
	}
	c.printf("  Address  Phase Pending Expected Tx-count Name\n")
	for _, m := range list {
		c.printf("  %#-8x %5d %7d %8d %8d %s\n", m.Addr, m.Phase, m.Pending, m.Expected, m.Tx, diag.Escape(c.Session.SharedName(m.Addr)))
		for _, w := range b.Warps() {
			for _, f := range p.Fragments(w) {
				if o := f.Object; o != nil && o.Addr == m.Addr && o.CTA == b.ClusterRank() {
					c.printf("      warp %d lanes %08x wait for phase %d at %s\n", w.Index(), f.Lanes, o.Phase, c.at(f.Frame, f.PC))
				}
			}
		}
	}
	return nil
}

// cudaTensor shows what is allocated of tensor memory, and by which instruction.
func (c *Console) cudaTensor(p *machine.Pause) error {
	b, err := c.block(p)
	if err != nil {
		return err
	}
	list := slices.Collect(b.Tensor().Allocations())
	if len(list) == 0 {
		c.printf("Block %s has allocated no tensor memory.\n", point(b.ID()))
		return nil
	}
	c.printf("  Columns    Address    Allocated by\n")
	for _, a := range list {
		made := a.Made.(machine.Place)
		l, _ := c.Session.Code.Locate(debug.Place{Func: made.Func.Name, PC: made.PC})
		c.printf("  %3d to %3d %#-10x %s: %s\n", a.Column, a.Column+a.Columns-1, a.Column, quote.Place(l.Line()), diag.Escape(l.Text))
	}
	return nil
}

func (c *Console) cudaImages(*machine.Pause) error {
	list := c.Session.Images()
	if len(list) == 0 {
		c.printf("There are no textures, surfaces and samplers.\n")
	}
	for _, im := range list {
		c.printf("%#x  %s\n", im.Handle, diag.Escape(im.Text))
	}
	return nil
}

// maxExtents bounds what is shown of an operation.
const maxExtents = 8

func (c *Console) cudaAsync(p *machine.Pause) error {
	b, err := c.block(p)
	if err != nil {
		return err
	}
	list := b.OpenOps(maxExtents)
	if len(list) == 0 {
		c.printf("Block %s has no open asynchronous operations.%s\n", point(b.ID()), eager(p))
		return nil
	}
	for i := range list {
		op := &list[i]
		l, _ := c.Session.Code.Locate(debug.Place{Func: op.Func.Name, PC: op.PC})
		c.printf("  warp %d lanes %08x %s: %s (%s)\n", op.Warp, op.Lanes, quote.Place(l.Line()), diag.Escape(l.Text), op.Done)
		for _, t := range op.Touches {
			c.printf("      %ss %s %#x to %#x\n", t.Kind, t.Space, t.From, t.To)
		}
	}
	return nil
}

// eager says why there may be none.
func eager(p *machine.Pause) string {
	if p.Warp.Launch().Async == queue.Eager {
		return " They happen as they are issued; --async lazy or random lets them wait."
	}
	return ""
}

// cudaDivergence shows which lanes of the warp are where, why they wait and for whom, and where they meet again.
func (c *Console) cudaDivergence(p *machine.Pause) error {
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	list := p.Fragments(scope.Warp)
	if len(list) == 1 {
		c.printf("All %d living lanes of warp %d stand together.\n", bits.OnesCount32(scope.Warp.Live), scope.Warp.Index())
	}
	for i := range list {
		f := &list[i]
		l, _ := c.Session.Code.Locate(debug.PlaceOf(f.Frame, f.PC))
		c.printf("%s lanes %08x  %s  %s\n    %s\n", mark(f.Lanes>>scope.Lane&1 != 0), f.Lanes, quote.Place(l.Line()), diag.Escape(l.Text), c.Session.Doing(f))
		if m := f.Meets; m != nil && m.PC >= 0 {
			c.printf("    meet at %s: %08x of %08x are there\n", c.at(m.Frame, m.PC), m.There, m.Lanes)
		} else if m != nil {
			c.printf("    meet nowhere by the structure of the code: lanes %08x\n", m.Lanes)
		}
	}
	return nil
}
