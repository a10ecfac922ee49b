package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm"
)

// cvtGoals are what a form should reach, in Glane-ops/s for each core: those that nvcc emits,
// and the others.
const (
	cvtGoalNVCC = 0.3
	cvtGoal     = 0.05
)

// nvccCvt matches the conversions that nvcc emits for casts and for the intrinsics of its
// headers.
var nvccCvt = regexp.MustCompile(`^(` + strings.Join([]string{
	`[us]\d+\.[us]\d+`,
	`f(32|64)\.[us](8|16|32|64) \.rn`, `[us](32|64)\.f(32|64) \.rzi(\.ftz)?`, `s32\.f32 \.r[nmp]i`,
	`f32\.f64 \.rn`, `f64\.f32 `, `f16\.f32 \.rn`, `f32\.f16 `, `bf16\.f32 \.rn`, `f32\.bf16 `, `f16\.f64 \.rn`,
	`f32\.f32 \.r[nzmp]i`, `f64\.f64 \.r[nzmp]i`,
	`b?f16x2\.f32 \.rn(\.relu)?`, `e[45]m[23]x2\.(f32|f16x2) \.rn\.satfinite`, `f16x2\.e[45]m[23]x2 \.rn`,
}, "|") + `)$`)

// cvtForm is one form of the recorded list.
type cvtForm struct{ dst, src, mods string }

func (f cvtForm) String() string { return f.dst + "." + f.src + " " + f.mods }

// cvtFormsOf reads what ptxas accepts.
func cvtFormsOf(match *regexp.Regexp) (list []cvtForm, err error) {
	dir, err := root()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "internal", "testkit", "judge", "testdata", "cvt.txt"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		pairs, mods, ok := strings.Cut(line, " : ")
		if !ok || !strings.HasPrefix(line, "  ") {
			continue
		}
		for pair := range strings.FieldsSeq(pairs) {
			dst, src, _ := strings.Cut(pair, ".")
			for m := range strings.FieldsSeq(mods) {
				if f := (cvtForm{dst, src, strings.TrimPrefix(m, "-")}); match.MatchString(f.String()) {
					list = append(list, f)
				}
			}
		}
	}
	return list, nil
}

// cvtRegister is a register type as wide as a type.
func cvtRegister(t string) string {
	switch {
	case t == "f32" || t == "f64":
		return t
	case t == "f16" || t == "bf16" || t == "e2m1x4":
		return "b16"
	case t == "e2m1x2":
		return "b8"
	case t == "f16x2" || t == "bf16x2" || t == "tf32" || strings.HasSuffix(t, "x4"):
		return "b32"
	case strings.HasSuffix(t, "x2"):
		return "b16"
	}
	return "b" + t[1:]
}

const (
	cvtUnroll = 64 // statements in the loop
	cvtRounds = 20
)

