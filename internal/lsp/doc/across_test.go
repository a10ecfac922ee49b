package doc

import (
	"bytes"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/check"
)

// acrossHead is a module up to its functions.
const acrossHead = ".version 8.6\n.target sm_90a\n.address_size 64\n"

// across are modules in which what is said of one function depends on another, and an edit: at » what follows is replaced, up to «.
var across = []struct{ name, module, now string }{
	{"setmaxnreg of a called function", `.func helper() { setmaxnreg.inc.sync.aligned.u32 64; ret; }
.entry k() { call.uni helper; »ret«; }
`, "exit"},
	{"setmaxnreg of another kernel", `.entry a() { setmaxnreg.inc.sync.aligned.u32 64; ret; }
.entry b() { »ret«; }
`, "exit"},
	{"setmaxnreg of another kernel, behind an error", `.entry a() { setmaxnreg.inc.sync.aligned.u32 64; ret; }
.entry b() { »rte«; }
`, "ret"},
	{"setmaxnreg of a kernel that calls what changes", `.func helper() { »ret«; }
.entry a() .maxnreg 64 { setmaxnreg.inc.sync.aligned.u32 64; call.uni helper; ret; }
`, "call.uni helper"},
	{"setmaxnreg beside what becomes an error of the whole program", `.extern .func outside();
.entry a() { setmaxnreg.inc.sync.aligned.u32 64; ret; }
.entry b() { »ret«; }
`, "call.uni outside"},
	{"the first use of what nothing defines", `.extern .func outside();
.entry a() { call.uni outside; ret; }
.entry b() { call.uni outside; »ret«; }
`, "exit"},
	{"shared memory of a called function", `.func helper() { .shared .b32 own[10000]; .reg .u32 %r; mov.u32 %r, own; ret; }
.entry k() { .shared .b32 mine[»1«]; .reg .u32 %r; mov.u32 %r, mine; call.uni helper; ret; }
`, "5000"},
	{"shared memory of a function that kernels call", `.func helper() { .shared .b32 own[»1«]; .reg .u32 %r; mov.u32 %r, own; ret; }
.entry k() { .shared .b32 mine[5000]; .reg .u32 %r; mov.u32 %r, mine; call.uni helper; ret; }
`, "10000"},
	{"shared memory that a called function gets", `.func helper() { .reg .u32 %r; »ret;« }
.entry k() { .shared .b32 mine[5000]; .reg .u32 %r; mov.u32 %r, mine; call.uni helper; ret; }
`, ".shared .b32 own[10000]; mov.u32 %r, own; ret;"},
	{"a name of a broken statement elsewhere", `.entry a() { .reg .u32 %x %y; ret; }
.entry b() { .reg .u32 %r; mov.u32 %r, »0«; ret; }
`, "%y"},
	{"a statement that breaks, with a name of elsewhere", `.entry a() { .reg .u32 %r; mov.u32 %r, %y; ret; }
.entry b() { .reg .u32 %x»,« %y; ret; }
`, ""},
	{"a broken statement that is mended, with a name of elsewhere", `.entry a() { .reg .u32 %r; mov.u32 %r, %y; ret; }
.entry b() { .reg .u32 %x»« %y; ret; }
`, ","},
	{"a place of another function", `.file 1 "k.cu"
.entry a() { .loc 1 5 1
ret; }
.entry b() {
.loc 1 9 1, function_name $name, inlined_at 1 5 1
»ret«;
}
.section .debug_str { $name: .b8 0 }
`, "exit"},
	{"a place that another function needs", `.file 1 "k.cu"
.entry a() {
.loc 1 »5« 1
ret; }
.entry b() {
.loc 1 9 1, function_name $name, inlined_at 1 5 1
ret;
}
.section .debug_str { $name: .b8 0 }
`, "6"},
	{"more undeclared names than are searched for", `.entry a() { .reg .u32 %count; ` + strings.Repeat("mov.u32 %count, %cuont; ", 60) + `ret; }
.entry b() { .reg .u32 %count; »ret«; }
`, "mov.u32 %count, %cuont"},
	{"a statement without its end, far from the edit", `.entry a() { .reg .u32 %r; mov.u32 %r, 0; mov.u32 %r, »1«; ` + strings.Repeat("mov.u32 %r, 1; ", 20) + `ret }
`, "2"},
	{"a name alone on its line that the parser takes for a label", `.entry a() { .reg .u32 %r, %s;
»«
` + strings.Repeat("mov.u32 %r, 1;\n", 20) + `mov.u32 %s, %r; ` + strings.Repeat("mov.u32 %r, 1;\n", 20) + `ret; }
`, "%r"},
	{"a range that becomes shorter, far from where it is used", `.entry a() { .reg .u32 %r<»30«>; ` + strings.Repeat("mov.u32 %r1, 1; ", 20) + `mov.u32 %r29, 1; ret; }
`, "20"},
	{"a label that goes, far from its branch", `.entry a() { .reg .u32 %r; »there:« ` + strings.Repeat("mov.u32 %r, 1; ", 20) + `bra there; ret; }
`, ""},
	{"a brace that begins a block with declarations behind", `.entry a() { .reg .u32 %r; mov.u32 %r, 1; » «` + strings.Repeat("mov.u32 %r, 1; ", 20) + `.reg .u32 %s; mov.u32 %s, 1; } ret; }
`, "{"},
	{"a statement that swallows the next", `.entry a() { .reg .u32 %r; mov.u32 %r, 1»;« ` + strings.Repeat("mov.u32 %r, 1; ", 20) + `mov.u33 %r, 1; ret; }
`, " +"},
	{"a label without its colon that another function uses", `.entry a() { bra there; there: ret; }
.entry b() {
»«
mov.u32 %r, 0;
}
`, "there"},
}

