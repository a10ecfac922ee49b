package compiled_test

// This file makes kernels whose loops access every state space at random addresses, computed in the ways that compilers
// have, inside and outside of what they may touch, and holds compiled code to the interpreter: fault, memory, counts.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

var (
	addressCount = flag.Int("addresses", 0, "kernels of TestCompiledAddresses; 0: as many as 20 seconds allow, of 3 with -short")
	addressSeed  = flag.Uint64("addresses.seed", 1, "the first one's seed")
	addressLimit = flag.Duration("addresses.time", 0, "the time after which no kernel begins any more; 0: 20 seconds without -addresses, else none")
)

// addressSpace is a place that kernels access.
type addressSpace struct {
	name   string // of the instruction
	wide   string // base in a register of 64 bits
	narrow string // of 32 bits, empty if there is none
	symbol string // of the variable, empty if there is none
	loads  bool   // nothing can be stored
	only   string // the accesses that there are begin with this
}

var addressSpaces = []addressSpace{
	{name: ".global", wide: "%Bglobal"},
	{name: ".global", wide: "%Bvar", symbol: "gvar"},
	{name: ".shared", wide: "%Bshared", narrow: "%bshared", symbol: "svar"},
	{name: ".shared", wide: "%Bdyn", narrow: "%bdyn", symbol: "dyn"},
	{name: ".shared::cta", wide: "%Bshared", narrow: "%bshared", symbol: "svar"},
	{name: ".shared::cluster", wide: "%Bshared", narrow: "%bshared", symbol: "svar"},
	{name: ".shared::cluster", wide: "%Bpeer", narrow: "%bpeer"},
	{name: ".local", wide: "%Blocal", narrow: "%blocal", symbol: "lvar", only: "ld st"},
	{name: ".const", wide: "%Bconst", symbol: "cvar", loads: true},
	{name: ".param", wide: "%Bparam", symbol: "table", loads: true},
	{name: "", wide: "%Bglobal"}, {name: "", wide: "%Gshared"}, {name: "", wide: "%Glocal"}, {name: "", wide: "%Gconst"}, {name: "", wide: "%Gparam"}, {name: "", wide: "%Gpeer"},
}

// addressAccesses are those of the table of faults, and others; %s is the space.
var addressAccesses = append([]faultAccess{
	{"ld%s.s8 %%v0, [A]", 1}, {"ld%s.b16 %%h0, [A]", 2}, {"ld%s.s32 %%w0, [A]", 4}, {"ld%s.u8 %%h0, [A]", 1}, {"ld%s.u16 %%w0, [A]", 2},
	{"ld%s.v2.u8 {%%v0, %%v1}, [A]", 2}, {"ld%s.v4.u16 {%%v0, %%v1, %%v2, %%v3}, [A]", 8}, {"ld%s.v2.s16 {%%v0, %%v1}, [A]", 4}, {"ld%s.v2.f64 {%%d0, %%d1}, [A]", 16}, {"ld%s.v4.f32 {%%f0, _, %%f1, _}, [A]", 16},
	{"st%s.v2.u8 [A], {%%v0, %%v1}", 2}, {"st%s.v4.u16 [A], {%%h0, %%h1, %%h0, %%h1}", 8}, {"st%s.v4.u8 [A], {%%v0, %%v1, %%v2, %%v3}", 4}, {"st%s.v2.f64 [A], {%%d0, %%d1}", 16}, {"st%s.v4.f32 [A], {%%f0, %%f1, %%f0, %%f1}", 16},
	{"st%s.u32 [A], 7", 4}, {"st%s.u32 [A], %%turn", 4}, {"ld%s.b128 %%q0, [A]", 16}, {"st%s.b128 [A], %%q0", 16},
	{"atom%s.min.s32 %%v0, [A], %%v1", 4}, {"atom%s.add.u64 %%w0, [A], %%w1", 8}, {"red%s.xor.b32 [A], %%v0", 4}, {"atom%s.add.f32 %%f0, [A], %%f1", 4}, {"atom%s.inc.u32 %%v0, [A], 9", 4},
}, faultAccesses...)

// addressForm computes an address of 64 bits in %a, or of 32 in %n, from the index %i, times S, and a base B, or b of 32 bits.
// K is the logarithm of S; forms without K are for any S.
type addressForm struct {
	text   string
	narrow bool // it leaves %n
	base32 bool // it wants b
}

