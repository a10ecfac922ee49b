package jit

// What instructions do in a CTA's program.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// execute runs an instruction that is no branch for the lanes of w.run; false if the program cannot have it.
func (k *cta) execute(w *ctaWarp, in *machine.Inst, s *step) bool {
	switch s.op.Kind {
	case sem.OpNothing:
		return true
	case sem.OpMove:
		c := w.env[in.A].cond
		return c != nil && k.writeCond(w, in.D, c.turned(in.Imm != 0))
	case sem.OpLogic:
		a, b := w.env[in.A].cond, w.env[in.B].cond
		if a == nil || b == nil && s.op.Word != uop.WordNot && s.op.Word != uop.WordFirst {
			return false
		}
		return k.writeCond(w, in.D, combined(s.op.Word, a.turned(uint32(in.Imm) != 0), b.turned(in.Imm>>32 != 0)))
	case sem.OpCompare:
		return k.compare(w, s)
	case sem.OpLoad:
		return k.load(w, in, s)
	case sem.OpStore:
		return k.store(w, in, s)
	case sem.OpSelect:
		return k.selection(w, s)
	case sem.OpShuffle:
		return k.shuffle(w, s)
	}
	if s.prog == nil {
		return false
	}
	if s.dst.typ == tM {
		return k.writeCond(w, s.dst.off, k.comparison(w, s.prog, s.in))
	}
	v, ok := k.compute(w, s.prog, s.in)
	return ok && k.write(w, &s.dst, v)
}

// read is what an instruction reads.
func (k *cta) read(w *ctaWarp, src *source) (v ctaVal, ok bool) {
	if src.known {
		if src.typ == tM {
			return v, false
		}
		return ctaVal{poly: k.mem.cta.known(src.typ, src.value)}, true
	}
	if s := k.specials[src.off]; s != nil {
		p := k.special(w, s, src.typ)
		return ctaVal{poly: p}, p != nil
	}
	if src.typ == tM {
		if c, ok := k.consts[src.off]; ok {
			return ctaVal{cond: knownCond(-uint32(c.Value & 1))}, true
		}
	}
	v, ok = w.env[src.off]
	switch {
	case !ok:
		return v, false
	case v.poly != nil:
		ok = v.poly.typ == src.typ
	case v.node != nil:
		ok = src.typ == tW
	default:
		ok = src.typ == tM
	}
	return v, ok
}

// special is the value of a special register; nil if it cannot be one here.
func (k *cta) special(w *ctaWarp, s *specials.Ref, t typ) *ctaPoly {
	if s.Width == regs.Pred {
		return nil
	}
	var row [32]uint64
	x, y := uint64(k.shape.BlockX), uint64(k.shape.BlockY)
	for i := range row {
		n := uint64(32*w.index + i)
		switch {
		case s.Reg == specials.SharedBase: // of the first CTA of its cluster, which has no other
		case s.Reg == threadID() && s.Comp < 3:
			row[i] = [...]uint64{n % x, n / x % y, n / x / y}[s.Comp]
		case s.Reg == blockExtent() && s.Comp < 3:
			row[i] = [...]uint64{x, y, uint64(k.shape.BlockZ)}[s.Comp]
		case s.Reg == laneID():
			row[i] = uint64(i)
		default:
			if class := specials.ClassOf(s.Reg); s.Add != 0 || class != specials.PerLaunch && class != specials.PerCTA {
				return nil
			}
			if _, ok := s.CTAPart(); !ok && specials.ClassOf(s.Reg) == specials.PerCTA {
				return nil
			}
			return k.atom(t, ctaAtom{kind: atomSpecial, off: s.Off})
		}
		row[i] = t.cut(row[i] + s.Add)
	}
	return k.mem.cta.of(t, "", &row, s.Reg == threadID() || s.Reg == laneID())
}

// write gives the lanes that run a value.
func (k *cta) write(w *ctaWarp, d *source, v ctaVal) bool {
	old, had := w.env[d.off]
	if had && k.keepsOld(w) {
		if d.slot {
			return false
		}
		switch {
		case v.poly != nil && old.poly != nil && v.poly.typ == old.poly.typ && (w.when == nil || v.poly.equal(old.poly)):
			if v.poly = bounded(v.poly.blend(w.run, old.poly)); v.poly == nil {
				return false
			}
		case v.poly != nil && v.poly.typ == tX || v.cond != nil || old.cond != nil || old.poly != nil && old.poly.typ == tX:
			return false
		default:
			v = ctaVal{node: k.node(w, ctaNode{kind: nodeMerge, lanes: w.run, when: w.when, in: []ctaVal{v, old}})}
		}
	}
	w.env[d.off] = v
	return true
}

