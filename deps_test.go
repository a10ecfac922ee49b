package ptxvm_test

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// importOrder says what each room may import of ours, one room a line. It is
// the picture of the tree: do not widen a line to make a build pass.
const importOrder = `
internal/sarif:
diag:               internal/sarif
internal/assume:
internal/isa:
internal/num:
internal/uop:
internal/jit/x86:
internal/mem:       internal/num
internal/tensor:    internal/num
internal/tex:       internal/num
internal/quota:
internal/framing:
internal/text:
internal/capture:
internal/syntax:    diag internal/quota
internal/check:     diag internal/isa internal/num internal/quota internal/syntax
internal/ir:        diag internal/isa internal/num internal/quota
internal/lower:     internal/check diag internal/ir internal/isa internal/num internal/quota internal/syntax
internal/machine/abi:
internal/machine/arguments: internal/machine/abi
internal/machine/barriers: internal/uop
internal/machine/events:
internal/machine/faults:
internal/machine/mbarriers: internal/mem
internal/machine/model:
internal/machine/passing:
internal/machine/pools: internal/machine/regs internal/mem
internal/machine/queue: internal/machine/shape
internal/machine/specials: internal/isa internal/machine/regs internal/machine/shape internal/machine/sizes internal/mem
internal/machine/images: internal/mem internal/tex
internal/machine/regs:
internal/machine/shape:
internal/machine/sizes: internal/machine/shape
internal/machine/tmem: internal/tensor
internal/machine/waits: internal/machine/barriers internal/machine/mbarriers
internal/machine: internal/isa internal/mem internal/num internal/tensor internal/uop internal/machine/images internal/machine/tmem internal/machine/abi internal/machine/regs internal/machine/shape internal/machine/sizes internal/machine/passing internal/machine/specials internal/machine/mbarriers internal/machine/queue internal/machine/barriers internal/machine/model internal/machine/faults internal/machine/waits internal/machine/events internal/machine/arguments internal/machine/pools
internal/host: internal/machine internal/mem internal/machine/images internal/machine/queue internal/machine/faults internal/machine/events
internal/sem: internal/assume internal/ir internal/isa internal/machine internal/mem internal/num internal/tensor internal/tex internal/uop internal/machine/regs internal/machine/specials internal/machine/barriers internal/machine/model internal/machine/faults internal/machine/events
internal/sem/calls: internal/ir internal/isa internal/machine internal/mem internal/sem internal/uop internal/machine/faults internal/machine/events
internal/sem/image: internal/assume internal/ir internal/isa internal/machine internal/mem internal/num internal/sem internal/tex internal/uop internal/machine/images internal/machine/model internal/machine/faults internal/machine/events
internal/sem/async: internal/assume internal/ir internal/isa internal/machine internal/mem internal/num internal/sem internal/tensor internal/uop internal/machine/regs internal/machine/mbarriers internal/machine/queue internal/machine/model internal/machine/faults internal/machine/events
internal/sem/matrix: internal/assume internal/ir internal/isa internal/machine internal/mem internal/num internal/sem internal/tensor internal/uop internal/machine/tmem internal/machine/mbarriers internal/machine/queue internal/machine/model internal/machine/faults internal/machine/events
internal/sem/table:  internal/sem internal/sem/async internal/sem/calls internal/sem/image internal/sem/matrix
internal/dataflow:  internal/machine internal/machine/regs internal/num internal/uop
internal/observe: internal/ir internal/isa internal/machine internal/num internal/sem internal/sem/calls internal/uop internal/machine/regs internal/dataflow internal/machine/model internal/machine/events
internal/decode: internal/assume diag internal/ir internal/isa internal/machine internal/mem internal/num internal/observe internal/quota internal/sem internal/sem/calls internal/sem/table internal/uop internal/machine/regs internal/machine/sizes internal/dataflow internal/machine/passing internal/machine/specials internal/machine/model internal/machine/events
internal/why: internal/decode internal/ir internal/isa internal/machine internal/machine/regs internal/machine/events
internal/jit/native:
internal/jit/ssa:
internal/jit/ssa/eval: internal/jit/ssa internal/jit/unit internal/machine/abi
internal/jit/analysis: internal/jit/ssa
internal/jit/opt:  internal/jit/analysis internal/jit/ssa
internal/jit/unit: internal/num
internal/jit/lane: internal/jit/ssa internal/jit/unit internal/mem internal/num internal/uop
internal/jit/build: internal/decode internal/ir internal/isa internal/jit/lane internal/jit/ssa internal/machine internal/sem internal/uop internal/machine/abi internal/machine/regs internal/machine/specials internal/machine/barriers
internal/jit/isel: internal/jit/ssa
internal/jit/regalloc: internal/jit/isel
internal/jit/isel/amd64: internal/jit/isel internal/jit/regalloc internal/jit/ssa internal/jit/unit internal/jit/x86 internal/machine/abi
internal/jit/cc: internal/jit/native internal/jit/ssa internal/jit/unit internal/machine/abi
internal/jit/products: internal/jit/native internal/jit/x86 internal/num
internal/jit: internal/jit/build internal/jit/cc internal/jit/isel internal/jit/isel/amd64 internal/jit/lane internal/jit/opt internal/jit/native internal/jit/products internal/jit/ssa internal/jit/unit internal/decode internal/ir internal/isa internal/jit/x86 internal/machine internal/mem internal/num internal/sem internal/uop internal/machine/abi internal/machine/regs internal/machine/specials internal/machine/barriers
internal/san/found: diag internal/machine
internal/san/clusters:
internal/san/shadow: internal/machine internal/mem internal/san/clusters internal/san/found internal/machine/model internal/machine/events
internal/san/async: internal/machine internal/mem internal/san/clusters internal/san/found internal/machine/mbarriers internal/machine/queue internal/machine/model internal/machine/events
internal/san/misuse: internal/machine internal/san/clusters internal/san/found internal/machine/mbarriers internal/machine/barriers internal/machine/waits internal/machine/events
internal/san/numbers: internal/machine internal/num internal/san/found internal/value internal/machine/regs internal/dataflow
internal/san/race: internal/machine internal/mem internal/san/found internal/machine/queue internal/machine/barriers internal/machine/model internal/machine/events
internal/san/flow: internal/machine internal/mem internal/san/found internal/uop internal/machine/regs internal/dataflow internal/machine/events
internal/san/streams: internal/san/race
internal/san: diag internal/machine internal/san/async internal/san/flow internal/san/found internal/san/misuse internal/san/numbers internal/san/race internal/san/shadow internal/san/streams internal/dataflow internal/machine/queue internal/machine/events
internal/sectors: internal/machine internal/machine/events
internal/fatbin:    internal/isa
internal/driver:    diag report internal/vm internal/capture internal/cudaabi internal/fatbin internal/isa internal/kernelname internal/machine internal/quote internal/san/race internal/san/streams internal/sarif internal/tensor
internal/quote:     . diag
internal/stepform:  . diag internal/quote
internal/value:     internal/num
internal/debug: report internal/decode internal/findings internal/ir internal/isa internal/kernelname internal/machine internal/mem internal/tensor internal/uop internal/value internal/vm internal/why internal/machine/regs internal/machine/specials internal/machine/events
internal/debug/dap: internal/debug internal/debug/console internal/framing internal/machine internal/san internal/vm report github.com/google/go-dap golang.org/x/sys/unix internal/machine/barriers
internal/debug/console: diag internal/debug internal/machine internal/quote internal/stepform report golang.org/x/term internal/machine/queue internal/machine/barriers
internal/launchlang: . diag internal/isa internal/value
internal/kernelname: internal/isa
internal/whence:    . diag internal/launchlang internal/stepform internal/value
internal/inlineasm: diag internal/check internal/isa internal/syntax
internal/testcase:  internal/launchlang github.com/rogpeppe/go-internal/txtar
report:             diag internal/kernelname internal/sarif
internal/findings: diag report internal/decode internal/ir internal/kernelname internal/machine internal/mem internal/san internal/san/found internal/machine/model internal/machine/faults
isainfo:            diag internal/assume internal/cudaabi internal/isa internal/sem internal/sem/matrix internal/sem/table internal/tensor internal/text
internal/mend:      diag
ptxfmt:             . diag internal/check internal/mend internal/syntax
internal/lsp/doc:   diag isainfo internal/assume internal/check internal/ir internal/isa internal/lower internal/mend internal/sem/table internal/syntax
internal/lsp:       diag internal/check internal/framing internal/inlineasm internal/isa internal/lsp/doc github.com/sourcegraph/jsonrpc2
ptxtest:            . diag internal/value
internal/cli: diag isainfo internal/vm internal/assume internal/check internal/decode internal/fatbin internal/ir internal/isa internal/jit internal/lower internal/syntax internal/text internal/machine internal/machine internal/machine/sizes
internal/forms:     . diag internal/launchlang
internal/execprog:  internal/cli
internal/ptxasline: .
internal/cudaabi:   diag
internal/mcp:       internal/launchlang
examples:
docs:
internal/vm: diag report internal/assume internal/capture internal/check internal/decode internal/findings internal/host internal/ir internal/isa internal/jit internal/jit/cc internal/kernelname internal/lower internal/machine internal/mem internal/num internal/quota internal/san internal/san/flow internal/san/found internal/san/race internal/san/streams internal/sectors internal/syntax internal/tensor internal/tex internal/value internal/why internal/machine/images internal/machine/regs internal/machine/shape internal/machine/sizes internal/machine/queue internal/machine/faults internal/machine/events
.:                  diag report internal/vm
`

