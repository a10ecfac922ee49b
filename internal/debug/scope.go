package debug

// This file finds what names stand for in the focus: registers, parameters, variables, and the memory behind them.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/value"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Scope is where expressions are evaluated: a lane of a warp, in a frame, at a moment.
type Scope struct {
	Pause   *machine.Pause // nil: the launch does not run
	Warp    *machine.Warp
	Lane    int
	Lanes   uint32 // of the fragment that holds the lane
	Frame   *machine.Frame
	Func    *ir.Func
	PC      int32
	History []Value // $1, $2, …

	parts vm.Parts
	level int // of the frame, from the innermost
	info  vm.KernelInfo
	rows  rowCache
}

// rowCache remembers where functions have their registers.
type rowCache map[*ir.Func]func(ir.Reg) (regs.Row, bool)

func (c rowCache) of(f *ir.Func) func(ir.Reg) (regs.Row, bool) {
	if c[f] == nil {
		c[f] = decode.RegisterRows(f)
	}
	return c[f]
}

// ErrNotRunning is what an expression answers that needs a running launch.
var ErrNotRunning = errors.New("The program is not being run.")

// moveTo makes another lane of the warp the one that is looked at, in its innermost frame.
func (s *Scope) moveTo(lane int) error {
	for _, f := range s.Pause.Fragments(s.Warp) {
		if f.Lanes>>lane&1 != 0 {
			s.Lane, s.Lanes, s.Frame, s.PC = lane, f.Lanes, f.Frame, f.PC
			s.Func = decode.FuncOf(f.Frame.Func())
			return s.climb(s.level)
		}
	}
	return fmt.Errorf("Lane %d has exited.", lane)
}

// climb goes so many frames outwards.
func (s *Scope) climb(levels int) error {
	for range levels {
		if s.Frame.Caller() == nil {
			return errors.New("No frame at that level.")
		}
		s.PC, s.Frame = s.Frame.CallPC(), s.Frame.Caller()
		s.Func = decode.FuncOf(s.Frame.Func())
	}
	return nil
}

// register reads a register of the frame; ok is false if the function has none of the name.
func (s *Scope) register(name string, lane int) (v Value, ok bool, err error) {
	r := s.Func.Reg(name)
	if r == ir.NoReg {
		return v, false, nil
	}
	row, used := s.rows.of(s.Func)(r)
	info := &s.Func.Regs[r]
	t := registerType(info)
	if !used {
		return Value{Type: t}, true, nil // nothing has written it
	}
	held := s.Frame.Register(row)
	v = Value{Low: held.Low[lane], High: held.High[lane], Type: t, Home: &Home{Register: name, Lane: lane}}
	return v, true, nil
}

// registerType is how a register's values are printed; the zero type for predicates.
func registerType(r *ir.RegInfo) value.Type {
	if r.Bits == 1 {
		return value.Type{}
	}
	t, err := value.ParseType(strings.TrimPrefix(r.Type.String(), "."))
	if err != nil || t.Bits() != int(r.Bits) {
		return bitsOf(int(r.Bits))
	}
	return t
}

// variable finds a variable by its name: of the function, else of the module.
func (s *Scope) variable(name string) (found *ir.Var, ok bool) {
	consider := func(list []*ir.Var) {
		for _, v := range list {
			own := s.Func != nil && v.Func == s.Func
			short := shortName(v)
			if (v.Name == name || short == name || strings.HasSuffix(short, "::"+name)) && (v.Func == nil || own || v.Space == ir.SpaceShared) && (found == nil || own) {
				found = v
			}
		}
	}
	if s.Func != nil {
		consider(s.Func.Locals)
		consider(s.Func.Shared)
	}
	consider(s.parts.Module.Vars)
	return found, found != nil
}

// parameter finds one of the function's, else of the kernel's: by its name, or by the end of it behind the function's name, as
// compilers write param_0.
func (s *Scope) parameter(name string) (*ir.Param, bool) {
	for _, f := range []*ir.Func{s.Func, s.parts.Kernel} {
		if f == nil {
			continue
		}
		for _, p := range f.Params {
			if p.Name == name || p.Name == f.Name+"_"+name {
				return p, true
			}
		}
	}
	return nil, false
}