// kernel is a loop of conversions of eight registers.
func (f cvtForm) kernel() string {
	a, d := cvtRegister(f.src), cvtRegister(f.dst)
	var b strings.Builder
	fmt.Fprintf(&b, ".version 9.5\n.target sm_107a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"+
		"\t.reg .b64 p, q;\n\t.reg .b32 t, n;\n\t.reg .pred more;\n\t.reg .%s a<8>;\n\t.reg .%s d<8>;\n\t.reg .b8 s;\n\t.reg .b16 ss;\n\t.reg .b32 r;\n"+
		"\tld.param.u64 p, [in];\n\tld.param.u64 q, [out];\n\tmov.u32 t, %%tid.x;\n\tmad.wide.u32 p, t, 64, p;\n\tmad.wide.u32 q, t, 8, q;\n"+
		"\tcvt.u8.u32 s, 126;\n\tmov.b16 ss, 0x7e80;\n\tmul.lo.u32 r, t, 0x9e3779b9;\n", a, d)
	for i := range 8 {
		fmt.Fprintf(&b, "\tld.global.%s a%d, [p+%d];\n", a, i, 8*i)
	}
	fmt.Fprintf(&b, "\tmov.u32 n, %d;\nloop:\n", cvtRounds)
	for i := range cvtUnroll {
		fmt.Fprintf(&b, "\tcvt%s.%s.%s d%d, %s;\n", f.mods, f.dst, f.src, i%8, f.operands(i))
	}
	b.WriteString("\tsub.u32 n, n, 1;\n\tsetp.ne.u32 more, n, 0;\n\t@more bra loop;\n")
	for i := range 8 {
		fmt.Fprintf(&b, "\tst.global.%s [q], d%d;\n", d, i)
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

func (f cvtForm) operands(i int) string {
	at := func(k int) string { return fmt.Sprintf("a%d", (i*3+k)%8) }
	list := at(0)
	switch {
	case strings.HasSuffix(f.dst, "x4"):
		list = "{" + strings.Join([]string{at(0), at(1), at(2), at(3)}, ", ") + "}"
	case strings.HasSuffix(f.dst, "x2") && f.src == "f32":
		list += ", " + at(1)
	}
	switch {
	case strings.Contains(f.mods, "::n1"):
		list += ", s"
	case strings.Contains(f.mods, "::n2"):
		list += ", ss"
	case strings.Contains(f.mods, ".rs"):
		list += ", r"
	}
	return list
}

// cvtInput is one ordinary operand: floats between 1/2 and 2 of both signs, any integer or code.
func cvtInput(src string, v uint64) uint64 {
	switch src {
	case "f64":
		return v&(1<<63|1<<53-1) | 0x3fe<<52
	case "f32":
		return v&(1<<31|1<<24-1) | 0x7e<<23
	case "f16":
		return v&(1<<15|1<<11-1) | 0xe<<10
	case "bf16":
		return v&(1<<15|1<<8-1) | 0x7e<<7
	case "f16x2", "bf16x2":
		half := strings.TrimSuffix(src, "x2")
		return cvtInput(half, v>>16)<<16 | cvtInput(half, v)
	}
	return v
}

// measure is the rate of one form in Glane-ops/s by processor time: the best of several launches.
func (f cvtForm) measure(span time.Duration) (float64, error) {
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: "sm_107a", Workers: 1, Memory: 1 << 24})
	if err != nil {
		return 0, err
	}
	defer d.Close()
	p, err := load(d, f.String(), []byte(f.kernel()))
	if err != nil {
		return 0, err
	}
	k, err := p.Kernel("k")
	if err != nil {
		return 0, err
	}
	const lanes = 128
	r, values := rand.New(rand.NewPCG(1, 1)), make([]uint64, 8*lanes)
	for i := range values {
		values[i] = cvtInput(f.src, r.Uint64())
	}
	in, err := ptxvm.Upload(d, values)
	if err != nil {
		return 0, err
	}
	out, err := ptxvm.Upload(d, make([]uint64, lanes))
	if err != nil {
		return 0, err
	}
	best, end := 0.0, time.Now().Add(span)
	for n := 0; n < 3 || time.Now().Before(end); n++ {
		before := cpuTime()
		if _, err := k.Launch(context.Background(), shape(1, lanes), in, out); err != nil {
			return 0, err
		}
		if took := cpuTime() - before; took > 0 {
			best = max(best, lanes*cvtUnroll*cvtRounds/float64(took))
		}
	}
	return best, nil
}

// cvtTable measures every form whose name matches and prints a line for each pair: the slowest
// and the fastest of its forms.
func cvtTable(match *regexp.Regexp, span time.Duration, all bool) error {
	list, err := cvtFormsOf(match)
	if err != nil {
		return err
	}
	type row struct {
		name       string
		goal       float64
		worst, top float64
		slowest    string
		forms      int
	}
	var rows []*row
	for _, f := range list {
		rate, err := f.measure(span)
		if err != nil {
			return fmt.Errorf("%v: %w", f, err)
		}
		if all {
			fmt.Printf("%.3f %v\n", rate, f)
		}
		name, goal := f.dst+" from "+f.src, cvtGoal
		if nvccCvt.MatchString(f.String()) {
			name, goal = name+", as nvcc emits it", cvtGoalNVCC
		}
		at := slices.IndexFunc(rows, func(r *row) bool { return r.name == name })
		if at < 0 {
			rows, at = append(rows, &row{name: name, goal: goal, worst: rate}), len(rows)
		}
		r := rows[at]
		r.forms++
		r.top = max(r.top, rate)
		if rate <= r.worst {
			r.worst, r.slowest = rate, f.mods
		}
	}
	fmt.Println("| Conversion | Forms | Goal | Slowest | Fastest | Slowest form |\n|---|---|---|---|---|---|")
	slices.SortStableFunc(rows, func(a, b *row) int { return strings.Compare(fmt.Sprint(b.goal), fmt.Sprint(a.goal)) })
	for _, r := range rows {
		fmt.Printf("| %s | %d | %.2f | %.2f | %.2f | `%s` |\n", r.name, r.forms, r.goal, r.worst, r.top, r.slowest)
	}
	return nil
}
