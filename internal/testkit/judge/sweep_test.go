package judge

import (
	"flag"
	"hash/crc32"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/generate"
)

var (
	sweep   = flag.Int("sweep", 0, "ask about every change of so many statements of each entry")
	sweepOf = flag.String("sweep.of", "operands,modifiers", "changes of operands, of own modifiers, of foreign modifiers")
)

// TestSweep: as TestJudgeStatements, but the changes are not drawn: each is made.
func TestSweep(t *testing.T) {
	if *sweep == 0 {
		t.Skip("asks ptxas for an hour; -sweep N")
	}
	path := assembler(t)
	var cases []*Case
	for _, e := range entries(*only) {
		g := generate.New(*seed^uint64(crc32.ChecksumIEEE([]byte(e.Name)))<<32, nil, nil)
		choices := spread(e.Choices(), *sweep)
		for i := range *sweep {
			s := g.LegalOf(e, choices[i%len(choices)])
			if s == nil {
				s = g.Legal(e)
			}
			for _, change := range []struct {
				name string
				list func(*generate.Statement) []*generate.Statement
			}{{"operands", g.Operandwise}, {"modifiers", g.Modifierwise}, {"foreign", g.Foreignwise}} {
				if !strings.Contains(*sweepOf, change.name) {
					continue
				}
				for _, m := range change.list(s) {
					cases = append(cases, newCase(m))
				}
			}
		}
	}
	t.Logf("%d cases", len(cases))
	if err := Ask(path, cases); err != nil {
		t.Fatal(err)
	}
	compare(t, path, cases)
}