// parameterName is the name of a function's parameter; one that a compiler has numbered behind the function's name goes without that.
func parameterName(f *ir.Func, p *ir.Param) string {
	if rest, ok := strings.CutPrefix(p.Name, f.Name+"_"); ok && strings.HasPrefix(rest, "param_") {
		return rest
	}
	return p.Name
}

// pointee is what a kernel's parameter most likely points to.
func (s *Scope) pointee(name string) value.Type {
	p, ok := s.parameter(name)
	for i := range s.info.Params {
		if ok && s.info.Params[i].Name == p.Name {
			if t, err := value.ParseType(s.info.Params[i].Elem); err == nil {
				return t
			}
		}
	}
	return typeU32
}

// place is where a variable lies.
func (s *Scope) place(v *ir.Var) (space string, addr uint64, err error) {
	switch v.Space {
	case ir.SpaceGlobal, ir.SpaceConst:
		return v.Space.String(), s.parts.Address(v), nil
	}
	if s.Warp == nil {
		return "", 0, ErrNotRunning
	}
	params, variables := s.Frame.Locals()
	switch {
	case v.Space == ir.SpaceShared:
		off := s.parts.ReservedShared + uint32(v.Offset)
		if l := s.Warp.Launch(); v.Dynamic {
			off = s.parts.ReservedShared + l.Shared - l.Dynamic
		}
		return "shared", uint64(s.Warp.CTA().ClusterRank()<<mem.RankShift | off), nil
	case v.Space == ir.SpaceLocal && v.Func == nil:
		return "local", uint64(v.Offset), nil
	case v.Space == ir.SpaceLocal:
		return "local", uint64(variables) + uint64(v.Offset), nil
	case v.Space == ir.SpaceParam:
		return "local", uint64(params) + uint64(v.Offset), nil
	}
	return "", 0, fmt.Errorf("%s lies in %s space, which the debugger does not read.", v.Name, v.Space)
}

// loadParameter reads a parameter of a kernel, or of a function.
func (c *evaluation) loadParameter(p *ir.Param) (Value, error) {
	if c.Warp == nil {
		return Value{}, ErrNotRunning
	}
	t := elementType(&p.Var)
	switch {
	case p.Reg != ir.NoReg:
		v, _, err := c.register(c.Func.Regs[p.Reg].Name, c.lane)
		return v, err
	case c.Func.Entry || !slices.Contains(c.Func.Params, p):
		addr := c.Warp.Params() + uint64(p.Offset)
		if len(p.Dims) > 0 {
			return Value{Type: t, Count: int(p.Size) / max(t.Size(), 1), Home: &Home{Space: "generic", Addr: addr, Lane: c.lane}}, nil
		}
		return c.at("generic", addr, t)
	}
	params, _ := c.Frame.Locals()
	if len(p.Dims) > 0 {
		return Value{Type: t, Count: int(p.Size) / max(t.Size(), 1), Home: &Home{Space: "local", Addr: uint64(params) + uint64(p.Offset), Lane: c.lane}}, nil
	}
	return c.at("local", uint64(params)+uint64(p.Offset), t)
}

// MemoryError is an address at which there is nothing to look at.
type MemoryError struct {
	Space string
	Addr  uint64
	Why   string
}

