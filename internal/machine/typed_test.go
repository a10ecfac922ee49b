package machine

import (
	"reflect"
	"testing"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// TestTypedCode: decoded code says what an instruction is by its operation and typed payloads: no field, however deep, holds
// just anything, and none a function but the handlers that run it.
func TestTypedCode(t *testing.T) {
	seen := map[reflect.Type]bool{reflect.TypeFor[isa.Sel](): true, reflect.TypeFor[abi.Native](): true} // tables of the ISA, machine code: not decoded
	var visit func(at string, typ reflect.Type)
	visit = func(at string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Interface:
			if typ.NumMethod() == 0 {
				t.Errorf("%s holds anything", at)
			}
		case reflect.Func:
			if typ != reflect.TypeFor[Handler]() {
				t.Errorf("%s is a function of type %v", at, typ)
			}
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(at, typ.Elem())
		case reflect.Map:
			visit(at, typ.Key())
			visit(at, typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				visit(at+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		}
	}
	visit("Inst", reflect.TypeFor[Inst]())
	if !seen[reflect.TypeFor[CallSite]()] || !seen[reflect.TypeFor[High]()] {
		t.Error("the visit ends early")
	}
}
