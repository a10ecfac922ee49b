package sanitize

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// shape is a litmus test whose data accesses are weak: without any one of its orders they race. {A|B} is an order and what stands
// there without it, $S the scope. Each thread has x, the address of the data, and f and g, those of flags.
type shape struct {
	name    string
	threads []string
}

const (
	spin  = "L%[1]d: ld.{acquire|relaxed}.$S.global.u32 r, [%[2]s]; setp.ne.u32 ok, r, %[3]d; @ok bra L%[1]d;"
	relay = "L%[1]d: ld.relaxed.$S.global.u32 r, [%[2]s]; setp.ne.u32 ok, r, %[3]d; @ok bra L%[1]d;"
)

var shapes = []shape{
	{"message passing", []string{
		"st.global.u32 [x], 1; st.{release|relaxed}.$S.global.u32 [f], 1;",
		fmt.Sprintf(spin, 1, "f", 1) + "ld.global.u32 r, [x];"}},
	{"message passing, fences", []string{
		"st.global.u32 [x], 1; {fence.acq_rel.$S;|} st.relaxed.$S.global.u32 [f], 1;",
		fmt.Sprintf(relay, 1, "f", 1) + "{fence.acq_rel.$S;|} ld.global.u32 r, [x];"}},
	{"message passing, fences of sequential consistency", []string{
		"st.global.u32 [x], 1; {fence.sc.$S;|} st.relaxed.$S.global.u32 [f], 1;",
		fmt.Sprintf(relay, 1, "f", 1) + "{fence.sc.$S;|} ld.global.u32 r, [x];"}},
	{"message passing by a reduction", []string{
		"st.global.u32 [x], 1; red.{release|relaxed}.$S.global.add.u32 [f], 1;",
		fmt.Sprintf(spin, 1, "f", 1) + "ld.global.u32 r, [x];"}},
	{"message passing by atomics", []string{
		"st.global.u32 [x], 1; atom.{release|relaxed}.$S.global.exch.b32 r, [f], 1;",
		"L1: atom.{acquire|relaxed}.$S.global.cas.b32 r, [f], 1, 2; setp.ne.u32 ok, r, 1; @ok bra L1; ld.global.u32 r, [x];"}},
	{"write over what was written", []string{
		"st.global.u32 [x], 1; st.{release|relaxed}.$S.global.u32 [f], 1;",
		fmt.Sprintf(spin, 1, "f", 1) + "st.global.u32 [x], 2;"}},
	{"write over what was read", []string{
		"ld.global.u32 r, [x]; st.{release|relaxed}.$S.global.u32 [f], 1;",
		fmt.Sprintf(spin, 1, "f", 1) + "st.global.u32 [x], 2;"}},
	{"by way of a third thread", []string{
		"st.global.u32 [x], 1; st.{release|relaxed}.$S.global.u32 [f], 1;",
		fmt.Sprintf(spin, 1, "f", 1) + "st.{release|relaxed}.$S.global.u32 [g], 1;",
		fmt.Sprintf(spin, 2, "g", 1) + "ld.global.u32 r, [x];"}},
	{"by way of a third thread's fence", []string{
		"st.global.u32 [x], 1; {fence.acq_rel.$S;|} st.relaxed.$S.global.u32 [f], 1;",
		fmt.Sprintf(relay, 1, "f", 1) + "{fence.acq_rel.$S;|} st.relaxed.$S.global.u32 [g], 1;",
		fmt.Sprintf(relay, 2, "g", 1) + "{fence.acq_rel.$S;|} ld.global.u32 r, [x];"}},
	{"release sequence", []string{
		"st.global.u32 [x], 1; st.{release|relaxed}.$S.global.u32 [f], 1;",
		fmt.Sprintf(relay, 1, "f", 1) + "atom.relaxed.$S.global.add.u32 r, [f], 1;",
		fmt.Sprintf(spin, 2, "f", 2) + "ld.global.u32 r, [x];"}},
	{"lock", []string{lock, lock}},
	{"ticket", []string{ticket, ticket}},
}