// keepsOld tells whether lanes that do not execute an instruction may look at what it does not overwrite.
func (k *cta) keepsOld(w *ctaWarp) bool {
	switch {
	case w.runs.all():
		return false
	case !w.runs.equal(w.here):
		return true
	}
	for _, g := range k.live.uses.writes(w.pc) {
		for _, at := range w.places {
			if live := k.live.at(at.pc); live.Has(int(g)) {
				return true
			}
		}
	}
	return false
}

func (k *cta) writeCond(w *ctaWarp, off uint32, c *ctaCond) bool {
	if c == nil {
		return false
	}
	if old := w.env[off].cond; old != nil && k.keepsOld(w) {
		if c = k.blended(w, c, old); c == nil {
			return false
		}
	}
	w.env[off] = ctaVal{cond: c}
	return true
}

// compute runs a lane function: on polynomials when compiled, else later.
func (k *cta) compute(w *ctaWarp, p *program, in []source) (v ctaVal, ok bool) {
	need := needed(p)
	args, rows := k.mem.cta.vals.take(len(in)), false
	for i := range p.ops {
		if o := &p.ops[i]; o.code == cIn && need[i] {
			if args[o.imm], ok = k.read(w, &in[o.imm]); !ok {
				return v, false
			}
			rows = rows || args[o.imm].node != nil
		}
	}
	if o := &p.ops[p.result]; o.code == cIn {
		return args[o.imm], true
	}
	if !rows {
		if out, ok := k.evaluate(w, p, args); ok {
			return ctaVal{poly: out}, true
		}
	}
	return k.later(w, p, args)
}

// later makes a program one that is to be run. Its NaNs become canonical in a node of its own, which those who do
// not tell NaNs apart pass by.
func (k *cta) later(w *ctaWarp, p *program, args []ctaVal) (v ctaVal, ok bool) {
	need := needed(p)
	for i := range p.ops {
		if need[i] && p.ops[i].typ == tX || p.ops[i].code == cTable || p.ops[i].code == cLanes {
			return v, false
		}
	}
	for i := range p.ops {
		if o := &p.ops[i]; o.code == cIn && need[i] {
			if n := args[o.imm].node; n != nil && n.kind == nodeCanon && p.blind(val(i), need) {
				args[o.imm] = n.in[0]
			}
		}
	}
	if o := &p.ops[p.result]; o.code == cCanon && !p.anyNaN {
		n := k.node(w, ctaNode{kind: nodeProgram, prog: k.bareOf(p, o.a), in: args})
		return ctaVal{node: k.node(w, ctaNode{kind: nodeCanon, in: []ctaVal{{node: n}}})}, true
	}
	return ctaVal{node: k.node(w, ctaNode{kind: nodeProgram, prog: p, in: args})}, true
}

// bareOf is a program without its last operation, which makes NaNs canonical.
func (k *cta) bareOf(p *program, result val) *program {
	q := k.bare[p]
	if q == nil {
		bare := *p
		q = &bare
		q.result = result
		q.settle()
		k.bare[p] = q
	}
	return q
}

// evaluate runs a program on polynomials; false if its result is none.
func (k *cta) evaluate(w *ctaWarp, p *program, args []ctaVal) (out *ctaPoly, ok bool) {
	vals := k.mem.cta.found.take(len(p.ops))
	for i, need := range needed(p) {
		if !need {
			continue
		}
		o := &p.ops[i]
		if o.code == cIn {
			vals[i] = args[o.imm].poly
		} else {
			vals[i] = k.operation(w, p, o, vals)
		}
		if vals[i] == nil {
			return nil, false
		}
	}
	return vals[p.result], true
}

