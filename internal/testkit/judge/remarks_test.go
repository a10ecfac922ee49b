package judge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

// remarks are modules with setmaxnreg, and what ptxas says of it by its numbers, one for each kernel or function.
var remarks = []struct{ name, options, directives, body, functions, want string }{
	{"nothing tells", "", "", move, "", "C7508"},
	{"inc", "", "", "setmaxnreg.inc.sync.aligned.u32 232;", "", "C7508"},
	{"several are one", "", "", move + move, "", "C7508"},
	{".maxnreg", "", ".maxnreg 64", move, "", ""},
	{".maxntid", "", ".maxntid 128", move, "", "C7508"},
	{".reqntid", "", ".reqntid 128", move, "", "C7508"},
	{".minnctapersm", "", ".minnctapersm 1", move, "", "C7508"},
	{".maxntid .minnctapersm", "", ".maxntid 128 .minnctapersm 1", move, "", ""},
	{".reqntid .minnctapersm", "", ".reqntid 128,1,1 .minnctapersm 2", move, "", ""},
	{"maxrregcount", "-maxrregcount 64", "", move, "", ""},
	{"maxntid", "-maxntid 128", "", move, "", "C7508"},
	{"minnctapersm", "-minnctapersm 1", "", move, "", "C7508"},
	{"maxntid, minnctapersm", "-maxntid 128 -minnctapersm 1", "", move, "", ""},
	{"no warnings", "-w", "", move, "", "C7508"},
	{"apart", "-c", ".maxnreg 64", move, "", "C7504"},
	{"apart, by functions", "-c", "", "call.uni f;", moves1 + moves2, "C7504 C7504"},
	{"debugger", "-g", ".maxnreg 64", move, "", "C7505"},
	{"debugger, apart", "-c -g", "", move, "", "C7505"},
	{"two kernels", "", "", move, ".visible .entry k2() { " + move + " ret; }", "C7508 C7508"},
	{"one of two kernels", "", ".maxnreg 64", move, ".visible .entry k2() { " + move + " ret; }", "C7508"},
	{"in a function", "", "", "call.uni f;", moves1, "C7508"},
	{"in a function of two kernels", "", ".maxnreg 64", "call.uni f;", moves1 + ".visible .entry k2() { call.uni f; ret; }", "C7508"},
	{"in a function that nothing calls", "", "", "", ".visible " + moves1, ""},
	{"behind the end", "", "", "ret; " + move, "", "C7508"},
	{"by address", "", ".maxnreg 64", move + byAddress, callee, "C7506"},
	{"by address, bounded outside", "-maxrregcount 64", "", move + byAddress, callee, "C7506"},
	{"by address, nothing tells", "", "", move + byAddress, callee, "C7508"},
	{"by address in a function", "", ".maxnreg 64", move + "call.uni g;", callee + ".func g() { " + byAddress + " ret; }", "C7506"},
	{"by address elsewhere", "", ".maxnreg 64", move, callee + ".visible .entry k2() { " + byAddress + " ret; }", ""},
	{"recursion", "", ".maxnreg 64", move + "call.uni r;", ".func r() { .reg .pred p; .reg .b32 x; mov.u32 x, %tid.x; setp.eq.u32 p, x, 1; @p call.uni r; ret; }", "C7506"},
	{"malloc", "", ".maxnreg 64", move + "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 8; call.uni (r), malloc, (n); }",
		".extern .func (.param .b64 r) malloc(.param .b64 n);", ""},
}

// Pieces of these modules.
const (
	move      = "setmaxnreg.dec.sync.aligned.u32 40; "
	moves1    = ".func f() { " + move + " ret; } "
	moves2    = ".visible .func f2() { " + move + " ret; } "
	callee    = ".visible .func h() { ret; } "
	byAddress = "{ .reg .b64 q; mov.u64 q, h; p: .callprototype _ (); call q, p; }"
)

var remarkNumber = regexp.MustCompile(`C75\d\d`)

// TestRemarks: what ptxas says of setmaxnreg that it leaves out, for each kernel; with -judge, ptxas is asked, too.
func TestRemarks(t *testing.T) {
	path := ""
	if *judge {
		var err error
		if path, err = ptxas.Find(); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range remarks {
		text := fmt.Sprintf(".version 8.6\n.target sm_90a\n.address_size 64\n%s\n.visible .entry k() %s {\n%s\nret;\n}\n", r.functions, r.directives, r.body)
		t.Run(r.name, func(t *testing.T) {
			if path != "" {
				file := filepath.Join(t.TempDir(), "m.ptx")
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				args := append(strings.Fields(r.options), "-arch=sm_90a", "-o", os.DevNull, file)
				out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
				if said := strings.Join(remarkNumber.FindAllString(string(out), -1), " "); err != nil || said != r.want {
					t.Errorf("ptxas says %q, %v\n%s", said, err, out)
				}
			}
			option := func(name string) bool { return slices.Contains(strings.Fields(r.options), name) }
			diags, err := ptxvm.Check("m.ptx", []byte(text), &ptxvm.CompileConfig{
				CompileOnly: option("-c"), Debug: option("-g"), BoundRegisters: option("-maxrregcount") || option("-maxntid") && option("-minnctapersm"),
			})
			if err != nil || diags.HasErrors() {
				t.Fatal(err, diags)
			}
			var said []string
			for i := range diags {
				if diags[i].Code == diag.IgnoredSetmaxnreg {
					said = append(said, remarkNumber.FindString(diags[i].Msg))
				}
			}
			if have := strings.Join(said, " "); have != r.want {
				t.Errorf("have %q, want %q", have, r.want)
			}
		})
	}
}
