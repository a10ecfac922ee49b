package converge

// The operations of a warp: how each is written, and what it gives.

import (
	"fmt"
	"math/bits"
)

// meetOp is an operation of the lanes of a member mask.
type meetOp struct {
	name   string
	print  func(p *printer, n *Node, mask string) (result string)
	eval   func(m *meeting)
	silent bool // it has no result
	plain  bool // every statement of it can have a guard
	cond   bool // it looks at Cond
	alone  bool // no other lanes may be at the same place: not in functions, not in groups
}

// meetings are all there are; a node's Mode is an index.
var meetings = []meetOp{
	vote("all", func(yes, all uint32) bool { return yes == all }),
	vote("any", func(yes, all uint32) bool { return yes != 0 }),
	vote("uni", func(yes, all uint32) bool { return yes == 0 || yes == all }),
	{name: "vote.ballot", print: printBallot, eval: func(m *meeting) { m.all(m.yes) }, plain: true, cond: true},
	{name: "match.any.b32", print: printMatchAny(32), eval: evalMatchAny(32), plain: true},
	{name: "match.any.b64", print: printMatchAny(64), eval: evalMatchAny(64), plain: true},
	{name: "match.all.b32", print: printMatchAll(32), eval: evalMatchAll(32), plain: true},
	{name: "match.all.b64", print: printMatchAll(64), eval: evalMatchAll(64), plain: true},
	{name: "shfl.up", print: printShuffle("up"), eval: shuffling(sourceUp)},
	{name: "shfl.down", print: printShuffle("down"), eval: shuffling(sourceDown)},
	{name: "shfl.bfly", print: printShuffle("bfly"), eval: shuffling(sourceBfly)},
	{name: "shfl.idx", print: printShuffle("idx"), eval: shuffling(sourceIdx)},
	redux("add.u32", func(a, b uint32) uint32 { return a + b }),
	redux("add.s32", func(a, b uint32) uint32 { return a + b }),
	redux("min.u32", func(a, b uint32) uint32 { return min(a, b) }),
	redux("max.u32", func(a, b uint32) uint32 { return max(a, b) }),
	redux("min.s32", func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }),
	redux("max.s32", func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }),
	redux("and.b32", func(a, b uint32) uint32 { return a & b }),
	redux("or.b32", func(a, b uint32) uint32 { return a | b }),
	redux("xor.b32", func(a, b uint32) uint32 { return a ^ b }),
	{name: "elect", print: printElect, eval: evalElect, plain: true},
	{name: "bar.warp", print: printBarWarp, eval: func(*meeting) {}, plain: true, silent: true},
	{name: "exchange", print: printExchange, eval: evalExchange},
	{name: "mbarrier", print: printMbarrier, eval: evalMbarrier},
	{name: "activemask", print: printActive, eval: func(m *meeting) { m.all(1) }, alone: true},
	{name: "leader", print: printLeader, eval: evalLeader, cond: true},
	{name: "rank", print: printRank, eval: evalRank, plain: true, cond: true},
	{name: "serve", print: printServe, eval: evalServe, cond: true},
	{name: "scan", print: printScan, eval: evalScan},
}

// all gives every lane the same result.
func (m *meeting) all(r uint32) { m.each(func(i int) { m.r[i] = r }) }

func vote(mode string, holds func(yes, all uint32) bool) meetOp {
	write := func(p *printer, n *Node, mask string) string {
		q, r := p.pred(), p.temp()
		p.line("vote.sync.%s.pred %s, %s, %s;", mode, q, p.condOf(n), mask)
		p.line("selp.u32 %s, 1, 0, %s;", r, q)
		return r
	}
	eval := func(m *meeting) { m.all(bit(holds(m.yes, m.lanes))) }
	return meetOp{name: "vote." + mode, print: write, eval: eval, plain: true, cond: true}
}

// printBallot writes a ballot, in one style of the predicate's opposite.
func printBallot(p *printer, n *Node, mask string) string {
	r := p.temp()
	if n.Style%2 == 0 {
		p.line("vote.sync.ballot.b32 %s, %s, %s;", r, p.condOf(n), mask)
		return r
	}
	opposite := *n.Cond
	opposite.Not = !opposite.Not
	p.line("vote.sync.ballot.b32 %s, !%s, %s;", r, p.cond(&opposite), mask)
	return r
}

