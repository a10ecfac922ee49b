package machine

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/passing"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// TestDivergentLoop runs a loop of tid%7 trips and an if in its body; lanes meet again.
func TestDivergentLoop(t *testing.T) {
	m := newMachine(t, 1100)
	c := code(
		op(hImm, r(1), 0, 0, 0),                // 0: i = 0
		op(hImm, r(2), 0, 0, 0),                // 1: sum = 0
		op(hAnI, r(3), tid, 0, 7),              // 2: n = tid & 7
		op(hLt, p(0), r(1), r(3), 0),           // 3: head
		bra(10, 10).unless(p(0)),               // 4
		op(hAnI, r(4), r(1), 0, 1),             // 5
		op(hEqI, p(1), r(4), 0, 1),             // 6
		op(hAdI, r(2), r(2), 0, 10).when(p(1)), // 7
		op(hAdI, r(1), r(1), 0, 1),             // 8
		bra(3, 3),                              // 9
		op(hOut, 0, r(2), 0, 64),               // 10
		op(hExit, 0, 0, 0, 0),
	)
	for _, block := range []uint32{1, 31, 32, 33, 64, 1000} {
		s := m.mustRun(c, 1, block, nil)
		m.want(int(block), func(i int) uint32 { return uint32(i&7) / 2 * 10 })
		if block == 32 && s.Steps > 3+7*7+2+2+4 {
			t.Errorf("%d steps: the lanes did not stay together", s.Steps)
		}
	}
}

