package x86

import (
	"fmt"
	"strings"
)

// explain says why no form of in.op can say in.
func (a *Asm) explain(in *inst, d *deco) error {
	if a.err != nil {
		return a.err
	}
	forms := in.op.forms()
	why := fmt.Sprintf("no instruction has the number %d", in.op)
	if len(forms) > 0 {
		why = fmt.Sprintf("%s takes no operands %v", in.op, in.shape)
	}
	for i := range forms {
		if f := &forms[i]; in.shape == f.reg || in.shape == f.mem {
			why = in.op.String() + ": " + f.obstacle(in, d)
		}
	}
	return fmt.Errorf("x86: at %#x: %s", len(a.buf), why)
}

// obstacle says what of in, whose operands are of the right kinds, f cannot say.
func (f *form) obstacle(in *inst, d *deco) string {
	if in.shape == f.mem {
		if why := in.m.wrong(); why != "" {
			return why
		}
		if in.m.vsib != (f.memory().index != 0) {
			return "a vector of indices is for gathers and scatters, which need one"
		}
	}
	switch {
	case in.gatherOverlaps():
		return "destination, indices and mask of a gather must be distinct registers"
	case !f.operandsFit(in):
		return fmt.Sprintf("a register number or the immediate %d is out of range", in.imm)
	case f.sizes != 0:
		return f.generalObstacle(in)
	case (f.vex|f.evex)>>in.w&1 == 0:
		return fmt.Sprintf("not at %d bits", Width(in.w).Bytes()*8)
	case f.evex>>in.w&1 == 0:
		return "no EVEX form at this width: no registers 16 to 31, write masks, broadcasts, roundings"
	case d.k == 0 && f.flags&mustMask != 0:
		return "a write mask must be given"
	}
	return "this write mask, zeroing, broadcast, rounding or lock is not allowed here"
}

func (f *form) generalObstacle(in *inst) string {
	if f.sizes>>in.w&1 == 0 {
		return fmt.Sprintf("not with %d bits", Size(in.w).Bytes()*8)
	}
	return "this lock, write mask, broadcast or rounding is not allowed here"
}

// String returns the kinds: "vector, memory".
func (s shape) String() string {
	names := [...]string{kVec: "vector", kReg: "general register", kK: "mask register", kMem: "memory", kImm: "immediate"}
	var all []string
	for i := 0; s.at(i) != 0; i++ {
		all = append(all, names[s.at(i)])
	}
	return "(" + strings.Join(all, ", ") + ")"
}