// few is a value of a few bits of a variable, so that some lanes agree.
func few(n *Node, a uint32) uint32 { return a >> (n.K % 29) % 4 }

// printFew writes few; of 64 bits that is the upper half, and a variable of its own the lower one.
func (p *printer) printFew(n *Node, width int) string {
	t := p.temp()
	p.line("bfe.u32 %s, %s, %d, 2;", t, p.v(n.A), n.K%29)
	if width == 32 {
		return t
	}
	d := p.wide()
	p.line("mov.b64 %s, {%s, %s};", d, p.v(dataVars), t)
	return d
}

// agree are the lanes whose values of a match are that of lane i.
func (m *meeting) agree(width, i int) (same uint32) {
	m.each(func(j int) {
		equal := few(m.Node, m.a[j]) == few(m.Node, m.a[i]) && (width == 32 || m.low[j] == m.low[i])
		same |= bit(equal) << j
	})
	return same
}

func printMatchAny(width int) func(*printer, *Node, string) string {
	return func(p *printer, n *Node, mask string) string {
		r, v := p.temp(), p.printFew(n, width)
		p.line("match.any.sync.b%d %s, %s, %s;", width, r, v, mask)
		return r
	}
}

func evalMatchAny(width int) func(*meeting) {
	return func(m *meeting) { m.each(func(i int) { m.r[i] = m.agree(width, i) }) }
}

func printMatchAll(width int) func(*printer, *Node, string) string {
	return func(p *printer, n *Node, mask string) string {
		r, q, s, v := p.temp(), p.pred(), p.temp(), p.printFew(n, width)
		p.line("match.all.sync.b%d %s|%s, %s, %s;", width, r, q, v, mask)
		p.line("selp.u32 %s, 7, 0, %s;", s, q)
		p.line("add.u32 %s, %s, %s;", r, r, s)
		return r
	}
}

func evalMatchAll(width int) func(*meeting) {
	return func(m *meeting) {
		if m.agree(width, bits.TrailingZeros32(m.lanes)) == m.lanes {
			m.all(m.lanes + 7)
		}
	}
}

// shuffle are the second and third operand of a shuffle: b of variable B or constant, and the clamp with the segments.
func (n *Node) shuffle(b uint32) (step, c uint32) {
	c = shuffleClamps[n.Mode-shuffleUp][n.K>>8%4]
	if n.Style&1 != 0 {
		return b % 32, c
	}
	return n.K % 32, c
}

// Places in meetings: the first of the shuffles, and the barrier of a warp.
const (
	shuffleUp = 8
	barWarp   = 22
)

// shuffleClamps: whole warps, segments of 8 and 16 lanes, and limits that some lanes exceed.
var shuffleClamps = [4][4]uint32{
	{0, 0x1800, 0x1000, 3}, {0x1f, 0x181f, 0x101f, 0x14}, {0x1f, 0x181f, 0x101f, 0x13}, {0x1f, 0x181f, 0x101f, 0x11},
}

// The lane that each mode takes from, and whether there is one (9.7.9.6).

func sourceUp(i, b, seg, clamp uint32) (j uint32, ok bool) {
	return i - b, int32(i-b) >= int32(i&seg|clamp&^seg)
}

func sourceDown(i, b, seg, clamp uint32) (j uint32, ok bool) { return i + b, i+b <= i&seg|clamp&^seg }

func sourceBfly(i, b, seg, clamp uint32) (j uint32, ok bool) { return i ^ b, i^b <= i&seg|clamp&^seg }

func sourceIdx(i, b, seg, clamp uint32) (j uint32, ok bool) {
	j = i&seg | b&^seg
	return j, j <= i&seg|clamp&^seg
}

// shuffling: lanes whose source does not take part keep their own value, as printShuffle sees to.
func shuffling(source func(i, b, seg, clamp uint32) (uint32, bool)) func(*meeting) {
	return func(m *meeting) {
		m.each(func(i int) {
			b, c := m.shuffle(m.b[i])
			j, ok := source(uint32(i), b, c>>8&31, c&31)
			m.r[i] = m.a[i] + bit(ok)
			if ok && m.lanes>>j&1 != 0 {
				m.r[i] = m.a[j] + 1
			}
		})
	}
}

