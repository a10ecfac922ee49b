package driver

// This file lets streams write words of memory, and wait for what others write there (cuStreamWriteValue32 and its kin).

import (
	"encoding/binary"
	"time"

	"ptxvm.invalid/ptxvm/internal/san/streams"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// ValueKind is what a stream does with a word, with CUDA's numbers (CUstreamWaitValue_flags) for what it waits for.
type ValueKind int32

// The kinds: the word is at least the value, counted round; is the value; has one of its bits; lacks one of the bits that it
// lacks; and the write.
const (
	WaitGreaterEqual ValueKind = iota
	WaitEqual
	WaitAnd
	WaitNor
	WriteValue
)

// ValueOp is one of them.
type ValueOp struct {
	Kind  ValueKind
	Addr  uint64
	Value uint64
	Bits  int // 32 or 64
}

// met reports whether a word is what the operation waits for.
func (op *ValueOp) met(word uint64) bool {
	var all uint64 = 1<<op.Bits - 1
	switch word &= all; op.Kind {
	case WaitGreaterEqual:
		return (word-op.Value)>>(op.Bits-1)&1 == 0
	case WaitEqual:
		return word == op.Value&all
	case WaitAnd:
		return word&op.Value != 0
	}
	return ^(word|op.Value)&all != 0
}

// valueWork is an operation on memory that is there.
type valueWork struct {
	ValueOp
	word vm.Buffer
}

// pollLongest bounds the pauses of a stream that waits.
const pollLongest = 100 * time.Microsecond

func (w *valueWork) do(dev *device, at *streams.Work) {
	if w.Kind == WriteValue {
		dev.d.races.Learn(at.Before()) // the host may look at the word, or another stream
		w.store(dev.d)
		return
	}
	pause := time.Microsecond
	for dev.d.Sticky() == Success {
		word, ok := w.load(dev.d)
		if !ok || w.met(word) {
			at.Join(dev.d.races.All()) // any work may have written the word: it is not known which
			return
		}
		time.Sleep(pause)
		pause = min(2*pause, pollLongest)
	}
}

func (w *valueWork) store(d *Driver) {
	if d.Sticky() != Success {
		return
	}
	if _, err := w.word.WriteAt(binary.NativeEndian.AppendUint64(nil, w.Value)[:w.Bits/8], 0); err != nil {
		d.gone(err)
	}
}

func (w *valueWork) load(d *Driver) (word uint64, ok bool) {
	var bytes [8]byte
	if _, err := w.word.ReadAt(bytes[:w.Bits/8], 0); err != nil {
		d.gone(err)
		return 0, false
	}
	return binary.NativeEndian.Uint64(bytes[:]), true
}

// StreamValues enqueues operations one behind the other; all are looked at before the first.
func (d *Driver) StreamValues(dev int, stream uint64, ops []ValueOp) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	var list []*valueWork
	for _, op := range ops {
		size := op.Bits / 8
		if op.Bits != 32 && op.Bits != 64 || op.Addr%uint64(size) != 0 || op.Kind < 0 || op.Kind > WriteValue {
			return InvalidValue
		}
		word, err := s.dev.vm.At(op.Addr, size)
		if err != nil {
			return InvalidValue
		}
		list = append(list, &valueWork{op, word})
	}
	for _, w := range list {
		if code := s.submit(w); code != Success {
			return code
		}
	}
	return Success
}
