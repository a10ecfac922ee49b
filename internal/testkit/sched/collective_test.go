package sched

// Instructions with a member mask, 9.7.9.6 and 9.7.13, whose members come from several places: every
// form, in both engines, against plain Go.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// brought is what lane i brings to a collective.
type brought struct{ lane uint32 }

// The operands of lane i: values that repeat, 64-bit ones that differ above bit 31 alone, floats of
// both signs with a NaN.
func (b brought) word() uint32  { return (b.lane%3)*0x10001 + 7 }
func (b brought) long() uint64  { return uint64(b.lane%5)<<32 | 9 }
func (b brought) pred() bool    { return b.lane%4 == 1 }
func (b brought) back() uint32  { return 31 - b.lane }
func (b brought) float() uint32 { return math.Float32bits(float32(int(b.lane)-11) * 1.5) }

// collective is a form with what it gives lane i of the members.
type collective struct {
	text string // %m is the mask; results go to %d and %p
	want func(i, members uint32) (d uint32, p bool)
}

// collectives has every form that gathers lanes; bar.warp.sync orders a store and a load of the partner's word.
func collectives() []collective {
	all := []collective{
		{"shfl.sync.idx.b32 %d|%p, %a, %b, 0x1f, %m;", shuffle(func(i uint32) int { return int(brought{i}.back()) })},
		{"shfl.sync.up.b32 %d|%p, %a, 3, 0, %m;", shuffle(func(i uint32) int { return int(i) - 3 })},
		{"shfl.sync.down.b32 %d|%p, %a, 5, 0x1f, %m;", shuffle(func(i uint32) int { return int(i) + 5 })},
		{"shfl.sync.bfly.b32 %d|%p, %a, 17, 0x1f, %m;", shuffle(func(i uint32) int { return int(i) ^ 17 })},
		{"vote.sync.ballot.b32 %d, %q, %m;", vote(func(yes, _ uint32) (uint32, bool) { return yes, false })},
		{"vote.sync.ballot.b32 %d, !%q, %m;", vote(func(yes, members uint32) (uint32, bool) { return members &^ yes, false })},
		{"vote.sync.any.pred %p, %q, %m;", vote(func(yes, _ uint32) (uint32, bool) { return 0, yes != 0 })},
		{"vote.sync.all.pred %p, %q, %m;", vote(func(yes, members uint32) (uint32, bool) { return 0, yes == members })},
		{"vote.sync.uni.pred %p, %q, %m;", vote(func(yes, members uint32) (uint32, bool) { return 0, yes == 0 || yes == members })},
		{"match.any.sync.b32 %d, %a, %m;", matchAny(func(b brought) uint64 { return uint64(b.word()) })},
		{"match.any.sync.b64 %d, %x, %m;", matchAny(brought.long)},
		{"match.all.sync.b32 %d|%p, %a, %m;", matchAll(func(b brought) uint64 { return uint64(b.word()) })},
		{"match.all.sync.b64 %d|%p, %x, %m;", matchAll(brought.long)},
		{"match.all.sync.b32 %d|%p, %c, %m;", matchAll(func(brought) uint64 { return 5 })},
		{"match.all.sync.b64 %d|%p, %y, %m;", matchAll(func(brought) uint64 { return 5 })},
		{"st.shared.u32 [%w], %a; bar.warp.sync %m; ld.shared.u32 %d, [%v];", func(i, _ uint32) (uint32, bool) { return brought{31 - i}.word(), false }},
		{"elect.sync %d|%p, %m;", func(i, members uint32) (uint32, bool) {
			leader := uint32(bits.TrailingZeros32(members))
			return leader, leader == i
		}},
	}
	return append(all, reductions()...)
}

func reductions() (all []collective) {
	add := func(form, operand string, bring func(brought) uint32, f func(a, b uint32) uint32) {
		all = append(all, collective{fmt.Sprintf("redux.sync.%s %%d, %s, %%m;", form, operand), reduceBy(bring, f)})
	}
	signed := func(f func(a, b int32) int32) func(a, b uint32) uint32 {
		return func(a, b uint32) uint32 { return uint32(f(int32(a), int32(b))) }
	}
	floats := func(abs bool, f func(a, b float64) float64) func(a, b uint32) uint32 {
		return func(a, b uint32) uint32 {
			x, y := float64(math.Float32frombits(a)), float64(math.Float32frombits(b))
			if abs {
				x, y = math.Abs(x), math.Abs(y)
			}
			return math.Float32bits(float32(f(x, y)))
		}
	}
	add("and.b32", "%a", brought.word, func(a, b uint32) uint32 { return a & b })
	add("or.b32", "%a", brought.word, func(a, b uint32) uint32 { return a | b })
	add("xor.b32", "%a", brought.word, func(a, b uint32) uint32 { return a ^ b })
	for _, typ := range []string{"u32", "s32"} {
		add("add."+typ, "%f", brought.float, func(a, b uint32) uint32 { return a + b })
	}
	add("min.u32", "%f", brought.float, func(a, b uint32) uint32 { return min(a, b) })
	add("max.u32", "%f", brought.float, func(a, b uint32) uint32 { return max(a, b) })
	add("min.s32", "%f", brought.float, signed(func(a, b int32) int32 { return min(a, b) }))
	add("max.s32", "%f", brought.float, signed(func(a, b int32) int32 { return max(a, b) }))
	for _, mods := range []string{"", ".abs", ".NaN", ".abs.NaN"} {
		abs := strings.Contains(mods, ".abs")
		add("min"+mods+".f32", "%f", brought.float, floats(abs, math.Min))
		add("max"+mods+".f32", "%f", brought.float, floats(abs, math.Max))
	}
	return all
}