// printShuffle writes a shuffle, and beside it a ballot that tells which values count.
func printShuffle(mode string) func(*printer, *Node, string) string {
	return func(p *printer, n *Node, mask string) string {
		r, q, step, one := p.temp(), p.pred(), fmt.Sprint(n.K%32), p.temp()
		if n.Style&1 != 0 {
			step = p.temp()
			p.line("and.b32 %s, %s, 31;", step, p.v(n.B))
		}
		_, c := n.shuffle(0)
		alive := ""
		if n.Style&2 != 0 {
			alive = p.alive(mask)
		}
		p.line("shfl.sync.%s.b32 %s|%s, %s, %s, %d, %s;", mode, r, q, p.v(n.A), step, c, mask)
		if alive == "" {
			alive = p.alive(mask)
		}
		j := p.temp()
		switch seg := c >> 8 & 31; mode {
		case "up":
			p.line("sub.u32 %s, %%lane, %s;", j, step)
		case "down":
			p.line("add.u32 %s, %%lane, %s;", j, step)
		case "bfly":
			p.line("xor.b32 %s, %%lane, %s;", j, step)
		default:
			t := p.temp()
			p.line("and.b32 %s, %%lane, %d;", j, seg)
			p.line("and.b32 %s, %s, %d;", t, step, ^seg&31)
			p.line("or.b32 %s, %s, %s;", j, j, t)
		}
		p.line("selp.u32 %s, %s, %%lane, %s;", j, j, q)
		here := p.isThere(alive, j)
		p.line("selp.u32 %s, %s, %s, %s;", r, r, p.v(n.A), here)
		p.line("selp.u32 %s, 1, 0, %s;", one, q)
		p.line("add.u32 %s, %s, %s;", r, r, one)
		return r
	}
}

func redux(name string, f func(a, b uint32) uint32) meetOp {
	write := func(p *printer, n *Node, mask string) string {
		r := p.temp()
		p.line("redux.sync.%s %s, %s, %s;", name, r, p.v(n.A), mask)
		return r
	}
	eval := func(m *meeting) {
		r, some := uint32(0), false
		m.each(func(i int) {
			if r = f(r, m.a[i]); !some {
				r, some = m.a[i], true
			}
		})
		m.all(r)
	}
	return meetOp{name: "redux." + name, print: write, eval: eval, plain: true}
}

func printElect(p *printer, n *Node, mask string) string {
	r, q, s := p.temp(), p.pred(), p.temp()
	p.line("elect.sync %s|%s, %s;", r, q, mask)
	p.line("selp.u32 %s, 100, 0, %s;", s, q)
	p.line("add.u32 %s, %s, %s;", r, r, s)
	return r
}

func evalElect(m *meeting) {
	leader := bits.TrailingZeros32(m.lanes)
	m.each(func(i int) { m.r[i] = uint32(leader) + 100*bit(i == leader) })
}

func printBarWarp(p *printer, n *Node, mask string) string {
	p.line("bar.warp.sync %s;", mask)
	return ""
}

// peer is the lane that an exchange takes from.
func (n *Node) peer(i uint32) uint32 { return (i*(n.K>>5%8*2+1) + n.K) % 32 }

// printPeer writes the address of the own word of the peer, of the lane's own if that is not there.
func (p *printer) printPeer(n *Node, alive string) string {
	j, at := p.temp(), p.temp()
	p.line("mad.lo.u32 %s, %%lane, %d, %d;", j, n.K>>5%8*2+1, n.K%32)
	p.line("and.b32 %s, %s, 31;", j, j)
	p.line("selp.u32 %s, %s, %%lane, %s;", j, j, p.isThere(alive, j))
	p.line("sub.u32 %s, %%id, %%lane;", at)
	p.line("add.u32 %s, %s, %s;", at, at, j)
	p.line("shl.b32 %s, %s, 2;", at, at)
	p.line("add.u32 %s, %s, %%sm;", at, at)
	return at
}

