package ir

import (
	"strings"
	"testing"
)

// TestUnread: which elements of a load become `_`.
func TestUnread(t *testing.T) {
	const load, guarded, store, both = "  ld.global.v2.u32 {%a, %b}, [%x] @0 0\n", "  @%p mov.u32 %b, %a @0 0\n", "  st.global.u32 [%x], %", "  st.global.v2.u32 [%x], {%a, %b} @0 0\n"
	const set, end = "  setp.ne.s32 %p, %a, %b @0 0\n", "  ret @0 0\n"
	for _, c := range []struct{ name, text, want string }{
		{"the last one", load + store + "a @0 0\n", "{%a, _}"},
		{"written again", load + "  mov.u32 %b, %a @0 0\n" + both, "{%a, _}"},
		{"written again in some lanes", load + guarded + both, "{%a, %b}"},
		{"the first one", load + store + "b @0 0\n", "{%a, %b}"},
		{"all", load, "{%a, %b}"},
		{"read in the next turn", set + "block L\n" + both + load + "  @%p bra -> b1 @0 0\nblock E\n", "{%a, %b}"},
		{"read behind a turn by nobody", set + "block L\n" + load + both + "  @%p bra -> b1 @0 0\nblock E\n", "{%a, %b}"},
		{"read on one way", load + "  @%p bra -> b2 @0 0\nblock B\n" + both + "block E\n" + store + "a @0 0\n", "{%a, %b}"},
		{"sinks before", "  ld.global.v4.u32 {_, %a, _, %b}, [%x] @0 0\n" + store + "a @0 0\n", "{_, %a, _, _}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseBody(t, "block A\n"+c.text+end)
			if text := f.String(); !strings.Contains(text, c.want+", [%x]") {
				t.Errorf("want %s in\n%s", c.want, text)
			}
		})
	}
}