func (e *MemoryError) Error() string {
	text := fmt.Sprintf("Cannot access %s memory at address %#x", e.Space, e.Addr)
	if e.Space == "generic" || e.Space == "" {
		text = fmt.Sprintf("Cannot access memory at address %#x", e.Addr)
	}
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// split turns a generic address in a window into one of that space.
func split(space string, addr uint64) (string, uint64) {
	switch {
	case space != "generic" && space != "":
	case mem.InShared(addr):
		return "shared", addr - mem.SharedWindow
	case mem.InLocal(addr):
		return "local", addr - mem.LocalWindow
	}
	return space, addr
}

// read copies memory as a lane sees it.
func (s *Scope) read(space string, addr uint64, n, lane int) ([]byte, error) {
	space, addr = split(space, addr)
	switch space {
	case "local":
		return s.readLocal(addr, n, lane)
	case tensorSpace:
		return s.readTensor(addr, n)
	}
	data, err := s.memory(space, addr, n)
	return slices.Clone(data), err
}

// memory is the bytes of an address in all spaces but the local one.
func (s *Scope) memory(space string, addr uint64, n int) ([]byte, error) {
	switch space {
	case "shared":
		return s.sharedMemory(addr, n)
	case "param":
		if s.Warp == nil {
			return nil, ErrNotRunning
		}
		addr += s.Warp.Params()
	}
	a, ok := s.parts.Memory.Find(addr)
	switch {
	case !ok:
		return nil, &MemoryError{Space: space, Addr: addr}
	case uint64(n) > a.End-addr:
		return nil, &MemoryError{space, addr, fmt.Sprintf("the allocation ends at %#x", a.End)}
	}
	data := s.parts.Memory.Bytes(addr, uint64(n))
	if data == nil {
		return nil, &MemoryError{Space: space, Addr: addr}
	}
	return data, nil
}

func (s *Scope) sharedMemory(addr uint64, n int) ([]byte, error) {
	if s.Warp == nil {
		return nil, ErrNotRunning
	}
	peers, rank := s.Warp.CTA().Peers(), addr>>mem.RankShift
	if rank >= uint64(len(peers)) {
		return nil, &MemoryError{"shared", addr, fmt.Sprintf("the cluster has no CTA of rank %d", rank)}
	}
	bytes, start := peers[rank].Memory()
	off := addr&(mem.MaxShared-1) - uint64(start)
	if off >= uint64(len(bytes)) || uint64(n) > uint64(len(bytes))-off {
		return nil, &MemoryError{"shared", addr, fmt.Sprintf("a CTA has %#x to %#x", start, int(start)+len(bytes))}
	}
	return bytes[off:][:n], nil
}

func (s *Scope) readLocal(addr uint64, n, lane int) ([]byte, error) {
	if s.Warp == nil {
		return nil, ErrNotRunning
	}
	if end := uint64(s.Warp.StackLimit()); addr >= end || uint64(n) > end-addr {
		return nil, &MemoryError{"local", addr, fmt.Sprintf("a thread has %#x bytes", end)}
	}
	out := make([]byte, 0, n+8)
	for at := addr &^ 3; at < addr+uint64(n); at += 4 {
		out = binary.LittleEndian.AppendUint32(out, s.Warp.PeekLocal(uint32(at), lane))
	}
	return out[addr&3:][:n], nil
}

// write stores bytes where a value is.
func (s *Scope) write(h *Home, data []byte) error {
	space, addr := split(h.Space, h.Addr)
	if space == tensorSpace {
		return s.writeTensor(addr, data)
	}
	if space == "local" {
		old, err := s.readLocal(addr, len(data), h.Lane)
		for i := range old {
			row := &s.Warp.LocalRow(uint32(addr) + uint32(i))[h.Lane]
			shift := (addr + uint64(i)) % 4 * 8
			*row = *row&^(0xff<<shift) | uint32(data[i])<<shift
		}
		return err
	}
	to, err := s.memory(space, addr, len(data))
	copy(to, data)
	return err
}

// noSymbol says that nothing has a name, and what has a similar one.
func (s *Scope) noSymbol(name string) error {
	var names []string
	for _, v := range s.Variables() {
		names = append(names, shortName(v))
	}
	for _, p := range s.parts.Kernel.Params {
		names = append(names, parameterName(s.parts.Kernel, p))
	}
	return fmt.Errorf("No symbol \"%s\" in current context.%s", name, Similar(name, names))
}

func (c *evaluation) noRegister(name string) error {
	var names []string
	for i := range c.Func.Regs {
		names = append(names, c.Func.Regs[i].Name)
	}
	return fmt.Errorf("No register \"%s\" in current context.%s", name, Similar(name, names))
}

// Variables lists those that the focus can name.
func (s *Scope) Variables() (list []*ir.Var) {
	if s.Func != nil {
		list = append(list, s.Func.Locals...)
	}
	for _, v := range s.parts.Module.Vars {
		if v.Func == nil || v.Func == s.Func || v.Space == ir.SpaceShared {
			list = append(list, v)
		}
	}
	return list
}

// Similar names what may have been meant: "" if nothing is close.
func Similar(name string, names []string) string {
	best, least := "", max(1, (len(name)+1)/3)
	for _, n := range names {
		if d := distance(name, n, least); d <= least && (best == "" || d < least) {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean \"%s\"?", best)
}

// distance is how many letters have to change to get from one word to the other, or more than a bound.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