// freeRooms are not part of the core: tools and test harnesses may import anything.
var freeRooms = []string{"bench", "cmd/", "examples/", "internal/testkit", "internal/gen"}

// outside lists the packages beyond the standard library that the core may import (DESIGN §12).
var outside = []string{"github.com/google/jsonschema-go/jsonschema", "golang.org/x/sys/", "github.com/ianlancetaylor/demangle", "github.com/klauspost/compress/zstd", "github.com/pierrec/lz4/v4"}

func TestImportOrder(t *testing.T) {
	allowed := parseOrder(t)
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}:{{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		checkRoom(t, allowed, room(path), strings.Fields(imports))
	}
}

// parseOrder reads importOrder into room → set of rooms.
func parseOrder(t *testing.T) map[string]map[string]bool {
	t.Helper()
	order := map[string]map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(importOrder)) {
		name, may, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("importOrder: no colon in %q", line)
		}
		order[name] = map[string]bool{}
		for _, m := range strings.Fields(may) {
			order[name][m] = true
		}
	}
	return order
}

// modulePath is what the module is called, from the name of a package of ours that this test imports.
var modulePath = strings.TrimSuffix(reflect.TypeFor[ptxvm.Module]().PkgPath(), "/internal/vm")

// room names a package of ours by its folder, "." for the root.
func room(path string) string {
	if path == modulePath {
		return "."
	}
	return strings.TrimPrefix(path, modulePath+"/")
}