// TestMovedDeclaration: a declaration that has gone behind what uses it counts there, though the function declares the same.
func TestMovedDeclaration(t *testing.T) {
	defer small()()
	const reg = ".reg .u32 %s;"
	opt := check.Options{WholeProgram: true}
	s := New("k.ptx", []byte(acrossHead+".entry a() {\n.reg .u32 %r;\n"+reg+"\n"+strings.Repeat("mov.u32 %r, %s;\n", 30)+"ret;\n}\n"), opt)
	if list, err := s.Diagnostics(t.Context()); err != nil || len(list) > 0 {
		t.Fatal(list, err)
	}
	at := Pos(bytes.Index(s.Text, []byte(reg)))
	s = s.Edit(Span{Start: at, End: at + Pos(len(reg))}, "")
	at = Pos(bytes.Index(s.Text, []byte("ret;")))
	s = s.Edit(Span{Start: at, End: at}, reg+"\n")
	list, err := s.Diagnostics(t.Context())
	if got, want := printed(list), judged(s.Text, opt); err != nil || got != want {
		t.Errorf("%v: %s", err, difference(got, want))
	}
}

// TestAcross: what depends on other functions is said as if the whole text were judged.
func TestAcross(t *testing.T) {
	for _, c := range across {
		t.Run(c.name, func(t *testing.T) {
			defer small()()
			before, rest, _ := strings.Cut(acrossHead+c.module, "»")
			was, after, ok := strings.Cut(rest, "«")
			if !ok {
				t.Fatal("the module has no place for the edit")
			}
			opt := check.Options{WholeProgram: true}
			s := New("k.ptx", []byte(before+was+after), opt)
			if _, err := s.Diagnostics(t.Context()); err != nil {
				t.Fatal(err)
			}
			s = s.Edit(Span{Start: Pos(len(before)), End: Pos(len(before) + len(was))}, c.now)
			list, err := s.Diagnostics(t.Context())
			if err != nil || !bytes.Equal(s.Text, []byte(before+c.now+after)) {
				t.Fatalf("%v: %s", err, s.Text)
			}
			if got, want := printed(list), judged(s.Text, opt); got != want {
				t.Errorf("%s", difference(got, want))
			}
		})
	}
}
