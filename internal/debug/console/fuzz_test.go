package console_test

import (
	"io"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug/console"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// FuzzCommands does hostile scripts, one behind the other in one session: none ends it but quit, and the session stays of use.
func FuzzCommands(f *testing.F) {
	for _, script := range []string{
		"break LOOP if %i == 2\ncontinue\nprint %x@warp\nreverse-continue\n\n", "watch s[3]\nc\nrc\nlast write of %x\nset %x = 5\nstepi\n",
		"x/8fw s\nx\nx/3i\nx/2s &s\ninfo registers\ninfo cuda divergence\ninfo cuda threads\n", "tbreak double\nrun\nup\nfinish\nuntil converged\nlist\nlist 3\n",
		"cuda thread (37,0,0) lane 3\ncuda block 9\ngoto 99999999999\ngoto -5\nrestart --seed 18446744073709551615\n",
		"step by block\nstep 3\nnext\nrs\nrn 2\nrsi 4\n", "awatch s\nc\nc\ndelete\ndisplay/x %p\nundisplay 1\nignore 1 -5\ncondition 1 %i\n",
		"print frag %x..%x as mma.m16n8k16.c.f32\nprint frag %r1..%r999999999 as mma.m8n8k4.a.f64\nset s[-1] = 4\nset [0]:u64 = 1\n", "help\nhelp x\n", "watch &s\nstepi\n", "\x00\n\xff\xfe",
	} {
		f.Add(script)
	}
	s := stepping.Open(f, stepping.Target(f, stepping.Kernels, "k", vm.Launch{Block: vm.Dim3{X: 40}}, 256))
	f.Fuzz(func(t *testing.T, script string) {
		c := &console.Console{Session: s, Out: io.Discard}
		for i, line := range strings.Split(script, "\n") {
			if i == 50 {
				break
			}
			if !strings.HasPrefix(strings.TrimSpace(line), "so") { // a script of a script reads files
				_ = c.Do(line) // it says what is wrong
				c.Complete(line)
			}
		}
		if _, err := s.Restart(0); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(); err != nil {
			t.Fatal(err)
		}
		if have := c.Do("print %tid.x + 1"); have != nil {
			t.Errorf("behind the script a session answers %v", have)
		}
	})
}