// printExchange hands values over in shared memory.
func printExchange(p *printer, n *Node, mask string) string {
	r, at := p.temp(), p.printPeer(n, p.alive(mask))
	p.line("st.shared.u32 [%%own], %s;", p.v(n.A))
	p.line("bar.warp.sync %s;", mask)
	p.line("ld.shared.u32 %s, [%s];", r, at)
	p.line("bar.warp.sync %s;", mask)
	return r
}

func evalExchange(m *meeting) {
	m.each(func(i int) { m.own[32*m.warp+i] = m.a[i] })
	m.each(func(i int) {
		j := m.peer(uint32(i))
		if m.lanes>>j&1 == 0 {
			j = uint32(i)
		}
		m.r[i] = m.a[j]
	})
}

// printMbarrier hands values over behind an mbarrier, which a lane makes for those that are there and takes away again.
func printMbarrier(p *printer, n *Node, mask string) string {
	alive := p.alive(mask)
	count, leader, lead, at := p.temp(), p.temp(), p.pred(), p.temp()
	p.line("popc.b32 %s, %s;", count, alive)
	p.line("clz.b32 %s, %s;", leader, alive)
	p.line("sub.u32 %s, 31, %s;", leader, leader)
	p.line("setp.eq.u32 %s, %s, %%lane;", lead, leader)
	p.line("sub.u32 %s, %%id, %%lane;", at)
	p.line("add.u32 %s, %s, %s;", at, at, leader)
	p.line("shl.b32 %s, %s, 3;", at, at)
	p.line("add.u32 %s, %s, %%sm;", at, at)
	p.line("@%s mbarrier.init.shared.b64 [%s+%d], %s;", lead, at, mbarAt, count)
	p.line("bar.warp.sync %s;", mask)
	p.line("st.shared.u32 [%%own], %s;", p.v(n.A))
	p.phase(n, at, 0)
	r, peer := p.temp(), p.printPeer(n, alive)
	p.line("ld.shared.u32 %s, [%s];", r, peer)
	p.phase(n, at, 1)
	p.line("bar.warp.sync %s;", mask)
	p.line("@%s mbarrier.inval.shared.b64 [%s+%d];", lead, at, mbarAt)
	p.line("bar.warp.sync %s;", mask)
	return r
}

// phase writes an arrival and a wait for the phase to end, by parity or by state.
func (p *printer) phase(n *Node, at string, parity int) {
	again, q, state := p.label("W"), p.pred(), p.wide()
	p.line("mbarrier.arrive.shared.b64 %s, [%s+%d];", state, at, mbarAt)
	p.put("%s:", again)
	wait := [2]string{"test_wait", "try_wait"}[n.Style&1]
	if n.Style&2 != 0 {
		p.line("mbarrier.%s.shared.b64 %s, [%s+%d], %s;", wait, q, at, mbarAt, state)
	} else {
		p.line("mbarrier.%s.parity.shared.b64 %s, [%s+%d], %d;", wait, q, at, mbarAt, parity)
	}
	p.line("@!%s bra %s;", q, again)
}

func evalMbarrier(m *meeting) { evalExchange(m) }

// printActive looks who is active just behind a barrier: the lane itself, and none that does not take part.
func printActive(p *printer, n *Node, mask string) string {
	alive, a, r, q, x := p.alive(mask), p.temp(), p.temp(), p.pred(), p.temp()
	p.line("bar.warp.sync %s;", mask)
	p.line("activemask.b32 %s;", a)
	p.line("not.b32 %s, %s;", x, alive)
	p.line("and.b32 %s, %s, %s;", x, x, a)
	p.line("shr.u32 %s, %s, %%lane;", r, a)
	p.line("and.b32 %s, %s, 1;", r, r)
	p.line("setp.eq.u32 %s, %s, 0;", q, x)
	p.line("selp.u32 %s, %s, 9, %s;", r, r, q)
	return r
}

// printLeader lets the first lane add for all with Cond, and hands its variable round.
func printLeader(p *printer, n *Node, mask string) string {
	alive, votes, sum, leader, lead, r := p.alive(mask), p.temp(), p.temp(), p.temp(), p.pred(), p.temp()
	p.line("vote.sync.ballot.b32 %s, %s, %s;", votes, p.condOf(n), mask)
	p.line("popc.b32 %s, %s;", sum, votes)
	p.line("brev.b32 %s, %s;", leader, alive)
	p.line("clz.b32 %s, %s;", leader, leader)
	p.line("setp.eq.u32 %s, %s, %%lane;", lead, leader)
	at := p.accOfCTA()
	p.line("@%s red.global.add.u32 [%s], %s;", lead, at, sum)
	p.line("shfl.sync.idx.b32 %s, %s, %s, 31, %s;", r, p.v(n.A), leader, mask)
	return r
}