// A lock and a ticket counter, each taken by both threads.
const (
	lock = "T$T: atom.{acquire|relaxed}.$S.global.cas.b32 r, [f], 0, 1; setp.ne.u32 ok, r, 0; @ok bra T$T;" +
		"ld.global.u32 r, [x]; add.u32 r, r, 1; st.global.u32 [x], r; st.{release|relaxed}.$S.global.u32 [f], 0;"
	ticket = "atom.relaxed.$S.global.add.u32 n, [f], 1; T$T: ld.{acquire|relaxed}.$S.global.u32 r, [g]; setp.ne.u32 ok, r, n; @ok bra T$T;" +
		"ld.global.u32 r, [x]; add.u32 r, r, 1; st.global.u32 [x], r; add.u32 n, n, 1; st.{release|relaxed}.$S.global.u32 [g], n;"
)

var order = regexp.MustCompile(`\{([^|{}]*)\|([^|{}]*)\}`)

// TestLitmusShapes: at each scope, each shape is silent with its orders, between threads that the scope includes, and races without
// any one of them and where the scope is too narrow.
func TestLitmusShapes(t *testing.T) {
	scopes := []string{"cta", "cluster", "gpu", "sys"}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			for apart := range 3 { // warps of a CTA, CTAs of a cluster, CTAs
				for wide, scope := range scopes {
					for without := -1; without < s.orders(); without++ {
						for seed := range *seeds {
							races := s.run(t, apart, scope, without, seed)
							if want := without >= 0 || wide < apart; races != want {
								t.Fatalf("%d apart, scope %s, without order %d, seed %d: races: %v\n%s", apart, scope, without, seed, races, s.kernel(apart, scope, without))
							}
						}
					}
				}
			}
		})
	}
}

// orders counts them. Where threads do the same, which of them needs an order depends on who comes first: all lack it.
func (s *shape) orders() int {
	if s.alike() {
		return len(order.FindAllString(s.threads[0], -1))
	}
	return len(order.FindAllString(strings.Join(s.threads, ""), -1))
}

func (s *shape) alike() bool { return s.threads[0] == s.threads[1] }

// kernel is the shape in PTX, without one of its orders. Lane 0 of each warp, or of each CTA, is a thread.
func (s *shape) kernel(apart int, scope string, without int) string {
	var b strings.Builder
	b.WriteString(".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" +
		"\t.reg .b64 x, f, g; .reg .b32 r, n, who, lane; .reg .pred ok;\n" +
		"\tld.param.u64 x, [p]; add.u64 f, x, 128; add.u64 g, x, 256;\n" +
		"\tmov.u32 who, %tid.x; and.b32 lane, who, 31; shr.u32 who, who, 5;\n")
	if apart > 0 {
		b.WriteString("\tmov.u32 who, %ctaid.x;\n")
	}
	b.WriteString("\tsetp.ne.u32 ok, lane, 0; @ok bra END;\n")
	n := 0
	for i, text := range s.threads {
		fmt.Fprintf(&b, "\tsetp.ne.u32 ok, who, %d; @ok bra NOT%d;\n\t", i, i)
		if s.alike() {
			n = 0
		}
		text = order.ReplaceAllStringFunc(text, func(o string) string {
			n++
			return order.FindStringSubmatch(o)[1+one(n-1 == without)]
		})
		b.WriteString(strings.NewReplacer("$S", scope, "$T", fmt.Sprint(i)).Replace(text))
		fmt.Fprintf(&b, "\n\tbra END;\nNOT%d:\n", i)
	}
	b.WriteString("END:\tret;\n}\n")
	return b.String()
}

// run reports whether the shape races.
func (s *shape) run(t *testing.T, apart int, scope string, without int, seed uint64) bool {
	t.Helper()
	text := s.kernel(apart, scope, without)
	k := ptxtest.Compile(t, text, "k", &ptxvm.DeviceConfig{Arch: "sm_90", Memory: 1 << 20, Seed: seed, Workers: 1, Sanitize: ptxvm.SanitizeRace, MaxSteps: 1 << 22})
	defer k.Device.Close() // there are hundreds
	n := uint32(len(s.threads))
	l := ptxvm.Launch{Grid: ptxvm.Dim3{X: n}, Block: ptxvm.Dim3{X: 32}}
	switch apart {
	case 0:
		l.Grid, l.Block = ptxvm.Dim3{X: 1}, ptxvm.Dim3{X: 32 * n}
	case 1:
		l.Cluster = ptxvm.Dim3{X: n}
	}
	_, err := k.Try(l, make([]uint32, 128))
	var found *ptxvm.SanitizerError
	if err != nil && !errors.As(err, &found) {
		t.Fatalf("%v\n%s", err, text)
	}
	return found != nil
}