// operation is one operation on polynomials, nil if the result is none.
func (k *cta) operation(w *ctaWarp, p *program, o *operation, vals []*ctaPoly) *ctaPoly {
	if o.typ == tM {
		return k.known(p, o, vals)
	}
	if v := k.known(p, o, vals); v != nil {
		return v
	}
	arg := func(i int) *ctaPoly { return vals[o.args()[i]] }
	switch o.code {
	case cAdd, cSub:
		return bounded(arg(0).sum(arg(1), o.code == cSub))
	case cMul:
		return arg(0).times(arg(1))
	case cShlI:
		return arg(0).times(k.mem.cta.known(o.typ, 1<<o.imm))
	case cSext:
		return k.extended(w, arg(0), false)
	case cZext:
		return k.extended(w, arg(0), true)
	case cTrunc:
		return k.truncated(arg(0))
	case cMulLS:
		if p.halves(o.a, cMulLS) && p.halves(o.b, cMulLS) {
			return arg(0).times(arg(1))
		}
	case cMulLU:
		if p.halves(o.a, cMulLU) && p.halves(o.b, cMulLU) {
			return arg(0).times(arg(1))
		}
	}
	return nil
}

func bounded(p *ctaPoly) *ctaPoly {
	if len(p.terms) > maxCTATerms {
		return nil
	}
	return p
}

// known evaluates an operation on what is known, lane by lane; truth values are rows of 0 and 1.
func (k *cta) known(p *program, o *operation, vals []*ctaPoly) *ctaPoly {
	switch o.code {
	case cTable:
		return k.ofLanes(tW, func(i int) uint64 { return uint64(p.tables[o.imm][i]) })
	case cLanes:
		return k.ofLanes(tM, func(i int) uint64 { return o.imm >> i & 1 })
	}
	var in [3]*[32]uint64
	lanes := false
	for i, a := range o.args() {
		row, ok := vals[a].known()
		if !ok {
			return nil
		}
		in[i], lanes = row, lanes || vals[a].fromLanes()
	}
	from := tM
	if o.n > 0 {
		from = p.typ(o.a)
	}
	var out [32]uint64
	for i := range out {
		var x [3]uint64
		for j := range o.args() {
			x[j] = in[j][i]
		}
		v, ok := evaluateLane(o, from, x[0], x[1], x[2])
		if !ok {
			return nil
		}
		out[i] = o.typ.cut(v)
	}
	return k.mem.cta.of(o.typ, "", &out, lanes)
}

// ofLanes is a row that is the same in every warp.
func (k *cta) ofLanes(t typ, value func(i int) uint64) *ctaPoly {
	var row [32]uint64
	lanes := false
	for i := range row {
		row[i] = value(i)
		lanes = lanes || row[i] != row[0]
	}
	return k.mem.cta.of(t, "", &row, lanes)
}

// extended is a polynomial of 32 bits with 64, if its lanes that run do not wrap.
func (k *cta) extended(w *ctaWarp, p *ctaPoly, zeros bool) *ctaPoly {
	s := k.split(p)
	k.demandFits(s, w.run, w.when)
	if zeros {
		k.order(w.pc, &ctaSplit{}, s, w.run, w.when, true)
	}
	out := k.mem.cta.poly(tX, nil, 0)
	if s.num != nil {
		a := k.atom(tX, ctaAtom{kind: atomNumber, num: s.num})
		if a == nil {
			return nil
		}
		out = a
	}
	for i := range s.rates {
		a := k.atom(tX, ctaAtom{kind: atomNumber, num: s.rates[i].num})
		if a == nil {
			return nil
		}
		out = out.plus(a.terms[0].mono, unsignedRow(&s.rates[i].coef), true)
	}
	lanes := false
	for _, t := range p.terms {
		lanes = lanes || t.mono == "" && t.lanes
	}
	return bounded(out.plus("", unsignedRow(&s.known), lanes))
}

// truncated is the lower half of a polynomial of 64 bits whose numbers have been extended; nil if others have part in it.
func (k *cta) truncated(p *ctaPoly) *ctaPoly {
	out := k.mem.cta.poly(tW, nil, 0)
	for _, t := range p.terms {
		product := k.mem.cta.of(tW, "", t.coef, t.lanes)
		for _, a := range []byte(t.mono) {
			from := &k.atoms[a]
			if from.kind != atomNumber {
				return nil
			}
			if product = product.times(k.mem.cta.poly(tW, from.num.terms, 0)); product == nil {
				return nil
			}
		}
		out = out.sum(product, false)
	}
	return bounded(out)
}

