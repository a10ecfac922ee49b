package sanitize

import (
	"fmt"
	"strings"
	"testing"
)

// TestCarry: every instruction that takes the carry flag where nothing has set it makes an unwritten result, and passes that on
// by the flag that it sets; behind one that sets it there is nothing to report.
func TestCarry(t *testing.T) {
	for _, op := range []struct{ name, operands, types string }{
		{"addc", "%s, a, a", "u16 s16 u32 s32 u64 s64"}, {"subc", "%s, a, a", "u16 s16 u32 s32 u64 s64"},
		{"addc.cc", "%s, a, a", "u32 s32 u64 s64"}, {"subc.cc", "%s, a, a", "u32 s32 u64 s64"},
		{"madc.lo", "%s, a, a, a", "u16 s16 u32 s32 u64 s64"}, {"madc.hi", "%s, a, a, a", "u16 s16 u32 s32 u64 s64"},
		{"madc.lo.cc", "%s, a, a, a", "u32 s32 u64 s64"}, {"madc.hi.cc", "%s, a, a, a", "u32 s32 u64 s64"},
	} {
		for _, ty := range strings.Fields(op.types) {
			t.Run(op.name+"."+ty, func(t *testing.T) {
				bits := ty[1:]
				takes := op.name + "." + ty + " " + fmt.Sprintf(op.operands, "d") + ";"
				if strings.HasSuffix(op.name, ".cc") {
					takes += " addc.u" + bits + " d, a, a;" // by the flag alone
				}
				text := fmt.Sprintf(".reg .b%s a, d; mov.b%s a, 1;\n- add.u32 x, t, t;\n+ add.cc.u32 x, t, t;\n%s\nsetp.eq.u%s ok, d, 9;\n@ok st.global.u32 [g], t; //@here\n//= P8001 register CC.CF\n", bits, bits, takes, bits)
				pairs, err := readPairs("== carry init block=32\n" + text)
				if err != nil {
					t.Fatal(err)
				}
				pairs[0].try(t, new(tally))
			})
		}
	}
}