func evalLeader(m *meeting) {
	m.Acc[m.id] += uint32(bits.OnesCount32(m.yes))
	m.all(m.a[bits.TrailingZeros32(m.lanes)])
}

// printRank counts the lanes with Cond before the lane.
func printRank(p *printer, n *Node, mask string) string {
	r, before := p.temp(), p.temp()
	p.line("vote.sync.ballot.b32 %s, %s, %s;", r, p.condOf(n), mask)
	p.line("mov.u32 %s, %%lanemask_lt;", before)
	p.line("and.b32 %s, %s, %s;", r, r, before)
	p.line("popc.b32 %s, %s;", r, r)
	return r
}

func evalRank(m *meeting) {
	m.each(func(i int) { m.r[i] = uint32(bits.OnesCount32(m.yes & (1<<i - 1))) })
}

// printServe lets the lanes with Cond hand their variable round, one after the other, in a loop of votes.
func printServe(p *printer, n *Node, mask string) string {
	q, done, mine, left, one, r := p.condOf(n), p.pred(), p.pred(), p.temp(), p.temp(), p.temp()
	pending, again, out := p.temp(), p.label("S"), p.label("D")
	p.line("mov.u32 %s, 0;", r)
	p.line("selp.u32 %s, 1, 0, %s;", pending, q)
	p.put("%s:", again)
	p.line("setp.ne.u32 %s, %s, 0;", mine, pending)
	p.line("vote.sync.ballot.b32 %s, %s, %s;", left, mine, mask)
	p.line("setp.eq.u32 %s, %s, 0;", done, left)
	p.line("@%s bra %s;", done, out)
	p.line("brev.b32 %s, %s;", left, left)
	p.line("clz.b32 %s, %s;", left, left)
	p.line("shfl.sync.idx.b32 %s, %s, %s, 31, %s;", one, p.v(n.A), left, mask)
	p.line("mad.lo.u32 %s, %s, 3, %s;", r, r, one)
	p.line("setp.eq.u32 %s, %s, %%lane;", mine, left)
	p.line("@%s mov.u32 %s, 0;", mine, pending)
	p.line("bra %s;", again)
	p.put("%s:", out)
	return r
}

func evalServe(m *meeting) {
	r := uint32(0)
	for l := m.yes; l != 0; l &= l - 1 {
		r = r*3 + m.a[bits.TrailingZeros32(l)]
	}
	m.all(r)
}

// printScan adds up the lanes before the lane, by shuffles over distances that double; lanes that have ended add nothing.
func printScan(p *printer, n *Node, mask string) string {
	r, from, step, alive := p.temp(), p.temp(), p.temp(), p.alive(mask)
	again, more, there, low := p.label("S"), p.pred(), p.pred(), p.temp()
	p.line("mov.u32 %s, %s;", r, p.v(n.A))
	p.line("mov.u32 %s, 1;", step)
	p.put("%s:", again)
	p.line("shfl.sync.up.b32 %s|%s, %s, %s, 0, %s;", from, there, r, step, mask)
	p.line("sub.u32 %s, %%lane, %s;", low, step)
	p.line("selp.u32 %s, %s, 0, %s;", low, low, there)
	here := p.isThere(alive, low)
	p.line("selp.u32 %s, %s, 0, %s;", from, from, here)
	p.line("@%s add.u32 %s, %s, %s;", there, r, r, from)
	p.line("shl.b32 %s, %s, 1;", step, step)
	p.line("setp.lt.u32 %s, %s, 32;", more, step)
	p.line("@%s bra %s;", more, again)
	return r
}

func evalScan(m *meeting) {
	m.r = m.a
	for step := 1; step < 32; step *= 2 {
		was := m.r
		m.each(func(i int) {
			if j := i - step; j >= 0 && m.lanes>>j&1 != 0 {
				m.r[i] += was[j]
			}
		})
	}
}
