package race

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

var (
	programs = flag.Int("programs", 600, "random programs to compare with the reference")
	seed     = flag.Uint64("seed", 1, "of the first random program")
)

// TestRandom compares the detector with the reference, access by access, on random interleavings of accesses, fences
// and barriers.
func TestRandom(t *testing.T) {
	races, lines := 0, 0
	for i := range *programs {
		s := *seed + uint64(i)
		n, m, err := compare(s)
		if err != nil {
			t.Fatalf("program %d: %v", s, err)
		}
		races, lines = races+n, lines+m
	}
	t.Logf("%d programs, %d events race, %d lines were one record", *programs, races, lines)
	if races == 0 || lines == 0 {
		t.Error("no program has a race, or an access of a line")
	}
}

// pairing runs one program through both detectors.
type pairing struct {
	rand  *rand.Rand
	d     *Detector
	n     *naive
	raced bool
	lines int // accesses of lines that were looked at as a whole
	ended [ctas * warps]uint32
	log   []string
}

func compare(seed uint64) (races, lines int, err error) {
	p := &pairing{rand: rand.New(rand.NewPCG(seed, 7))}
	lockstep := p.rand.IntN(8) == 0
	p.d = New(Shape{Cluster: func(c uint64) uint64 { return c / 2 }, CTAs: ctas, Warps: warps, Lockstep: lockstep, Clusters: true}, func(Race) { p.raced = true })
	p.n = &naive{releases: map[int][]naiveRelease{}, lockstep: lockstep}
	for c := range uint64(ctas) {
		p.d.Begin(c)
	}
	for range 20 + p.rand.IntN(100) {
		got, want := p.step()
		if want {
			races++
		}
		if got != want {
			return races, p.lines, fmt.Errorf("race: got %v, want %v, after\n%v", got, want, p.log)
		}
	}
	return races, p.lines, nil
}

// step executes one random event in both; what it returns differs only for accesses.
func (p *pairing) step() (got, want bool) {
	t := p.rand.IntN(ctas*warps)*lanes + p.rand.IntN(3)
	if p.ended[warpOf(t)]>>(t%lanes)&1 != 0 {
		return false, false
	}
	switch p.rand.IntN(15) {
	case 0:
		p.fence(t)
	case 1:
		p.ctaBarrier(ctaOf(t))
	case 2:
		p.warpBarrier(warpOf(t))
	case 3:
		p.clusterBarrier(ctaOf(t) / 2)
	case 4, 5, 6:
		if p.ended[warpOf(t)] == 0 {
			return p.line(warpOf(t))
		}
	case 7:
		if p.ended[warpOf(t)] == 0 {
			return p.broadcast(warpOf(t))
		}
	case 8:
		p.exit(t)
	default:
		return p.access(t)
	}
	return false, false
}

func (p *pairing) note(format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf(format, args...)+"\n")
}

func (p *pairing) scope() model.Scope {
	return []model.Scope{model.CTAScope, model.ClusterScope, model.GPUScope, model.SysScope}[p.rand.IntN(4)]
}

// exit ends a lane, or all that are left of its warp. From then on it counts as arrived at every barrier.
func (p *pairing) exit(t int) {
	w, who := warpOf(t), uint32(1)<<(t%lanes)
	if p.rand.IntN(3) == 0 {
		who = p.live(w)
	}
	p.note("exit warp %d lanes %x", w, who)
	p.ended[w] |= who
	p.d.LanesEnd(uint64(w/warps), w%warps, who, p.live(w))
}

// live is the lanes of a warp that have not ended.
func (p *pairing) live(w int) uint32 { return ^p.ended[w] }

// fence lets one to all lanes of a warp execute a fence.
func (p *pairing) fence(t int) {
	order, scope := []model.Order{model.AcquireOrder, model.ReleaseOrder, model.AcqRel, model.SeqCst}[p.rand.IntN(4)], p.scope()
	who := uint32(1) << (t % lanes)
	if p.rand.IntN(2) == 0 {
		who = p.live(warpOf(t))
	}
	p.note("fence warp %d lanes %x order %d scope %d", warpOf(t), who, order, scope)
	p.d.Fence(uint64(ctaOf(t)), warpOf(t)%warps, who, order, scope)
	for l := range lanes {
		if who>>l&1 != 0 {
			p.n.fence(warpOf(t)*lanes+l, order, scope)
		}
	}
}

func (p *pairing) ctaBarrier(c int) {
	p.note("barrier CTA %d", c)
	waiting := uint64(0)
	for w := range warps {
		if live := p.live(c*warps + w); live != 0 {
			p.d.Arrive(uint64(c), w, live, 3)
			waiting |= 1 << w
		}
	}
	p.d.Done(uint64(c), waiting, 3, false)
	p.n.barrier(span(c*warps*lanes, warps*lanes))
}

func (p *pairing) warpBarrier(w int) {
	who := uint32(1+p.rand.IntN(7)) | uint32(p.rand.IntN(2))*0xfffffff8
	p.note("bar.warp.sync warp %d lanes %x", w, who)
	p.d.Meet(uint64(w/warps), w%warps, who&p.live(w))
	p.d.Met(uint64(w/warps), w%warps, who&p.live(w), who)
	var members []int
	for l := range lanes {
		if who>>l&1 != 0 {
			members = append(members, w*lanes+l)
		}
	}
	p.n.barrier(members)
}

