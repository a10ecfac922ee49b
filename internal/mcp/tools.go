package mcp

// This file is the table of tools: what each takes, and the command line that it is.

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// tool is a tool as clients see it.
type tool struct {
	Name        string             `json:"name"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Input       *jsonschema.Schema `json:"inputSchema"`
	Hints       hints              `json:"annotations"`

	line func(c *call, arguments json.RawMessage) (*commandLine, error)
}

// hints tell a client how careful it must be.
type hints struct {
	ReadOnly bool `json:"readOnlyHint"`
	Open     bool `json:"openWorldHint"` // reaches beyond this machine: none does
}

// commandLine is what a call comes to.
type commandLine struct {
	program string
	args    []string
	limits  []string                                  // further arguments, which a replay leaves out
	report  bool                                      // `--report FILE` gives an object
	silence string                                    // what an empty output means; default "no errors"
	read    func(done Done) (text string, object any) // of another output than text
}

// module is a module of PTX, as text or by its path.
type module struct {
	PTX  string `json:"ptx,omitempty" jsonschema:"the module as text; give this or path"`
	Path string `json:"path,omitempty" jsonschema:"the path of a .ptx file, or of an object file or program that holds PTX"`
}

// launch is how a kernel is launched.
type launch struct {
	module
	Kernel  string   `json:"kernel,omitempty" jsonschema:"the kernel, by its symbol or demangled name; needed where there are several"`
	Grid    string   `json:"grid,omitempty" jsonschema:"CTAs as X, X,Y or X,Y,Z; default 1"`
	Block   string   `json:"block,omitempty" jsonschema:"threads of a CTA as X, X,Y or X,Y,Z; default .reqntid"`
	Cluster string   `json:"cluster,omitempty" jsonschema:"CTAs of a cluster as X, X,Y or X,Y,Z"`
	Shared  string   `json:"shared,omitempty" jsonschema:"dynamic shared memory in bytes, such as 48K"`
	Args    []string `json:"args,omitempty" jsonschema:"one for each parameter, in order: s32:7, f32:2.5, in:f32:1,2,3, in:f32x256=iota, out:f32x256, inout:u32x64=0, in:@x.npy, null; without any, the answer says what the kernel takes (ptxvm://docs/arguments.md)"`
	Expect  []string `json:"expect,omitempty" jsonschema:"what a parameter must hold afterwards, as N=DATA: 1=f32:2,4,6"`
	Arch    string   `json:"arch,omitempty" jsonschema:"the device, such as sm_90a; default the module's target"`
	Seed    uint64   `json:"seed,omitempty" jsonschema:"another order of CTAs and warps for each seed; 0 is the natural one"`
}

type checkArguments struct {
	module
	Arch  string `json:"arch,omitempty" jsonschema:"judge for this architecture, such as sm_90; default the module's target"`
	Judge string `json:"judge,omitempty" jsonschema:"what decides where the two differ: ptxas (default) or manual"`
}

type sanitizeArguments struct {
	launch
	Checks string `json:"checks,omitempty" jsonschema:"a list of mem, init, race, sync, leak, async, or all (default)"`
}

type diffArguments struct {
	launch
	OtherPTX  string   `json:"other_ptx,omitempty" jsonschema:"a second module as text; give this, other_path, or two values of a flag"`
	OtherPath string   `json:"other_path,omitempty" jsonschema:"the path of a second module, such as that of another compiler"`
	Vary      []string `json:"vary,omitempty" jsonschema:"flags with two values each for one module: engine=interp,jit or arch=sm_80,sm_90 or assume=U3=low,high"`
}

type explainArguments struct {
	Topic string `json:"topic" jsonschema:"an error code (P8003), an instruction or a whole statement (cvt.rn.f16.f32), a directive, special register, modifier, target (sm_90), a word (warp), or CUDA C++ (__syncthreads)"`
}

type isaArguments struct {
	Name   string `json:"name,omitempty" jsonschema:"one instruction, directive or special register; default all"`
	Target string `json:"target,omitempty" jsonschema:"only what is available on this architecture, such as sm_120a"`
}

type gradeArguments struct {
	Candidate string   `json:"candidate,omitempty" jsonschema:"the path of a .py, .cu or .ptx file; give this, or text and kind"`
	Text      string   `json:"text,omitempty" jsonschema:"the candidate as text"`
	Kind      string   `json:"kind,omitempty" jsonschema:"what the text is: py (a function run(inputs…, outputs…)), cu (CUDA C++) or ptx"`
	Reference string   `json:"reference" jsonschema:"the path of a Python module with run() and inputs(); it runs unconfined (ptxvm://docs/grade.md)"`
	Entry     string   `json:"entry,omitempty" jsonschema:"the function, or kernel"`
	Trials    int      `json:"trials,omitempty" jsonschema:"default 5"`
	Seed      uint64   `json:"seed,omitempty" jsonschema:"of inputs and schedules"`
	Tolerance float64  `json:"tol,omitempty" jsonschema:"the largest error in units of the reference's own rounding; default 8"`
	Sanitize  string   `json:"sanitize,omitempty" jsonschema:"default mem,race,sync"`
	Arch      string   `json:"arch,omitempty" jsonschema:"default sm_90"`
	Forbid    []string `json:"forbid,omitempty" jsonschema:"names that the candidate must not call, such as aten::mm or numpy.dot"`
}

// tools is the table.
func tools() []*tool {
	return []*tool{
		newTool("check", "Judge PTX", "Accept and reject a module as ptxas does; each error has its line, what is wanted, and a fix.", true, checkLine),
		newTool("run", "Run a kernel", "Launch a kernel of a PTX module on the CPU and print its results. A fault, a deadlock or a difference from expect is told with its line.", false,
			func(c *call, a launch) (*commandLine, error) { return launchLine(c, a, "") }),
		newTool("sanitize", "Run a kernel and look for bugs", "Launch a kernel under the sanitizers: accesses out of bounds, races, wrong barriers and masks, unwritten values, missing waits. Each report has line, reason and fix.", false,
			func(c *call, a sanitizeArguments) (*commandLine, error) {
				return launchLine(c, a.launch, orElse(a.Checks, "all"))
			}),
		newTool("diff", "Find where two kernels part", "Run two modules, or one with two values of a flag, on equal inputs: what differs, the first store that does, and the first instruction from which it follows.", false, diffLine),
		newTool("explain", "Explain", "Explain an error code, an instruction, a statement, a directive, a register, a target or a word.", true,
			func(c *call, a explainArguments) (*commandLine, error) {
				return &commandLine{program: Self, args: []string{"explain", "--", a.Topic}}, nil
			}),
		newTool("isa", "What PTX has", "List instruction forms, directives and special registers with the versions and targets that have them.", true, isaLine),
		newTool("grade", "Judge a kernel against a reference", "Say whether a kernel (Triton or other Python, CUDA C++, PTX) computes what a reference does: built and run in a sandbox, watched by the sanitizers, compared with an oracle in float64.", false, gradeLine),
	}
}

// newTool makes a row of the table, whose schema is A's.
func newTool[A any](name, title, description string, readOnly bool, line func(*call, A) (*commandLine, error)) *tool {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		panic(err) // of a type in this file
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return &tool{name, title, description, schema, hints{ReadOnly: readOnly}, func(c *call, arguments json.RawMessage) (*commandLine, error) {
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		var value any
		if err := json.Unmarshal(arguments, &value); err != nil {
			return nil, err
		}
		if err := resolved.Validate(value); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", name, err)
		}
		var a A
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", name, err)
		}
		return line(c, a)
	}}
}

func checkLine(c *call, a checkArguments) (*commandLine, error) {
	file, err := c.file(a.module)
	args := appendFlags([]string{"check"}, "arch", a.Arch, "judge", a.Judge)
	return &commandLine{program: Self, args: append(args, file)}, err
}

// launchLine is a launch, under sanitizers unless checks is empty.
func launchLine(c *call, a launch, checks string) (*commandLine, error) {
	file, err := c.file(a.module)
	args := appendFlags(append([]string{"run", file}, a.flags()...), "sanitize", checks)
	for _, want := range a.Expect {
		args = append(args, "--expect="+want)
	}
	limits := append(c.limits(), "--max-output="+strconv.Itoa(c.server.Output))
	return &commandLine{program: Self, args: args, limits: limits, report: true}, err
}

// flags are those of all verbs that launch.
func (a *launch) flags() []string {
	args := appendFlags(nil, "kernel", a.Kernel, "grid", a.Grid, "block", a.Block, "cluster", a.Cluster, "shared", a.Shared, "arch", a.Arch)
	if a.Seed != 0 {
		args = appendFlags(args, "seed", strconv.FormatUint(a.Seed, 10))
	}
	for _, arg := range a.Args {
		args = append(args, "--arg="+arg)
	}
	return args
}

// limits are the flags that bound a launch.
func (c *call) limits() []string {
	return []string{"--timeout=" + c.server.Timeout.String(), "--memory=" + c.server.Memory, "--quiet"}
}

func diffLine(c *call, a diffArguments) (*commandLine, error) {
	file, err := c.file(a.module)
	args := []string{"diff", file}
	if a.OtherPTX != "" || a.OtherPath != "" {
		other, otherErr := c.file(module{a.OtherPTX, a.OtherPath})
		args, err = append(args, other), errors.Join(err, otherErr)
	}
	args = append(args, a.flags()...)
	for _, flag := range a.Vary {
		args = append(args, "--"+strings.TrimLeft(flag, "-"))
	}
	if len(a.Expect) != 0 {
		err = errors.Join(err, errors.New("diff compares two launches, not one with what is expected: leave out expect"))
	}
	return &commandLine{program: Self, args: args, limits: c.limits(), silence: "equal: both launches leave the same memory"}, err
}

func isaLine(_ *call, a isaArguments) (*commandLine, error) {
	args := appendFlags([]string{"isa"}, "target", a.Target)
	if a.Name != "" {
		args = append(args, "--", a.Name)
	}
	return &commandLine{program: Self, args: args}, nil
}

// appendFlags appends the flags of pairs (name, value) that have a value.
func appendFlags(args []string, pairs ...string) []string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			args = append(args, "--"+pairs[i]+"="+pairs[i+1])
		}
	}
	return args
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
