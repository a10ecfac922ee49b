package sanitize

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
	"ptxvm.invalid/ptxvm/report"
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

// TestEitherWay: whichever warp comes first, a race is one report of two pairs of instructions, with one id, and may be suppressed by
// that; the same lines in another variable, reached by the same instructions too, are another report.
func TestEitherWay(t *testing.T) {
	const src = `.version 8.0
.target sm_90
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u32 which) {
	.reg .b32 t, x, at; .reg .pred second, low; .shared .align 4 .b8 one[512]; .shared .align 4 .b8 two[512];
	mov.u32 t, %tid.x;
	setp.ge.u32 second, t, 32;
	mov.u32 at, one;
	bra.uni over;
both:
	mov.u32 at, two;
over:
	@second bra reads;
	.loc 1 5 3
	st.shared.u32 [at], t;
	st.shared.u32 [at+4], t;
	bra meet;
reads:
	.loc 1 7 3
	ld.shared.u32 x, [at];
	ld.shared.u32 x, [at+4];
meet:
	.loc 1 9 3
	mov.u32 x, two;
	setp.eq.u32 low, x, at;
	@!low bra both;
	ret;
}
`
	launch := func(seed uint64, known string) []*ptxvm.Report {
		suppressed, err := report.ParseSuppressions("known", []byte(known))
		if err != nil {
			t.Fatal(err)
		}
		k := ptxtest.Compile(t, src, "", &ptxvm.DeviceConfig{Sanitize: ptxvm.SanitizeRace, Memory: 1 << 20, Seed: seed, Workers: 1, Suppress: suppressed})
		_, err = k.Try(ptxvm.Launch{Block: ptxvm.Dim3{X: 64}}, uint32(0))
		var found *ptxvm.SanitizerError
		if !errors.As(err, &found) {
			return nil
		}
		return slices.DeleteFunc(found.Reports, func(r *ptxvm.Report) bool { return r.Kind == "WAW" })
	}
	kinds, ids := map[string]bool{}, map[string]string{}
	for seed := range uint64(12) {
		list := launch(seed+1, "")
		if len(list) != 2 || list[0].Object == list[1].Object || list[0].Pairs != 2 || list[1].Pairs != 2 {
			t.Fatalf("seed %d: %d reports", seed+1, len(list))
		}
		for _, r := range list {
			kinds[r.Kind] = true
			if id := ids[r.Object]; id != "" && id != r.ID {
				t.Errorf("%s has the ids %s and %s", r.Object, id, r.ID)
			}
			ids[r.Object] = r.ID
		}
	}
	if !kinds["RAW"] || !kinds["WAR"] || ids["one"] == ids["two"] {
		t.Errorf("directions %v, ids %v", kinds, ids)
	}
	if left := launch(1, "P8002 id="+ids["one"]+" # known"); len(left) != 1 || left[0].Object != "two" {
		t.Errorf("%d reports are left of two, one of them known", len(left))
	}
}