// shuffle expects the word of the source lane, the own one of a lane that has none; every source is a member.
func shuffle(source func(i uint32) int) func(i, members uint32) (uint32, bool) {
	return func(i, members uint32) (uint32, bool) {
		j := source(i)
		in := j >= 0 && j < 32
		if !in {
			j = int(i)
		}
		return brought{uint32(j)}.word(), in
	}
}

func vote(f func(yes, members uint32) (uint32, bool)) func(i, members uint32) (uint32, bool) {
	return func(_, members uint32) (uint32, bool) {
		return f(members&lanesWith(func(j uint32) bool { return brought{j}.pred() }), members)
	}
}

func matchAny(value func(brought) uint64) func(i, members uint32) (uint32, bool) {
	return func(i, members uint32) (uint32, bool) {
		return members & lanesWith(func(j uint32) bool { return value(brought{i}) == value(brought{j}) }), false
	}
}

func matchAll(value func(brought) uint64) func(i, members uint32) (uint32, bool) {
	any := matchAny(value)
	return func(i, members uint32) (uint32, bool) {
		if same, _ := any(i, members); same != members {
			return 0, false
		}
		return members, true
	}
}

func reduceBy(bring func(brought) uint32, f func(a, b uint32) uint32) func(i, members uint32) (uint32, bool) {
	return func(_, members uint32) (uint32, bool) {
		v := bring(brought{uint32(bits.TrailingZeros32(members))})
		for m := members & (members - 1); m != 0; m &= m - 1 {
			v = f(v, bring(brought{uint32(bits.TrailingZeros32(m))}))
		}
		return v, false
	}
}

func lanesWith(f func(i uint32) bool) (m uint32) {
	for i := range uint32(32) {
		if f(i) {
			m |= 1 << i
		}
	}
	return m
}

// routes are bodies in which %r parts the lanes (1 and 0) and both parts execute the collective OP.
var routes = map[string]string{
	"together": "OP",
	"arms": `@%r bra Odd;
	OP
	bra Join;
Odd:
	add.u32 %t, %t, 1;
	OP
Join:`,
	"predicated": `GUARD(@%r)
	GUARD(@!%r)`,
	// Lanes with %r come in the first round, the others in the second, to one pc.
	"rounds": `mov.u32 %t, 0;
	selp.u32 %u, 0, 1, %r;
Round:
	setp.ne.u32 %s, %t, %u;
	@%s bra Next;
	OP
Next:
	add.u32 %t, %t, 1;
	setp.lt.u32 %s, %t, 2;
	@%s bra Round;`,
	// One lane after the other comes to one pc.
	"queue": `mov.u32 %t, 0;
Turn:
	setp.ne.u32 %s, %t, %i;
	@%s bra Skip;
	OP
Skip:
	add.u32 %t, %t, 1;
	setp.lt.u32 %s, %t, 32;
	@%s bra Turn;`,
	// Frames of their own at one pc.
	"calls": `@%r bra Odd;
	call (%d, %t), meet, (%a, %f, %x, %c, %y, %m);
	bra Join;
Odd:
	add.u32 %u, %u, 1;
	call (%d, %t), meet, (%a, %f, %x, %c, %y, %m);
Join:
	setp.ne.u32 %p, %t, 0;`,
}

// parts says which lanes have %r.
var parts = map[string]string{"parity": "and.b32 %t, %i, 1; setp.ne.u32 %r, %t, 0;", "halves": "setp.ge.u32 %r, %i, 16;", "one": "setp.eq.u32 %r, %i, 5;"}

const collectiveRegisters = `.reg .pred %p, %q, %r, %s;
	.reg .b32 %i, %d, %a, %f, %b, %c, %m, %t, %u, %v, %w;
	.reg .b64 %x, %y, %o, %z;
	mov.u32 %i, %laneid;
	and.b32 %t, %i, 3;
	setp.eq.u32 %q, %t, 1;
	mov.b32 %d, 0;
	setp.ne.b32 %p, %d, 0;
	sub.u32 %b, 31, %i;
	mov.b32 %w, words;
	mad.lo.u32 %v, %b, 4, %w;
	mad.lo.u32 %w, %i, 4, %w;
	`

