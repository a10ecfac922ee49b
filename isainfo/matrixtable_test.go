package isainfo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFragmentTables: in the tables of each shape every lane's elements stand once, and those that figures of the manual show where
// they show them (9.7.14.5.8, 9.7.14.5.1).
func TestFragmentTables(t *testing.T) {
	for name, want := range map[string]string{
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":                "0  0:0-1    1:0-1    2:0-1    3:0-1    0:4-5 ",
		"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32":               "8  0:1      1:1 ",
		"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32":                  "0  0:0-3    1:0-3 ",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64":                  "7  28:0     29:0 ",
		"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc":         "0  0:0-31   1:0-31 ",
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32":                  "0  0:0-3",
		"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32":             "stored elements",
		"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32": "0  0:0-3",
		"ldmatrix.sync.aligned.m8n8.x4.shared.b16":                         "3  12:0-1   13:0-1 ",
	} {
		text, err := Explain(name)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v, no %q in\n%s", name, err, want, text)
			continue
		}
		for _, table := range strings.Split(text, "Who holds ")[1:] {
			heldOnce(t, name, table)
		}
	}
}

var heldCell = regexp.MustCompile(`(\d+):(\d+)(?:-(\d+))?`)

// heldOnce looks at a table: all lanes hold as many elements.
func heldOnce(t *testing.T, name, table string) {
	t.Helper()
	seen := map[string]bool{}
	most := 0
	for _, m := range heldCell.FindAllStringSubmatch(table, -1) {
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		for i := first; i <= last; i++ {
			key := fmt.Sprintf("%s:%d", m[1], i)
			if seen[key] {
				t.Errorf("%s: %s stands twice in %s", name, key, table)
			}
			seen[key], most = true, max(most, i+1)
		}
	}
	if len(seen) != 32*most {
		t.Errorf("%s: %d elements of 32 lanes with %d each in %s", name, len(seen), most, table)
	}
}
