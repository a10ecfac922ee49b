// Package ir holds a PTX module as typed three-address code: what stands between the
// checked syntax tree and decoded code.
//
// It is not SSA: PTX registers are virtual already. A function is one array of
// instructions in blocks; the index of an instruction is its pc in every later stage.
// Blocks stand in reverse post-order with every loop contiguous, so that the scheduler,
// which runs the fragment with the smallest pc first, reconverges at post-dominators.
//
//	Module ─ Vars, Funcs, Locs
//	Func   ─ Regs, Params, Rets, Locals, Insts, Blocks, Rows
//	Block  ─ Insts[First:End], Succs, Preds, IDom, IPDom, live registers at its edges
//	Inst   ─ Sel (chosen form), Guard, Ops in written order, Targets, Call
//
// Build fills everything that follows from the instructions; Verify checks it; Print and
// Parse are its text form.
package ir
