package main

// This file holds the flags of run and bench.

import (
	"fmt"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
)

// runFlags are the options that run and bench share (CONTRACT §2).
type runFlags struct {
	kernel               string
	grid, block, cluster dim3Flag
	shared, memory       sizeFlag
	maxOutput            sizeFlag
	arch, engine, color  string
	assume, async, judge string
	workers              int
	seed, maxSteps       uint64
	timeout              durationFlag
	stats, quiet         bool
	sanitize             string
	maxReports           int
	keepOutput           bool
	show                 showFlag
	showTo               string
	trace                traceFlag
	maxTrace             uint64
	sourceRoot           sourceFlag
	traceTo              string
	args, images         []string
	bufs, globals        []string
	expects              []string
	tol, report, triton  string

	verb *cli.Command
	set  *cli.Flags // that these are the values of
}

// bind declares the flags on a verb.
func (f *runFlags) bind(cmd *cli.Command) {
	fl := cmd.Flags()
	f.verb, f.set = cmd, fl
	fl.String(&f.kernel, "kernel", "", "", "kernel to launch, its `NAME` as symbol, demangled or without parameters; needed only where there are several")
	fl.Add(&f.grid, "grid", "", "CTAs as X[,Y[,Z]]")
	fl.Add(&f.block, "block", "", "threads of a CTA as X[,Y[,Z]]; default .reqntid")
	fl.Add(&f.cluster, "cluster", "", "CTAs of a cluster as X[,Y[,Z]]; default .reqnctapercluster")
	fl.List(&f.args, "arg", "", "one `ARG` per parameter, in order: TYPE:VALUE, in:DATA, out:SIZE, inout:DATA, bytes:HEX, struct:{TYPE:VALUE,…}, ptr:NAME, surf:NAME, tex:NAME, tensormap:NAME,TYPE,DIMS,BOX, null")
	fl.List(&f.images, "image", "", "a surface or texture as `NAME=GEOM,SIZE,FORMAT[,OPTIONS][,from=DATA][,to=SINK]`, such as photo=2d,64x48,u8x4,filter=linear,normalized,from=@photo.png")
	fl.List(&f.bufs, "buf", "", "a buffer as `NAME=DATA|SIZE[,to=SINK]`, which ptr:NAME[±BYTES] points into")
	fl.List(&f.globals, "global", "", "sets and reads a .global or .const variable: `NAME=DATA[,to=SINK]`, or NAME to print it")
	fl.List(&f.expects, "expect", "", "`N=DATA`: the launch must leave this in parameter N (number from 0, or name), --buf or --global; exit 6 if not")
	fl.String(&f.tol, "tol", "", "", "how near is near enough for --expect: `rtol=R,atol=A|ulp=U`; default equal bits")
	fl.Add(&f.shared, "shared", "", "dynamic shared memory in bytes, such as 48K")
	fl.String(&f.arch, "arch", "", "", "device to emulate, such as `sm_90a`; default the module's target")
	fl.Int(&f.workers, "workers", "", 0, "CTAs run by `N` workers; 1 is deterministic, 0 one a CPU")
	fl.Uint64(&f.seed, "seed", "", 0, "`N` permutes the schedule; 0 is the natural order")
	fl.String(&f.engine, "engine", "", "auto", "what executes, `auto|interp|jit`; all give the same results")
	fl.String(&f.judge, "judge", "", "ptxas", "whom to follow about what is valid, `ptxas|manual`")
	fl.String(&f.assume, "assume", "", "", "other positions of assumptions about hardware, such as `U15=nearest`; isa --assumptions lists them")
	fl.String(&f.async, "async", "", "eager", "asynchronous operations happen `eager|lazy|random`: at issue, as late as allowed, or at moments drawn by --seed")
	fl.String(&f.sanitize, "sanitize", "", "", "report, slowly, what results must not depend on: `LIST` of mem (accesses outside the object of their pointer), init (unwritten values that decide) or init:loads (any load of them), race or race:strict (stores of the same bits, too), sync (barriers and member masks), leak (what is not given back), async (copies without a wait) or async:fences (tcgen05.fence, too), or all")
	fl.Int(&f.maxReports, "max-reports", "", 20, "show `N` reports of sanitizers")
	fl.Bool(&f.keepOutput, "keep-output", "", "write results although a sanitizer has reported")
	fl.Add(&f.show, "show", "", "tmem[=X,Y,Z]: print the tensor memory of a CTA, by default the first, as it is at its end")
	fl.String(&f.showTo, "show-to", "", "", "a `FILE` for --show: .json, or .png with a pixel a word, its upper three bytes red, green and blue")
	fl.Add(&f.trace, "trace", "", "show each instruction that a CTA, or a thread of it, executes, of the lines of the PTX that are named: 0, 1,2/5, 0@20-31")
	fl.String(&f.traceTo, "trace-to", "", "", "a `FILE` for --trace, as JSON lines if it ends in .json or .jsonl; default standard error")
	fl.Uint64(&f.maxTrace, "max-trace", "", 100000, "show `N` instructions with --trace")
	fl.Add(&f.timeout, "timeout", "", "wall clock limit, such as 10s")
	fl.Uint64(&f.maxSteps, "max-steps", "", 0, "limit of `N` warp instructions per launch")
	fl.Add(&f.memory, "memory", "", "bound of device memory; default half of what the machine has")
	fl.Add(&f.maxOutput, "max-output", "", "bound of printf output")
	fl.String(&f.triton, "triton", "", "", "Triton's metadata of the kernel, `META.json`: name, shared bytes, warps, cluster, and the hidden scratch arguments")
	fl.Add(&f.sourceRoot, "source-root", "", "reports quote lines of the files that .file names, looked for below this directory alone; default sources beside FILE and in the working directory")
	fl.String(&f.report, "report", "", "", "a `FILE` that gets outcome, fault, statistics and assumptions as JSON (docs/json.md)")
	fl.Bool(&f.stats, "stats", "", "print what ran where, to standard error")
	fl.Bool(&f.quiet, "quiet", "", "print no progress and no warnings")
	fl.String(&f.color, "color", "", "auto", "colours and progress, `auto|always|never`; auto: on a terminal")
	completeFlags(cmd)
}

