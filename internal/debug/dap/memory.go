package dap

// This file reads and writes bytes of memory, and shows instructions.

import (
	"encoding/base64"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// Bounds of what one request may ask for.
const (
	maxBytes        = 1 << 20
	maxInstructions = 1 << 14
)

// location is memory as a lane sees it.
type location struct {
	space string
	addr  uint64
	frame frame
}

// memoryOf names the memory where a value is, or, of a number of 64 bits, the one that it may point to; empty if there is none.
func (s *server) memoryOf(f frame, v *debug.Value) string {
	space, addr, lane := "generic", v.Low, f.Lane
	switch h := v.Home; {
	case h != nil && h.Register == "":
		if space, addr, lane = h.Space, h.Addr, h.Lane; space == "" {
			space = "generic"
		}
	case v.Count > 0 || v.Type.Bits() != 64 || v.Type.Float():
		return ""
	}
	return fmt.Sprintf("%#x %s %d %d", addr, space, s.handles.thread(warpID{f.CTA, f.Warp}), lane)
}

// location reads such a name. An address alone is generic, and as the focus sees it.
func (s *server) location(reference string, offset int) (at location, err error) {
	words := strings.Fields(reference)
	bad := fmt.Errorf("no memory %q: want a memoryReference, or an address", reference)
	if len(words) != 1 && len(words) != 4 {
		return at, bad
	}
	at.space, at.frame = "generic", s.handles.focus(s.session)
	if at.addr, err = strconv.ParseUint(words[0], 0, 64); err != nil {
		return at, bad
	}
	at.addr += uint64(int64(offset))
	if len(words) == 1 {
		return at, nil
	}
	thread, err1 := strconv.Atoi(words[2])
	lane, err2 := strconv.Atoi(words[3])
	if err1 != nil || err2 != nil || !debug.IsSpace(words[1]) && words[1] != "generic" || lane < 0 || lane > 31 {
		return at, bad
	}
	at.space = words[1]
	f, err := s.laneOf(thread)
	f.Lane = lane
	at.frame = frame{Focus: f}
	return at, err
}

// readable reads as many of the bytes as can be read; why is what ends them.
func (s *server) readable(at *location, count int) (data []byte, why error, err error) {
	err = s.in(at.frame, func(scope *debug.Scope) error {
		if data, why = scope.ReadBytes(at.space, at.addr, count); why == nil {
			return nil
		}
		n := sort.Search(count, func(n int) bool {
			_, err := scope.ReadBytes(at.space, at.addr, n+1)
			return err != nil
		})
		data = nil
		if n > 0 {
			data, _ = scope.ReadBytes(at.space, at.addr, n) // it was read in the search
		}
		return nil
	})
	return data, why, err
}

func (s *server) readMemory(q *godap.ReadMemoryRequest) (godap.ResponseMessage, error) {
	count := q.Arguments.Count
	if count < 0 || count > maxBytes {
		return nil, fmt.Errorf("count %d: want 0 to %d", count, maxBytes)
	}
	at, err := s.location(q.Arguments.MemoryReference, q.Arguments.Offset)
	if err != nil {
		return nil, err
	}
	body := godap.ReadMemoryResponseBody{Address: fmt.Sprintf("%#x", at.addr)}
	if count > 0 {
		data, _, err := s.readable(&at, count)
		if err != nil {
			return nil, err
		}
		body.Data, body.UnreadableBytes = base64.StdEncoding.EncodeToString(data), count-len(data)
	}
	return &godap.ReadMemoryResponse{Body: body}, nil
}

func (s *server) writeMemory(q *godap.WriteMemoryRequest) (godap.ResponseMessage, error) {
	data, err := base64.StdEncoding.DecodeString(q.Arguments.Data)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	at, err := s.location(q.Arguments.MemoryReference, q.Arguments.Offset)
	if err != nil {
		return nil, err
	}
	if len(data) > 0 {
		there, why, err := s.readable(&at, len(data))
		switch {
		case err != nil:
			return nil, err
		case len(there) == 0 || len(there) < len(data) && !q.Arguments.AllowPartial:
			return nil, why
		}
		data = data[:len(there)]
		if err := s.in(at.frame, func(*debug.Scope) error { return s.session.WriteBytes(at.space, at.addr, data) }); err != nil {
			return nil, err
		}
	}
	return &godap.WriteMemoryResponse{Body: godap.WriteMemoryResponseBody{BytesWritten: len(data)}}, nil
}

func (s *server) disassemble(q *godap.DisassembleRequest) (godap.ResponseMessage, error) {
	a := &q.Arguments
	base, err := strconv.ParseInt(a.MemoryReference, 0, 64)
	switch {
	case err != nil || base < 0:
		return nil, fmt.Errorf("no instruction %q: want an instructionPointerReference", a.MemoryReference)
	case a.InstructionCount < 0 || a.InstructionCount > maxInstructions:
		return nil, fmt.Errorf("instructionCount %d: want 0 to %d", a.InstructionCount, maxInstructions)
	}
	const far = 1 << 40
	if base > far || a.Offset > far || a.Offset < -far || a.InstructionOffset > far || a.InstructionOffset < -far {
		return nil, errors.New("the address is far from all instructions")
	}
	list := []godap.DisassembledInstruction{}
	for i := range a.InstructionCount {
		list = append(list, s.instruction(base+int64(a.Offset)+int64(a.InstructionOffset)+int64(i)))
	}
	return &godap.DisassembleResponse{Body: godap.DisassembleResponseBody{Instructions: list}}, nil
}

// instruction is the one at an address. Clients want as many as they have asked for, so that there is something at each.
func (s *server) instruction(addr int64) godap.DisassembledInstruction {
	out := godap.DisassembledInstruction{Address: fmt.Sprintf("%#x", max(addr, 0)), Instruction: "; no instruction"}
	at, ok := s.texts.placeAt(addr)
	if !ok {
		return out
	}
	l, _ := s.session.Code.Locate(at)
	out.Instruction, out.Symbol = l.Text, s.session.Code.Label(at)
	if out.Symbol == "" && at.PC == 0 {
		out.Symbol = at.Func
	}
	where := l.PTX
	if len(l.Source) > 0 && s.texts.source(l.Source[0].File).Path != "" {
		where = l.Source[0]
	}
	out.Location, out.Line = s.texts.source(where.File), s.clientLine(where.Line)
	return out
}