func unsignedRow(c *[32]int64) *[32]uint64 {
	var out [32]uint64
	for i := range c {
		out[i] = uint64(c[i])
	}
	return &out
}

// selection runs selp: by a predicate that is known, or parts them, or that all lanes are to have as the first to run finds it.
func (k *cta) selection(w *ctaWarp, s *step) bool {
	c := w.env[s.in[2].off].cond
	if c == nil {
		return false
	}
	hold, rest, ok := k.part(w, c, w.runs, true, true)
	if !ok {
		return false
	}
	pick := func(i int) (ctaVal, bool) { return k.read(w, &s.in[i]) }
	switch {
	case len(rest) == 0:
		v, ok := pick(0)
		return ok && k.write(w, &s.dst, v)
	case len(hold) == 0:
		v, ok := pick(1)
		return ok && k.write(w, &s.dst, v)
	}
	a, ok1 := pick(0)
	b, ok2 := pick(1)
	if !ok1 || !ok2 || s.dst.slot || !k.write(w, &s.dst, b) {
		return false
	}
	runs := w.runs
	k.narrow(w, hold)
	defer k.narrow(w, runs)
	return k.write(w, &s.dst, a)
}

// load runs a load.
func (k *cta) load(w *ctaWarp, in *machine.Inst, s *step) bool {
	m := &s.op.Memory
	if m.By == sem.ByKernel {
		return k.loadParameter(w, s)
	}
	if m.Elem != 4 || slices.ContainsFunc(m.Bits, func(n int) bool { return n != 32 }) {
		return false
	}
	at := k.place(w, in, s)
	if at == nil {
		return false
	}
	for i := range m.At {
		d := &s.in[1+i]
		if d.off == machine.NoGuard {
			continue
		}
		if d.typ != tW || !k.write(w, d, ctaVal{node: k.node(w, ctaNode{kind: nodeLoad, lanes: w.run, when: w.when, at: k.element(at, i)})}) {
			return false
		}
	}
	return true
}

// element is where element i of an access is.
func (k *cta) element(at *ctaPlace, i int) *ctaPlace {
	if i == 0 {
		return at
	}
	p, s := k.mem.cta.places.one(), k.mem.cta.splits.one()
	*s = *at.ctaSplit
	for lane := range s.known {
		s.known[lane] += 4 * int64(i)
	}
	*p = ctaPlace{shared: at.shared, ctaSplit: s}
	return p
}

// loadParameter runs a load from the kernel's parameters.
func (k *cta) loadParameter(w *ctaWarp, s *step) bool {
	for i := range s.op.Memory.At {
		d := &s.in[1+i]
		if d.off == machine.NoGuard {
			continue
		}
		p := k.atom(d.typ, ctaAtom{kind: atomParam, off: uint32(w.pc), part: i})
		if p == nil || !k.write(w, d, ctaVal{poly: p}) {
			return false
		}
	}
	return true
}

// store runs a store.
func (k *cta) store(w *ctaWarp, in *machine.Inst, s *step) bool {
	m := &s.op.Memory
	if m.Elem != 4 {
		return false
	}
	at := k.place(w, in, s)
	if at == nil {
		return false
	}
	for i := range m.At {
		v, ok := k.read(w, &s.in[1+i])
		if !ok || s.in[1+i].typ != tW {
			return false
		}
		k.items = append(k.items, k.mem.cta.item(ctaItem{store: &ctaNode{lanes: w.run, when: w.when, in: []ctaVal{v}, at: k.element(at, i), pc: w.pc, warp: w.index, phase: k.phase}}))
	}
	return true
}

// ctaPlace is where the lanes of an access are.
type ctaPlace struct {
	shared bool
	*ctaSplit
}