var addressForms = []addressForm{
	{text: "mad.wide.u32 %a, %i, S, B;"},
	{text: "mad.wide.s32 %a, %i, S, B;"},
	{text: "mul.wide.u32 %a, %i, S; add.u64 %a, B, %a;"},
	{text: "mul.wide.s32 %t, %i, S; add.s64 %a, %t, B;"},
	{text: "cvt.u64.u32 %t, %i; shl.b64 %t, %t, K; add.u64 %a, B, %t;"},
	{text: "cvt.s64.s32 %t, %i; shl.b64 %t, %t, K; add.s64 %a, %t, B;"},
	{text: "cvt.s64.s32 %t, %i; mad.lo.s64 %a, %t, S, B;"},
	{text: "shl.b32 %n, %i, K; cvt.u64.u32 %t, %n; add.u64 %a, B, %t;"},
	{text: "mul.lo.u32 %n, %i, S; cvt.s64.s32 %t, %n; sub.s64 %a, B, %t; sub.s64 %a, B, %a; add.s64 %a, %a, B;"},
	{text: "mul.lo.s32 %n, %i, S; cvt.u64.u32 %t, %n; sub.u64 %t, B, %t; sub.u64 %a, B, %t; add.u64 %a, %a, B;"},
	{text: "shl.b32 %n, %i, K; add.u32 %n, b, %n; cvt.u64.u32 %a, %n;", base32: true},
	{text: "mad.lo.u32 %n, %i, S, b;", narrow: true, base32: true},
	{text: "mul.lo.u32 %n, %i, S; add.s32 %n, %n, b;", narrow: true, base32: true},
	{text: "shl.b32 %n, %i, K; add.u32 %n, b, %n;", narrow: true, base32: true},
	{text: "mad.wide.u32 %a, %i, S, B; cvt.u32.u64 %n, %a;", narrow: true, base32: true},
	{text: "@%first mad.wide.u32 %c, %i, S, B; mov.u64 %a, %c; add.u64 %c, %c, S;"},
	{text: "@%first mul.wide.s32 %c, %i, S; @%first add.s64 %c, %c, B; @!%first add.s64 %c, %c, S; mov.b64 %a, %c;"},
}

// addressIndices compute %i from %x, %y, the thread %id, its CTA, the turn and a hash of the first four; M is a mask.
var addressIndices = []string{
	"and.b32 %i, %id, M;", "add.u32 %i, %id, %turn; and.b32 %i, %i, M;", "mad.lo.u32 %i, %turn, 5, %hash; and.b32 %i, %i, M;", "mad.lo.u32 %i, %turn, 3, %hash; and.b32 %i, %i, M;", "and.b32 %i, %hash, M;", "and.b32 %i, %turn, M;",
	"mad.lo.u32 %i, %y, 16, %x; and.b32 %i, %i, M;", "xor.b32 %i, %id, %turn; and.b32 %i, %i, M;", "xor.b32 %i, %v0, %hash; and.b32 %i, %i, M;",
	"shl.b32 %i, %y, 2; add.u32 %i, %i, %turn; and.b32 %i, %i, M;", "mov.u32 %i, %cta;", "mov.u32 %i, 0;", "and.b32 %i, %lane, M; sub.u32 %i, M, %i;", "ld.global.u32 %i, [%Bindex]; and.b32 %i, %i, M;",
}

// addressBad are indices that replace that of some lanes in some turns; E is the first one behind the end.
var addressBad = []string{"E", "E", "E-1", "E+1", "-1", "-2", "E*2", "-E", "0x7fffffff", "0x80000000", "0x40000000", "0x10000000", "0xff000000", "0x01000000", "100000", "-100000", "0x0fffffff"}

// addressSize is the bytes of each place.
const addressSize = 2048

const addressGrid = 2

// addressKernel is one of these kernels.
type addressKernel struct {
	src     string
	what    []string
	block   ptxvm.Dim3
	cluster bool
}