// TestIfElse counts how often the code behind an if is entered: once a warp.
func TestIfElse(t *testing.T) {
	m := newMachine(t, 1100)
	c := code(
		op(hLtI, p(0), tid, 0, 16),
		bra(4, 5).when(p(0)),
		op(hImm, r(1), 0, 0, 5),
		bra(5, 5),
		op(hImm, r(1), 0, 0, 7),
		op(hOut, 0, r(1), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	s := m.mustRun(c, 1, 32, nil)
	m.want(32, func(i int) uint32 {
		if i < 16 {
			return 7
		}
		return 5
	})
	if s.Steps != 7 {
		t.Errorf("%d steps, want 7", s.Steps)
	}
}

// TestLockLoop is a spin lock taken by every lane, with a plain counter inside and a uniform
// counter around: the case that breaks a reconvergence stack.
func TestLockLoop(t *testing.T) {
	m := newMachine(t, 1100)
	c := code(
		op(hImm, r(5), 0, 0, 0),    // 0: trips = 0
		op(hCAS, r(1), 0, 0, 0),    // 1: head: try lock (word 0)
		op(hEqI, p(0), r(1), 0, 0), // 2
		bra(1, 4).unless(p(0)),     // 3: spin
		op(hGet, r(2), 0, 0, 1),    // 4: counter++ (word 1), not atomic
		op(hAdI, r(2), r(2), 0, 1), // 5
		op(hXch, r(3), r(2), 0, 1), // 6
		op(hImm, r(4), 0, 0, 0),    // 7
		op(hXch, r(3), r(4), 0, 0), // 8: unlock
		op(hAdI, r(5), r(5), 0, 1), // 9
		op(hLtI, p(1), r(5), 0, 3), // 10
		bra(1, 12).when(p(1)),      // 11
		op(hOut, 0, r(5), 0, 64),   // 12
		op(hExit, 0, 0, 0, 0),
	)
	for _, block := range []uint32{32, 33, 96} {
		m.mustRun(c, 2, block, nil)
		if got := m.words[1]; got != 2*3*block {
			t.Errorf("block %d: counter %d, want %d", block, got, 2*3*block)
		}
		m.want(int(block), func(int) uint32 { return 3 })
	}
}

// TestRecursion lets lane i call itself i%5 deep; every level adds its depth.
func TestRecursion(t *testing.T) {
	m := newMachine(t, 1100)
	site := &CallSite{
		Args: []passing.Move{{Kind: passing.Row32, From: r(1), To: r(1)}},
		Rets: []passing.Move{{Kind: passing.Row32, From: r(2), To: r(2)}},
	}
	call := Inst{Full: hCall, Part: hCall, Ext: &Ext{Call: site}, Guard: NoGuard}
	f := code(
		op(hEqI, p(0), r(1), 0, 0),          // 0
		bra(7, -1).when(p(0)),               // 1
		op(hImm, r(3), 0, 0, 0),             // 2
		op(hAdd, r(3), r(1), r(3), 0),       // 3: keep n
		op(hAdI, r(1), r(1), 0, ^uint64(0)), // 4
		call,                                // 5: r2 = f(n-1)
		op(hAdd, r(2), r(2), r(3), 0),       // 6
		op(hRet, 0, 0, 0, 0),                // 7
	)
	site.Callee = f
	main := code(
		op(hAnI, r(1), tid, 0, 3),     // 0
		op(hAdI, r(6), tid, 0, 0),     // 1: survives the call
		call,                          // 2
		op(hAdd, r(2), r(2), r(6), 0), // 3
		op(hOut, 0, r(2), 0, 64),      // 4
		op(hExit, 0, 0, 0, 0),
	)
	s := m.mustRun(main, 1, 32, nil)
	m.want(32, func(i int) uint32 { n := uint32(i & 3); return n*(n+1)/2 + uint32(i) })
	if s.Steps > 6+8*4 {
		t.Errorf("%d steps: returning lanes did not meet", s.Steps)
	}
	deep := code(op(hImm, r(1), 0, 0, 1<<30), call, op(hExit, 0, 0, 0, 0))
	_, err := m.launch(deep, 1, 32, nil)
	if fault, ok := err.(*Fault); !ok || fault.Kind != faults.StackOverflow || len(fault.Calls) < 100 {
		t.Errorf("endless recursion: %v", err)
	}
}

// TestIndirect calls through addresses that differ by lane, from both arms of a branch.
func TestIndirect(t *testing.T) {
	m := newMachine(t, 1100)
	add := func(n uint64) *Code {
		return code(op(hAdI, r(2), r(1), 0, n), op(hRet, 0, 0, 0, 0))
	}
	functions := map[uint64]*Code{16: add(100), 32: add(200)}
	memory, x1, x2 := passing.Home{{Kind: passing.Memory, Size: 4}}, passing.Home{{Kind: passing.Row32, Off: r(1)}}, passing.Home{{Kind: passing.Row32, Off: r(2)}}
	for _, f := range functions {
		f.Func = &FuncInfo{Name: "f"}
		f.Passed = passing.Side{Args: []passing.Home{memory, x1}, Rets: []passing.Home{x2}}
	}
	site := &CallSite{Open: &passing.Side{Args: []passing.Home{memory, x1}, Rets: []passing.Home{x2}}}
	address := lanes(func(w *Warp, in *Inst, i int) { w.R64(in.D)[i] = 16 + 16*uint64(i&1) })
	main := code(
		op(address, x(0), 0, 0, 0),
		op(hAdI, r(1), tid, 0, 0),
		Inst{Full: hCalX, Part: hCalX, A: x(0), Ext: &Ext{Call: site}, Guard: NoGuard},
		op(hOut, 0, r(2), 0, 64),
		op(hExit, 0, 0, 0, 0),
	)
	main.ParamBytes = 16
	s := m.mustRun(main, 1, 33, func(l *Launch) { l.Functions = functions })
	m.want(33, func(i int) uint32 { return uint32(i) + 100 + 100*uint32(i%32&1) })
	if s.Steps != 5+4+5+2 {
		t.Errorf("%d steps, want 16", s.Steps)
	}
	_, err := m.launch(main, 1, 33, nil)
	if fault, ok := err.(*Fault); !ok || fault.Kind != faults.BadIndirectCall {
		t.Errorf("call of no function: %v", err)
	}
	functions[32].Passed.Args = []passing.Home{memory, {{Kind: passing.Row64, Off: r(1)}}}
	_, err = m.launch(main, 1, 33, func(l *Launch) { l.Functions = functions })
	const misfit = "the call passes (4 bytes in .param, a register of 32 bits) and takes (a register of 32 bits), " +
		"f has (4 bytes in .param, a register of 64 bits) and returns (a register of 32 bits)"
	if fault, ok := err.(*Fault); !ok || fault.Kind != faults.BadIndirectCall || fault.Text != misfit {
		t.Errorf("call of a function with another signature: %v", err)
	}
}

// TestConvergedScalars keeps a loop counter in a scalar slot around a lock loop: the frame has
// to leave the converged state and may come back.
func TestConvergedScalars(t *testing.T) {
	m := newMachine(t, 1100)
	scalar := uint32(testScalar)
	conv := []Inst{
		op(hSAdd, scalar, 0, 0, 0), // 0
		op(hCAS, r(1), 0, 0, 0),    // 1
		op(hEqI, p(0), r(1), 0, 0), // 2
		bra(1, 4).unless(p(0)),     // 3
		op(hGet, r(2), 0, 0, 1),    // 4
		op(hAdI, r(2), r(2), 0, 1), // 5
		op(hXch, r(3), r(2), 0, 1), // 6
		op(hImm, r(4), 0, 0, 0),    // 7
		op(hXch, r(3), r(4), 0, 0), // 8
		op(hSAdd, scalar, 0, 0, 1), // 9
		op(func(w *Warp, in *Inst) State { // 10: uniform predicate from the scalar
			*w.P(in.D) = 0
			if *w.S64(in.A) < 5 {
				*w.P(in.D) = ^uint32(0)
			}
			return Next
		}, p(1), scalar, 0, 0),
		bra(1, 12).when(p(1)),         // 11
		op(hSOut, r(5), scalar, 0, 0), // 12
		op(hOut, 0, r(5), 0, 64),      // 13
		op(hExit, 0, 0, 0, 0),
	}
	row := append([]Inst(nil), conv...)
	row[0] = op(hImm, r(8), 0, 0, 0)
	row[9] = op(hAdI, r(8), r(8), 0, 1)
	row[10] = op(hLtI, p(1), r(8), 0, 5)
	row[12] = op(hAdI, r(5), r(8), 0, 0)
	conv[0].Flags |= WritesScalar
	conv[9].Flags |= WritesScalar
	c := code(row...)
	c.Insts = conv
	c.Scalars = []regs.Scalar{{Slot: scalar, Row: r(8), Width: regs.Row32, Live: []regs.Range{{From: 1, To: 13}}}}
	m.mustRun(c, 1, 64, nil)
	if m.words[1] != 5*64 {
		t.Errorf("counter %d, want %d", m.words[1], 5*64)
	}
	m.want(64, func(int) uint32 { return 5 })
}
