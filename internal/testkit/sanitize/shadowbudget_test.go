package sanitize

import (
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// TestShadowMemory: a launch whose shadow would take more than the device's memory ends with ErrOutOfMemory, and the device
// goes on; one that fits does not end so, however often it runs. (That of init and mem is smaller than what it is of.)
func TestShadowMemory(t *testing.T) {
	const src = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 step) {\n.reg .b32 t, c, n, s; .reg .b64 a, o;\n" +
		"mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; mad.lo.u32 t, c, n, t; ld.param.u64 a, [p]; ld.param.u32 s, [step]; mul.wide.u32 o, t, s; add.u64 a, a, o;\nst.global.u8 [a], t;\nret; }"
	for _, check := range []ptxvm.Sanitize{ptxvm.SanitizeRace, ptxvm.SanitizeAll} {
		k := ptxtest.Compile(t, src, "", &ptxvm.DeviceConfig{Sanitize: check, Memory: 1 << 20})
		b, err := k.Device.Alloc(900_000)
		if err != nil {
			t.Fatal(err)
		}
		few, all := ptxvm.Launch{Grid: ptxvm.Dim3{X: 4}, Block: ptxvm.Dim3{X: 32}}, ptxvm.Launch{Grid: ptxvm.Dim3{X: 800}, Block: ptxvm.Dim3{X: 1000}}
		for range 20 {
			if _, err := k.Try(few, b, uint32(1)); err != nil {
				t.Fatal(err)
			}
		}
		_, err = k.Try(all, b, uint32(1))
		if !errors.Is(err, ptxvm.ErrOutOfMemory) || !strings.Contains(err.Error(), "the shadow memory of the sanitizers exceeds the 1048576 bytes") {
			t.Errorf("%v: %v", check, err)
		}
		if _, err := k.Try(few, b, uint32(1)); err != nil { // its shadow ends with the launch
			t.Errorf("%v, again: %v", check, err)
		}
	}
}
