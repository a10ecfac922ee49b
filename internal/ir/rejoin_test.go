package ir

import (
	"strings"
	"testing"
)

// TestRejoins: round which barriers lanes come to the code behind them.
func TestRejoins(t *testing.T) {
	const (
		skip, bar, ret = "  @%p bra -> b2 @0 0\n", "  bar.sync 0x0:u32 @0 0\n", "  ret @0 0\n"
		work           = "  mov.u32 %a, %b @0 0\n"
		again          = "  @%p bra -> b1 @0 0\n"
	)
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"an if, then work", skip + "block B\n" + bar + "block C\n" + work + ret, true},
		{"an early return", skip + "block B\n" + bar + work + "block C\n" + ret, false},
		{"a return that has a guard", "  @%p ret @0 0\nblock B\n" + bar + "block C\n" + work + ret, false},
		{"no branch", bar + work + ret, false},
		{"a loop with the barrier, then work", work + "block B\n" + bar + again + "block C\n" + work + ret, true},
		{"the head of a loop round a barrier", work + "block B\n" + work + "  @%p bra -> b3 @0 0\nblock C\n" + bar + "  bra -> b1 @0 0\nblock D\n" + work + ret, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseBody(t, "block A\n"+c.text)
			for pc := range f.Insts {
				if strings.HasPrefix(f.Insts[pc].Sel.Entry.Name, "bar") {
					if got := f.Rejoins(int32(pc)); got != c.want {
						t.Errorf("%v, want %v, in\n%s", got, c.want, f)
					}
					return
				}
			}
			t.Error("no barrier in ", f)
		})
	}
}