// complete puts the flags into a device configuration.
func (f *runFlags) complete(cfg *ptxvm.DeviceConfig) (err error) {
	if err := checkColor(f.color); err != nil {
		return err
	}
	cfg.Arch, cfg.Memory, cfg.Workers, cfg.Seed = f.arch, int64(f.memory), f.workers, f.seed
	cfg.Assume = f.assume
	if f.workers < 0 {
		return fmt.Errorf("--workers %d: want 1 or more; 0 is one a CPU", f.workers)
	}
	cfg.MaxSteps, cfg.MaxOutput = f.maxSteps, int64(f.maxOutput)
	if cfg.Sanitize, err = ptxvm.ParseSanitize(f.sanitize); err != nil {
		return err
	}
	if cfg.MaxReports = f.maxReports; f.maxReports < 1 {
		return fmt.Errorf("--max-reports %d: want 1 or more", f.maxReports)
	}
	if cfg.Async, err = ptxvm.ParseAsync(f.async); err != nil {
		return err
	}
	cfg.Engine, err = ptxvm.ParseEngine(f.engine)
	return err
}

// shape is the launch's shape; what no flag says is the kernel's own, else 1.
func (f *runFlags) shape(info ptxvm.KernelInfo) ptxvm.Launch {
	shape := ptxvm.Launch{Grid: f.grid.Dim3, Block: f.block.Dim3, Cluster: f.cluster.Dim3, Shared: int(f.shared)}
	if !f.block.given {
		shape.Block = info.ReqBlock
	}
	if !f.cluster.given {
		shape.Cluster = info.ReqCluster
	}
	return shape
}

// dim3Flag reads X[,Y[,Z]]; what is left out is 1.
type dim3Flag struct {
	ptxvm.Dim3
	given bool
}

func (f *dim3Flag) String() string {
	if !f.given {
		return ""
	}
	return f.Dim3.String()
}
func (f *dim3Flag) Type() string { return "X,Y,Z" }

func (f *dim3Flag) Set(text string) error {
	words := strings.Split(text, ",")
	if len(words) > 3 {
		return fmt.Errorf("want X[,Y[,Z]], have %d numbers", len(words))
	}
	extents := [3]uint32{1, 1, 1}
	for i, word := range words {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 32)
		if err != nil || n == 0 {
			if commas := strings.ReplaceAll(text, "x", ","); commas != text && new(dim3Flag).Set(commas) == nil {
				return fmt.Errorf("extents are separated by commas; write %s", commas)
			}
			return fmt.Errorf("%q is no extent: want a number from 1 to 4294967295", word)
		}
		extents[i] = uint32(n)
	}
	f.Dim3, f.given = ptxvm.Dim3{X: extents[0], Y: extents[1], Z: extents[2]}, true
	return nil
}

// sizeFlag reads 4096, 48K, 1M or 2G.
type sizeFlag int64

func (f *sizeFlag) String() string { return strconv.FormatInt(int64(*f), 10) }
func (f *sizeFlag) Type() string   { return "SIZE" }
func (f *sizeFlag) Set(text string) error {
	n, err := parseByteSize(text)
	*f = sizeFlag(n)
	return err
}