// addressHead declares what the accesses use.
const addressHead = `.version 8.7
.target sm_90
.address_size 64
.const .align 16 .b8 cvar[2048] = {%s};
.global .align 16 .b8 gvar[2048] = {%[1]s};
.extern .shared .align 16 .b8 dyn[];
.visible .entry k(.param .u64 good, .param .u64 out, .param .u32 n, .param .align 16 .b8 table[2048]) {
	.shared .align 16 .b8 svar[2048]; .local .align 16 .b8 lvar[2048];
	.reg .b64 %%a<9>, %%c<9>, %%t<9>, %%w<2>, %%Bglobal, %%Bvar, %%Bshared, %%Bdyn, %%Bpeer, %%Blocal, %%Bconst, %%Bparam, %%Gshared, %%Glocal, %%Gconst, %%Gparam, %%Gpeer, %%Bindex, %%out;
	.reg .b32 %%n<9>, %%i<9>, %%bshared, %%bdyn, %%bpeer, %%blocal, %%v<4>, %%x, %%y, %%z, %%nx, %%ny, %%id, %%cta, %%lane, %%turn, %%turns, %%hash, %%acc, %%g;
	.reg .b128 %%q0; .reg .f64 %%d<2>; .reg .f32 %%f<2>; .reg .b16 %%h<2>; .reg .pred %%p, %%q, %%bad, %%first;
	ld.param.u64 %%Bglobal, [good]; ld.param.u64 %%out, [out]; ld.param.u32 %%turns, [n];
	mov.u64 %%Bvar, gvar; mov.u64 %%Bshared, svar; mov.u64 %%Bdyn, dyn; mov.u64 %%Blocal, lvar; mov.u64 %%Bconst, cvar; mov.u64 %%Bparam, table;
	cvta.shared.u64 %%Gshared, %%Bshared; cvta.local.u64 %%Glocal, %%Blocal; cvta.const.u64 %%Gconst, %%Bconst; cvta.param.u64 %%Gparam, %%Bparam;
	mov.u32 %%bshared, svar; mov.u32 %%bdyn, dyn; mov.u32 %%blocal, lvar;
	mov.u32 %%x, %%tid.x; mov.u32 %%y, %%tid.y; mov.u32 %%z, %%tid.z; mov.u32 %%nx, %%ntid.x; mov.u32 %%ny, %%ntid.y; mov.u32 %%cta, %%ctaid.x;
	xor.b32 %%g, %%cta, %d; mapa.shared::cluster.u32 %%bpeer, %%bshared, %%g; mapa.shared::cluster.u64 %%Bpeer, %%Bshared, %%g; mapa.u64 %%Gpeer, %%Gshared, %%g;
	mad.lo.u32 %%id, %%z, %%ny, %%y; mad.lo.u32 %%id, %%id, %%nx, %%x; and.b32 %%lane, %%id, 31; mad.lo.u32 %%g, %%cta, %d, %%id;
	mul.lo.u32 %%hash, %%g, 0x9e3779b1; shr.u32 %%hash, %%hash, 13; mul.wide.u32 %%t8, %%g, 16; add.u64 %%out, %%out, %%t8; mov.u64 %%Bindex, %%out;
	mad.lo.u32 %%v0, %%g, 7, 1; not.b32 %%v1, %%v0; xor.b32 %%v2, %%v0, %%id; mov.u32 %%v3, 9; mov.b64 %%w0, {%%v0, %%v1}; mov.b64 %%w1, {%%v2, %%v3}; mov.b128 %%q0, {%%w0, %%w1};
	cvt.u16.u32 %%h0, %%v0; cvt.u16.u32 %%h1, %%v1; cvt.rn.f32.u32 %%f0, %%v0; mov.f32 %%f1, 0f3F800000; cvt.rn.f64.u32 %%d0, %%v2; mov.f64 %%d1, %%d0;
	mov.u32 %%acc, 0; mov.u32 %%turn, 0;
`

// addressTail writes what the kernel has computed, and shared memory.
const addressTail = `
	st.global.v4.u32 [%out], {%acc, %v0, %v1, %turn};
	bar.sync 0;
	mov.u32 %i8, %id;
W:	setp.ge.u32 %p, %i8, 512; @%p bra X;
	mad.wide.u32 %a8, %i8, 4, %Bshared; ld.shared.u32 %v0, [%a8]; mad.lo.u32 %n8, %cta, 512, %i8; ld.param.u64 %t8, [out]; mad.wide.u32 %a8, %n8, 4, %t8; st.global.u32 [%a8+32768], %v0;
	add.u32 %i8, %i8, THREADS; bra.uni W;
X:	ret;
}
`