// place finds the addresses of the lanes that run, and demands that they are inside; nil if no program has them.
func (k *cta) place(w *ctaWarp, in *machine.Inst, s *step) *ctaPlace {
	m := &s.op.Memory
	addr := k.mem.cta.known(tX, 0)
	if m.By != sem.ByConst {
		src := s.in[0]
		v, ok := k.read(w, &src)
		if !ok || v.poly == nil {
			return nil
		}
		addr = v.poly
	}
	shared := m.Space == machine.Shared && k.bounds[w.pc] < 0
	p := k.mem.cta.places.one()
	*p = ctaPlace{shared: shared}
	if shared {
		row, ok := addr.known()
		if !ok {
			return nil
		}
		p.ctaSplit = k.mem.cta.splits.one()
		for i := range row {
			if p.known[i] = int64(row[i] + in.Imm); p.known[i] < 0 || p.known[i] >= 1<<mem.RankShift {
				return nil
			}
		}
	} else {
		if addr.typ != tX || m.Space == machine.Shared {
			return nil
		}
		p.ctaSplit = k.split(addr)
		for i := range p.known {
			p.known[i] += int64(in.Imm)
		}
		if p.num == nil && !k.fixed(p.ctaSplit) {
			return nil
		}
	}
	return k.bound(w, p, m, s.op.Kind == sem.OpLoad)
}

// fixed has what is known of the first lane's address as a number; false if other numbers are part of it.
func (k *cta) fixed(s *ctaSplit) bool {
	if len(s.rates) != 0 {
		return false
	}
	at := s.known[0]
	s.num = k.number(tX, []ctaTerm{{coef: rowOf(uint64(at))}})
	for i := range s.known {
		s.known[i] -= at
	}
	return true
}

// bound demands that an access is inside and aligned.
func (k *cta) bound(w *ctaWarp, p *ctaPlace, m *sem.MemoryUse, load bool) *ctaPlace {
	n, align, size := k.vectorLanes(), int64(max(m.Align, 1)), int64(4*len(m.At))
	low, high := int64(1)<<40, int64(-1)<<40
	reach := ctaExtent{}
	var room [32]ctaRun
	for first := 0; first < 32; first += n {
		runs := p.appendRuns(room[:0], first, n, w.run)
		if scattered(runs) && !p.alike(first, n, w.run) {
			return nil
		}
		whole := load && !p.shared && w.when == nil && !scattered(runs) // registers are read to their ends
		for lane := first; lane < first+n; lane++ {
			if w.run>>lane&1 == 0 {
				continue
			}
			if p.known[lane]%align != 0 {
				return nil
			}
			for i := range p.rates {
				if p.rates[i].coef[lane]%align != 0 {
					return nil
				}
			}
		}
		for _, r := range runs {
			if !load && r.step == 0 && r.n > 1 && w.when != nil {
				return nil // which lane is the last one is not known
			}
			a, b := r.lane, r.lane+r.n
			if whole {
				a, b = first, first+n
			}
			from := p.known[r.lane] + int64(a-r.lane)*r.step
			to := p.known[r.lane] + int64(b-1-r.lane)*r.step + size
			low, high = min(low, from), max(high, to)
			reach.add(p.ctaSplit, r.lane, from, to)
		}
	}
	if p.shared {
		k.low, k.high = min(k.low, low), max(k.high, high)
		return p
	}
	k.demandInside(w.pc, p.ctaSplit, &reach, align, size, load, w.when)
	return p
}

// vectorLanes is how many lanes a register has.
func (k *cta) vectorLanes() int {
	if k.wide512 {
		return 16
	}
	return 8
}

// ctaRun is lanes of a register that follow each other, or have one address.
type ctaRun struct {
	lane, n int
	step    int64
}

// runs are those of n lanes from a first one on that execute an access.
func (s *ctaSplit) runs(first, n int, lanes uint32) []ctaRun {
	return s.appendRuns(nil, first, n, lanes)
}

// appendRuns adds them to a list that is empty.
func (s *ctaSplit) appendRuns(list []ctaRun, first, n int, lanes uint32) []ctaRun {
	for i := first; i < first+n; i++ {
		if lanes>>i&1 == 0 {
			continue
		}
		if k := len(list) - 1; k >= 0 {
			r := &list[k]
			step := s.known[i] - s.known[i-1]
			if i == r.lane+r.n && s.sameRates(i, r.lane) && (step == 4 || step == 0) && (r.n == 1 || step == r.step) {
				r.n, r.step = r.n+1, step
				continue
			}
		}
		list = append(list, ctaRun{lane: i, n: 1, step: 4})
	}
	return list
}

func (s *ctaSplit) sameRates(i, j int) bool {
	for k := range s.rates {
		if s.rates[k].coef[i] != s.rates[k].coef[j] {
			return false
		}
	}
	return true
}