func (p *pairing) clusterBarrier(cl int) {
	p.note("barrier.cluster %d", cl)
	for _, c := range []int{2 * cl, 2*cl + 1} {
		for w := range warps {
			p.d.ClusterArrive(uint64(c), w, p.live(c*warps+w), model.ReleaseOrder)
		}
	}
	p.d.ClusterDone(uint64(2 * cl))
	for _, c := range []int{2 * cl, 2*cl + 1} {
		for w := range warps {
			p.d.ClusterWait(uint64(c), w, p.live(c*warps+w), model.AcquireOrder)
		}
	}
	p.n.barrier(span(cl*2*warps*lanes, 2*warps*lanes))
}

// access is one lane's access; there are three granules of global and two of shared memory.
func (p *pairing) access(t int) (got, want bool) {
	o := op{granule: p.rand.IntN(5) - 2, to: 4}
	if p.rand.IntN(4) == 0 {
		o.from, o.to = p.rand.IntN(2)*2, 0
		o.to = o.from + 1 + p.rand.IntN(2)
	}
	o.read, o.write = true, p.rand.IntN(2) == 0
	if o.write {
		o.read = p.rand.IntN(2) == 0
	}
	if o.strong = o.read && o.write || p.rand.IntN(3) == 0; o.strong {
		o.order, o.scope = p.order(o), p.scope()
	}
	p.note("thread %d: %+v", t, o)
	return p.touch(t, o), p.n.access(t, o)
}

// line is a weak access of a whole warp to the first line, lane by granule.
func (p *pairing) line(w int) (got, want bool) {
	shared, write := p.rand.IntN(2) == 0, p.rand.IntN(2) == 0
	p.note("line: warp %d shared %v write %v", w, shared, write)
	kind := machine.Load
	if write {
		kind = machine.Store
	}
	a, _ := p.d.begin(&Touch{CTA: uint64(w / warps), Warp: w % warps, PC: int32(6 + p.rand.IntN(3)), Kind: kind})
	var owner *cta
	if shared {
		owner = p.d.cta(uint64(w / warps))
	}
	p.raced = false
	whole := p.d.line(&a, owner, 0)
	for l := range lanes {
		if !whole {
			p.d.bytes(a.of(1<<l), owner, uint64(l*granule), uint64(l+1)*granule)
		}
		o := op{granule: l, to: 4, read: !write, write: write}
		if shared {
			o.granule = -1 - l
		}
		want = p.n.access(w*lanes+l, o) || want
	}
	a.end()
	if whole {
		p.lines++
	}
	return p.raced, want
}

// broadcast is a weak load of one granule by several lanes of a warp, looked at together where they know the same.
func (p *pairing) broadcast(w int) (got, want bool) {
	o := op{granule: p.rand.IntN(5) - 2, to: 4, read: true}
	who := p.rand.Uint32() | 1
	p.note("broadcast: warp %d lanes %x %+v", w, who, o)
	a, _ := p.d.begin(&Touch{CTA: uint64(w / warps), Warp: w % warps, PC: 9, Kind: machine.Load})
	at, owner := uint64(o.granule), (*cta)(nil)
	if o.granule < 0 {
		at, owner = uint64(-o.granule-1), p.d.cta(uint64(w/warps))
	}
	p.raced = false
	if a.warp.agree() {
		p.d.bytes(a.of(who), owner, at*granule, (at+1)*granule)
	}
	for l := range lanes {
		if who>>l&1 == 0 {
			continue
		}
		if !a.warp.agree() {
			p.d.bytes(a.of(1<<l), owner, at*granule, (at+1)*granule)
		}
		want = p.n.access(w*lanes+l, o) || want
	}
	a.end()
	return p.raced, want
}

// order is one that the access may have.
func (p *pairing) order(o op) model.Order {
	orders := []model.Order{model.Relaxed}
	if o.read {
		orders = append(orders, model.AcquireOrder)
	}
	if o.write {
		orders = append(orders, model.ReleaseOrder)
	}
	if o.read && o.write {
		orders = append(orders, model.AcqRel)
	}
	return orders[p.rand.IntN(len(orders))]
}

// touch gives the access to the detector.
func (p *pairing) touch(t int, o op) bool {
	kind := machine.Load
	switch {
	case o.read && o.write:
		kind = machine.Atomic
	case o.write:
		kind = machine.Store
	}
	p.raced = false
	a, _ := p.d.begin(&Touch{CTA: uint64(ctaOf(t)), Warp: warpOf(t) % warps, PC: int32(p.rand.IntN(6)), Kind: kind, Order: o.order, Scope: o.scope})
	a.of(1 << (t % lanes))
	at, owner := uint64(o.granule), (*cta)(nil)
	if o.granule < 0 {
		at, owner = uint64(-o.granule-1), p.d.cta(uint64(ctaOf(t)))
	}
	p.d.bytes(&a, owner, at*granule+uint64(o.from), at*granule+uint64(o.to))
	a.end()
	return p.raced
}

func span(from, n int) (out []int) {
	for i := range n {
		out = append(out, from+i)
	}
	return out
}