// newAddressKernel makes the kernel of a seed.
func newAddressKernel(seed uint64) *addressKernel {
	r := rand.New(rand.NewPCG(seed, 41))
	k := &addressKernel{block: pick(r, []ptxvm.Dim3{{X: 32}, {X: 64}, {X: 128}, {X: 16, Y: 4}, {X: 8, Y: 8, Z: 2}, {X: 32, Y: 4}, {X: 33}, {X: 7}}), cluster: r.IntN(4) == 0}
	threads := int(max(k.block.X, 1) * max(k.block.Y, 1) * max(k.block.Z, 1))
	var data []string
	for i := range addressSize {
		data = append(data, fmt.Sprint(uint8(i*i*7+i)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, addressHead, strings.Join(data, ","), bit(k.cluster), threads)
	fmt.Fprintf(&b, "\tsetp.%s.u32 %%p, %%lane, %d;\nL:\tsetp.eq.u32 %%first, %%turn, 0;\n", pick(r, []string{"lt", "ge", "ne"}), pick(r, []int{0, 7, 13, 31}))
	bad := -1 // the access that is wrong
	n := 1 + r.IntN(4)
	if r.IntN(5) < 3 {
		bad = r.IntN(n)
	}
	for i := range n {
		b.WriteString(k.access(r, i, i == bad, threads))
	}
	b.WriteString("\tadd.u32 %turn, %turn, 1; setp.lt.u32 %q, %turn, %turns; @%q bra L;")
	b.WriteString(strings.ReplaceAll(addressTail, "THREADS", fmt.Sprint(threads)))
	k.src = b.String()
	return k
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// access is an access of the loop with what computes its address.
func (k *addressKernel) access(r *rand.Rand, i int, bad bool, threads int) string {
	space, a := k.space(r)
	text := fmt.Sprintf(a.text, space.name)
	address, compute := k.address(r, &space, a.bytes, i, bad, threads)
	reg := i
	if r.IntN(4) == 0 { // registers that several accesses use
		reg = 0
	}
	address = strings.NewReplacer("%a", fmt.Sprint("%a", reg), "%n", fmt.Sprint("%n", reg)).Replace(address)
	text = strings.ReplaceAll(text, "[A]", "["+address+"]") + ";"
	k.what = append(k.what, text)
	var b strings.Builder
	own := strings.NewReplacer("%a", fmt.Sprint("%a", reg), "%t,", fmt.Sprintf("%%t%d,", reg), "%t;", fmt.Sprintf("%%t%d;", reg), "%n,", fmt.Sprintf("%%n%d,", reg), "%n;", fmt.Sprintf("%%n%d;", reg), "%i,", fmt.Sprintf("%%i%d,", reg), "%i;", fmt.Sprintf("%%i%d;", reg))
	fmt.Fprintf(&b, "\t%s\n", own.Replace(compute))
	switch r.IntN(6) {
	case 0:
		fmt.Fprintf(&b, "\t@%%p %s\n", text)
	case 1:
		fmt.Fprintf(&b, "\t@%%p bra E%d; %s\nE%d:\n", i, text, i)
	default:
		fmt.Fprintf(&b, "\t%s\n", text)
	}
	b.WriteString("\tmad.lo.u32 %acc, %acc, 33, %v0;")
	switch {
	case strings.Contains(a.text, "%%w0"):
		b.WriteString(" cvt.u32.u64 %v0, %w0;")
	case strings.Contains(a.text, "%%h0"):
		b.WriteString(" cvt.u32.u16 %v0, %h0;")
	case strings.Contains(a.text, "%%f0"):
		b.WriteString(" mov.b32 %v0, %f0;")
	case strings.Contains(a.text, "%%d0"):
		b.WriteString(" mov.b64 %w0, %d0; cvt.u32.u64 %v0, %w0;")
	case strings.Contains(a.text, "%%q0"):
		b.WriteString(" mov.b128 {%w0, %w1}, %q0; cvt.u32.u64 %v0, %w0;")
	}
	b.WriteString("\n")
	return b.String()
}

// space draws a place and an access of it.
func (k *addressKernel) space(r *rand.Rand) (addressSpace, faultAccess) {
	for {
		s, a := pick(r, addressSpaces), pick(r, addressAccesses)
		if r.IntN(2) == 0 { // what compilers make most
			s, a = pick(r, addressSpaces[:4]), pick(r, addressAccesses[len(addressAccesses)-len(faultAccesses):][:18])
		}
		load := strings.HasPrefix(a.text, "ld")
		constant := strings.HasSuffix(s.wide, "const") || strings.HasSuffix(s.wide, "param")
		if constant && !load || s.only != "" && !load && !strings.HasPrefix(a.text, "st") || (constant || s.name == ".local") && s.name != "" && strings.Contains(a.text, "volatile") {
			continue
		}
		return s, a
	}
}

// address draws how an address of a space comes about: the operand, and what computes it.
func (k *addressKernel) address(r *rand.Rand, s *addressSpace, size, i int, bad bool, threads int) (operand, compute string) {
	if s.symbol != "" && r.IntN(8) == 0 { // of all lanes, known
		at := size * r.IntN(addressSize/size)
		if bad {
			at = pick(r, []int{addressSize, addressSize - 1, 1, addressSize - size/2, 1 << 20})
		}
		return fmt.Sprintf("%s+%d", s.symbol, at), ""
	}
	f := pick(r, addressForms)
	for f.base32 && s.narrow == "" {
		f = pick(r, addressForms)
	}
	shift := r.IntN(8)
	for size > 1<<shift && r.IntN(4) != 0 || 1<<shift < size && !bad {
		shift = r.IntN(8)
	}
	scale, many := 1<<shift, addressSize>>shift
	running := strings.Contains(f.text, "%first")
	if running {
		many = max(many/4, 1)
	}
	mask := max(many/2, 1) - 1
	compute = strings.ReplaceAll(pick(r, addressIndices), "M", fmt.Sprint(mask))
	if strings.Contains(compute, "%i, %cta") && mask < addressGrid {
		compute = "mov.u32 %i, 0;"
	}
	if bad {
		compute += k.spoil(r, many, threads)
	}
	compute += " " + strings.NewReplacer("S", fmt.Sprint(scale), "K", fmt.Sprint(shift), "B", s.wide, "b,", s.narrow+",", ", b;", ", "+s.narrow+";", "%c", fmt.Sprintf("%%c%d", i)).Replace(f.text)
	operand = "%a"
	if f.narrow {
		operand = "%n"
	}
	room := addressSize/2 - size
	switch r.IntN(4) {
	case 0:
		operand += fmt.Sprintf("+%d", min(scale, room)/size*size)
	case 1:
		if !running {
			operand += fmt.Sprintf("+%d", r.IntN(room/size)*size)
		}
	}
	if bad && r.IntN(4) == 0 {
		operand, _, _ = strings.Cut(operand, "+")
		operand += pick(r, []string{"+1", "+-1", "+2048", "+-2048", "+65536", "+-16", "+1048576", "+-16777216", "+2147483640", "+-2147483648"})
	}
	return operand, compute
}

// spoil replaces the index of some lanes in some turns.
func (k *addressKernel) spoil(r *rand.Rand, many, threads int) string {
	bad := strings.ReplaceAll(pick(r, addressBad), "E", fmt.Sprint(many))
	var value int64
	if x, y, ok := strings.Cut(bad, "*"); ok {
		_, _ = fmt.Sscan(x, &value)
		bad = fmt.Sprint(value * int64(y[0]-'0'))
	} else if x, y, ok := strings.Cut(bad, "+"); ok {
		_, _ = fmt.Sscan(x, &value)
		bad = fmt.Sprint(value + int64(y[0]-'0'))
	} else if x, y, ok := strings.Cut(bad, "-"); ok && x != "" {
		_, _ = fmt.Sscan(x, &value)
		bad = fmt.Sprint(value - int64(y[0]-'0'))
	}
	who := pick(r, []string{
		fmt.Sprintf("setp.eq.u32 %%bad, %%id, %d;", r.IntN(threads)), fmt.Sprintf("setp.eq.u32 %%bad, %%lane, %d;", r.IntN(32)),
		"setp.ge.u32 %bad, %id, 0;", fmt.Sprintf("setp.ge.u32 %%bad, %%id, %d;", r.IntN(threads)),
	})
	if turn := r.IntN(6); turn != 5 {
		who += fmt.Sprintf(" setp.eq.and.u32 %%bad, %%turn, %d, %%bad;", turn)
	}
	return fmt.Sprintf(" %s selp.b32 %%i, %s, %%i, %%bad;", who, bad)
}

// run launches the kernel on a new device and returns what it wrote and reported.
func (k *addressKernel) run(t *testing.T, e ptxvm.Engine, prepare func(*ptxvm.Device) error) (memory []byte, fault string, s ptxvm.Stats) {
	t.Helper()
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 22, Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if prepare != nil {
		if err := prepare(d); err != nil {
			t.Skip(err)
		}
	}
	m, err := ptxvm.Compile("address.ptx", []byte(k.src), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, k.src)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	var b [2]ptxvm.Buffer
	for i, n := range []int{addressSize, 1 << 16} {
		data := make([]byte, n)
		for j := 0; j < n; j += 4 {
			binary.LittleEndian.PutUint32(data[j:], uint32(j/4+i)*0x9e3779b1)
		}
		if b[i], err = ptxvm.Upload(d, data); err != nil {
			t.Fatal(err)
		}
	}
	kernel, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	table := [addressSize]byte{}
	for i := range table {
		table[i] = byte(i * 5)
	}
	l := ptxvm.Launch{Grid: ptxvm.Dim3{X: addressGrid}, Block: k.block, Shared: addressSize}
	if k.cluster {
		l.Cluster = ptxvm.Dim3{X: 2}
	}
	s, err = kernel.Launch(context.Background(), l, b[0].Addr(), b[1].Addr(), uint32(6), table)
	var f *ptxvm.Fault
	switch {
	case errors.As(err, &f):
		fault = f.Detail()
	case err != nil:
		t.Fatalf("%v\n%s", err, k.src)
	}
	for i, n := range []int{addressSize, 1 << 16} {
		got := make([]byte, n)
		if err := ptxvm.Download(b[i], got); err != nil {
			t.Fatal(err)
		}
		memory = append(memory, got...)
	}
	return memory, fault, s
}

// addressTime is how long the test makes kernels.
func addressTime() time.Duration {
	switch {
	case *addressLimit != 0:
		return *addressLimit
	case *addressCount != 0:
		return 1000 * time.Hour
	case testing.Short():
		return 3 * time.Second
	}
	return 20 * time.Second
}

// TestCompiledAddresses runs kernels with random addresses in every engine, width and tier: fault, memory and counts are
// the interpreter's.
func TestCompiledAddresses(t *testing.T) {
	rig.NeedJIT(t)
	faults, kinds, compiled, n, end := 0, map[string]int{}, 0, 0, time.Now().Add(addressTime())
	for ; (*addressCount == 0 || n < *addressCount) && time.Now().Before(end); n++ {
		seed := *addressSeed + uint64(n)
		k := newAddressKernel(seed)
		memory, fault, want := k.run(t, ptxvm.Interp, nil)
		if fault != "" {
			faults++
			_, msg, _ := strings.Cut(fault, ": fault ")
			kinds[msg[:5]]++
		}
		for _, v := range jit.Compilers() {
			got, report, s := k.run(t, ptxvm.JIT, compiledBy(v))
			if s.Compiled != 0 {
				compiled++
			}
			what := strings.Join(k.what, " ")
			switch {
			case report != fault:
				t.Errorf("seed %d, %v: %s\n%s\nthe interpreter:\n%s", seed, v, what, report, fault)
			case !bytes.Equal(got, memory):
				t.Errorf("seed %d, %v: %s: memory differs", seed, v, what)
			case fault == "" && (s.WarpInsts != want.WarpInsts || s.LaneOps != want.LaneOps):
				t.Errorf("seed %d, %v: %s: %d steps, %d lane-ops, the interpreter %d, %d", seed, v, what, s.WarpInsts, s.LaneOps, want.WarpInsts, want.LaneOps)
			}
		}
	}
	t.Logf("%d of %d kernels fault, %v; %d of %d runs have compiled code", faults, n, kinds, compiled, len(jit.Compilers())*n)
	if faults*4 < n || faults*4 > 3*n || len(kinds) < 2 || compiled*2 < len(jit.Compilers())*n {
		t.Error("too few faults or too many, of too few kinds, or too few in compiled code")
	}
}

// TestRefused: code of which nothing shows where it may touch memory is not run: the interpreter keeps the kernel, and the statistics
// say why.
func TestRefused(t *testing.T) {
	rig.NeedJIT(t)
	k := newAddressKernel(3)
	memory, fault, _ := k.run(t, ptxvm.Interp, nil)
	for _, v := range jit.Runnable() {
		got, report, s := k.run(t, ptxvm.JIT, compiledBy(jit.Untested(jit.Options{Vectors: v}, func(int32) bool { return true })))
		if s.Compiled != 0 || len(s.Refused) != 1 || !strings.Contains(s.Refused[0], jit.ErrUnsound.Error()) {
			t.Errorf("%v: %d lane-ops are compiled; %q", v, s.Compiled, s.Refused)
		}
		if report != fault || !bytes.Equal(got, memory) {
			t.Errorf("%v: %s; the interpreter: %s", v, report, fault)
		}
	}
}
