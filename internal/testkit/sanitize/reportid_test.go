package sanitize

import (
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// TestReportID: an id stays when lines move, and tells instructions of the same text apart.
func TestReportID(t *testing.T) {
	const src = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 t, x; .shared .align 4 .b8 s[4];\nmov.u32 t, %tid.x;\n" +
		"st.shared.u32 [s], t;\nbar.sync 0;\nst.shared.u32 [s], t;\nret; }\n"
	ids := func(text string) (list []string) {
		k := ptxtest.Compile(t, text, "", &ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeRace, Memory: 1 << 20, Workers: 1})
		_, err := k.Try(ptxvm.Launch{Block: ptxvm.Dim3{X: 2}})
		var found *ptxvm.SanitizerError
		if !errors.As(err, &found) || len(found.Reports) != 2 {
			t.Fatal(err)
		}
		for _, r := range found.Reports {
			if r.Check != "race" || r.Kind != "WAW" || r.Here.Role != "write" || r.Other.Role != "written" || r.Fix == "" {
				t.Errorf("%+v", r)
			}
			list = append(list, r.ID)
		}
		return list
	}
	first := ids(src)
	if moved := ids(strings.Replace(src, "mov.u32", "\n// a comment\nmov.u32", 1)); moved[0] != first[0] || moved[1] != first[1] {
		t.Errorf("%v, moved %v", first, moved)
	}
	if first[0] == first[1] {
		t.Errorf("two stores have one id: %v", first)
	}
}