const collectiveModule = `.version 8.8
.target sm_100a
.address_size 64
.shared .b32 words[32];
.func (.reg .b32 rd, .reg .b32 rp) meet(.reg .b32 va, .reg .b32 vf, .reg .b64 vx, .reg .b32 vc, .reg .b64 vy, .reg .b32 vm)
{
	REGISTERS
	mov.b32 %a, va; mov.b32 %f, vf; mov.b64 %x, vx; mov.b32 %c, vc; mov.b64 %y, vy; mov.b32 %m, vm;
	OP
	mov.b32 rd, %d;
	selp.u32 rp, 1, 0, %p;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 mask, .param .u32 gone)
{
	REGISTERS
	rem.u32 %t, %i, 3;
	mad.lo.u32 %a, %t, 0x10001, 7;
	sub.s32 %t, %i, 11;
	cvt.rn.f32.s32 %f, %t;
	mul.f32 %f, %f, 0f3fc00000;
	rem.u32 %t, %i, 5;
	mov.b64 %x, {9, %t};
	mov.b32 %c, 5;
	mov.b64 %y, 5;
	ld.param.u32 %m, [mask];
	ld.param.u32 %t, [gone];
	shr.u32 %t, %t, %i;
	and.b32 %t, %t, 1;
	setp.ne.u32 %s, %t, 0;
	@%s exit;
	PART
	ROUTE
	ld.param.u64 %o, [out];
	mul.wide.u32 %z, %i, 8;
	add.u64 %o, %o, %z;
	selp.u32 %t, 1, 0, %p;
	st.global.v2.u32 [%o], {%d, %t};
	exit;
}
`

// TestCollectives: where lanes come from does not change what a collective gives, with all lanes and
// with two that have exited.
func TestCollectives(t *testing.T) {
	for _, c := range collectives() {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
				for route := range routes {
					for part := range parts {
						for _, gone := range []uint32{0, 1<<31 | 1} {
							c.check(t, engine, route, part, gone)
						}
					}
				}
			}
		})
	}
}

// check compares every living lane's result.
func (c collective) check(t *testing.T, engine ptxvm.Engine, route, part string, gone uint32) {
	t.Helper()
	if gone != 0 && strings.HasPrefix(c.text, "shfl") {
		return // what lanes that have exited give is undefined
	}
	src := collectiveModule
	for _, r := range [][2]string{{"ROUTE", routes[route]}, {"GUARD(@%r)", guarded("@%r", c.text)}, {"GUARD(@!%r)", guarded("@!%r", c.text)}, {"REGISTERS", collectiveRegisters}, {"PART", parts[part]}, {"OP", c.text}} {
		src = strings.ReplaceAll(src, r[0], r[1])
	}
	got, ok := runCollective(t, engine, src, gone)
	if !ok {
		return
	}
	for i := range uint32(32) {
		if gone>>i&1 != 0 {
			continue
		}
		if d, p := c.want(i, ^gone); got[2*i] != d || (got[2*i+1] != 0) != p {
			t.Errorf("%v, %s, %s, without %#x: lane %d has %#x, %d, want %#x, %v", engine, route, part, gone, i, got[2*i], got[2*i+1], d, p)
			return
		}
	}
}

// guarded writes a guard before each statement.
func guarded(guard, text string) string {
	return guard + " " + strings.ReplaceAll(strings.TrimSuffix(text, ";"), "; ", "; "+guard+" ") + ";"
}

// runCollective launches a warp and returns two words for each lane; false where there is no such engine.
func runCollective(t *testing.T, engine ptxvm.Engine, src string, gone uint32) ([]uint32, bool) {
	t.Helper()
	got := make([]uint32, 64)
	return got, runWarp(t, engine, src, got, ^uint32(0), gone)
}

// runWarp launches the kernel k with one warp on memory that it gets the address of; false where there
// is no such engine.
func runWarp[T ptxvm.Scalar](t *testing.T, engine ptxvm.Engine, src string, memory []T, args ...any) bool {
	t.Helper()
	m, err := ptxvm.Compile("k.ptx", []byte(src), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: m.Target(), Engine: engine, Workers: 1, Memory: 1 << 20, MaxSteps: 1 << 20})
	if errors.Is(err, ptxvm.ErrNoJIT) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	b, err := ptxvm.Upload(d, memory)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Launch(context.Background(), ptxvm.Launch{Block: line(32)}, append([]any{b}, args...)...); err != nil {
		t.Fatalf("%v: %v\n%s", engine, err, src)
	}
	if err := ptxvm.Download(b, memory); err != nil {
		t.Fatal(err)
	}
	return true
}