func checkRoom(t *testing.T, allowed map[string]map[string]bool, name string, imports []string) {
	t.Helper()
	if isFree(name) {
		return
	}
	may, known := allowed[name]
	if !known {
		t.Errorf("room %s has no line in importOrder", name)
		return
	}
	for _, path := range imports {
		switch {
		case path == modulePath || strings.HasPrefix(path, modulePath+"/"):
			if !may[room(path)] {
				t.Errorf("%s imports %s, against the import order", name, room(path))
			}
		case strings.Contains(path, ".") && !isOutside(path) && !may[path]:
			t.Errorf("%s imports %s: the core needs the standard library and x/sys only; what a front of it needs its line names", name, path)
		}
	}
}

func isFree(name string) bool {
	for _, f := range freeRooms {
		if strings.HasPrefix(name, f) {
			return true
		}
	}
	return false
}

func isOutside(path string) bool {
	for _, o := range outside {
		if strings.HasPrefix(path, o) {
			return true
		}
	}
	return false
}

// TestServerIsLight: the language server links neither the compiler nor what launches kernels.
func TestServerIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./internal/lsp").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		switch name := room(path); {
		case name == ".", name == "internal/vm", name == "internal/host", name == "internal/decode", strings.HasPrefix(name, "internal/jit"):
			t.Errorf("internal/lsp needs %s", name)
		}
	}
}
