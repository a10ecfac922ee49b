package x86

import (
	"reflect"
	"strings"
	"testing"
)

// TestMethods: each method named by kinds of operands makes an instruction of these operands, in
// this order: the bytes are those of the first form that has them.
func TestMethods(t *testing.T) {
	kinds := map[rune]shape{'V': kVec, 'R': kReg, 'K': kK, 'M': kMem, 'I': kImm}
	a := New(nil)
	all := reflect.TypeOf(a)
	n := 0
	for i := range all.NumMethod() {
		m := all.Method(i)
		if strings.Trim(m.Name, "VRKMI") != "" || m.Type.NumIn() < 3 {
			continue
		}
		var s shape
		for i, c := range m.Name {
			s |= kinds[c] << (4 * i)
		}
		if f, op := formOf(s); f != nil {
			n++
			compareMethod(t, m, f, op, s)
		} else {
			t.Errorf("%s: no instruction has these operands", m.Name)
		}
	}
	if n < 40 {
		t.Errorf("only %d methods found", n)
	}
}

// formOf returns the first form with operands of the kinds.
func formOf(s shape) (*form, Op) {
	for op := range ops {
		for i := range Op(op).forms() {
			if f := &Op(op).forms()[i]; (f.reg == s || f.mem == s) && f.flags&mustMask == 0 {
				return f, Op(op)
			}
		}
	}
	return nil, 0
}

func compareMethod(t *testing.T, m reflect.Method, f *form, op Op, s shape) {
	t.Helper()
	w := uint8(0)
	for (f.sizes|f.vex|f.evex)>>w&1 == 0 {
		w++
	}
	in := f.fill(op, w, s, 0).in
	want, have := New(nil), New(nil)
	want.emit(&in)
	args := []reflect.Value{reflect.ValueOf(have), reflect.ValueOf(op)}
	if next := m.Type.In(2); next == reflect.TypeFor[Width]() || next == reflect.TypeFor[Size]() {
		args = append(args, reflect.ValueOf(w).Convert(next))
	}
	for i := range m.Name {
		arg := reflect.ValueOf(in.n[i])
		switch s.at(i) {
		case kMem:
			arg = reflect.ValueOf(in.m)
		case kImm:
			arg = reflect.ValueOf(in.imm)
		}
		args = append(args, arg.Convert(m.Type.In(len(args))))
	}
	m.Func.Call(args)
	if have.Err() != nil || want.Err() != nil || string(have.Bytes()) != string(want.Bytes()) || want.Len() == 0 {
		t.Errorf("%s with %v: have % x (%v), want % x (%v)", m.Name, op, have.Bytes(), have.Err(), want.Bytes(), want.Err())
	}
}
