package main

// This file holds the flags of run and bench.

import (
	"fmt"
	"strconv"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// runFlags are the options that run and bench share (CONTRACT §2).
type runFlags struct {
	kernel               string
	grid, block, cluster dim3Flag
	shared, memory       sizeFlag
	maxOutput            sizeFlag
	arch, engine, color  string
	assume, async, judge string
	schedule             string
	workers, devices     int
	seed, maxSteps       uint64
	seeds                seedsFlag
	timeout              durationFlag
	stats, quiet         bool
	deterministic        bool
	sanitize             string
	maxReports           int
	keepOutput           bool
	keepGoing            bool
	suppress             string
	newSuppressions      string // --write-suppressions
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

	why whyFlags

	capture, restore string
	captureMax       sizeFlag

	verb *cli.Command
	set  *cli.Flags // that these are the values of
}

// bind declares the flags on a verb.
func (f *runFlags) bind(cmd *cli.Command) {
	fl := cmd.Flags()
	f.verb, f.set = cmd, fl
	fl.Group("Launch")
	fl.String(&f.kernel, "kernel", "", "", "kernel to launch, its `NAME` as symbol, demangled or without parameters; needed only where there are several")
	fl.Add(&f.grid, "grid", "", "CTAs as X[,Y[,Z]]")
	fl.Add(&f.block, "block", "", "threads of a CTA as X[,Y[,Z]]; default .reqntid")
	fl.Add(&f.cluster, "cluster", "", "CTAs of a cluster as X[,Y[,Z]]; default .reqnctapercluster")
	fl.Add(&f.shared, "shared", "", "dynamic shared memory in bytes, such as 48K")
	fl.String(&f.triton, "triton", "", "", "read the launch from Triton's metadata, `META.json`: kernel, shared bytes, warps, cluster, hidden scratch arguments").NamesFile()
	fl.Int(&f.devices, "devices", "", 1, "run on `N` devices of one machine at once, each with copies of all buffers: ptr:NAME@DEV and le:NAME@DEV name those of another, mc:NAME and lemc:NAME all of them, device:u32 the device; --expect, --show and --stats are about device 0")
	fl.Group("Data")
	fl.List(&f.args, "arg", "", "one `ARG` per parameter, in order: TYPE:VALUE, in:DATA, out:SIZE, inout:DATA, bytes:HEX, struct:{TYPE:VALUE,…}, ptr:NAME[@DEV], mc:NAME, surf:NAME, tex:NAME, tensormap:NAME,TYPE,DIMS,BOX, null").Names = launchlang.Beside
	fl.List(&f.images, "image", "", "a surface or texture as `NAME=GEOM,SIZE,FORMAT[,OPTIONS][,from=DATA][,to=SINK]`, such as photo=2d,64x48,u8x4,filter=linear,normalized,from=@photo.png").Names = launchlang.Beside
	fl.List(&f.bufs, "buf", "", "a buffer as `NAME=DATA|SIZE[,to=SINK]`, which ptr:NAME[±BYTES] points into").Names = launchlang.Beside
	fl.List(&f.globals, "global", "", "set and read a .global or .const variable: `NAME=DATA[,to=SINK]`, or NAME to print it").Names = launchlang.Beside
	fl.List(&f.expects, "expect", "", "`N=DATA`: the launch must leave this in parameter N (number from 0, or name), --buf or --global; exit 6 if not").Names = launchlang.Beside
	fl.String(&f.tol, "tol", "", "", "tolerance of --expect: `rtol=R,atol=A|ulp=U`; default bit for bit")
	fl.Bool(&f.keepOutput, "keep-output", "", "write results even if a sanitizer has reported")
	fl.String(&f.restore, "restore", "", "", "begin with the memory of a captured launch, of the folder `DIR`, each allocation at its address").NamesFile()
	fl.Group("Device and schedule")
	fl.String(&f.arch, "arch", "", "", "device to emulate, such as `sm_90a`; default the module's target")
	fl.String(&f.assume, "assume", "", "", "change assumptions about hardware, such as `U15=nearest`; isa --assumptions lists them")
	fl.Add(&f.memory, "memory", "", "limit of device memory, such as 2G; default half of the host's")
	fl.String(&f.engine, "engine", "", "auto", "execution engine, `auto|interp|jit|cc`; all give the same results; cc has the installed C compiler compile kernels that run for long")
	fl.String(&f.judge, "judge", "", "ptxas", "what decides whether PTX is valid, `ptxas|manual`")
	fl.Int(&f.workers, "workers", "", 0, "run CTAs on `N` threads; 0 means one per CPU")
	fl.Uint64(&f.seed, "seed", "", 0, "permute the order of CTAs and warps by seed `N`, which gives the same order again: on one thread unless --workers says more; 0 is the natural order")
	fl.Bool(&f.deterministic, "deterministic", "", deterministicUsage)
	fl.String(&f.async, "async", "", "eager", "when asynchronous operations take effect, `eager|lazy|random`: at issue, as late as allowed, or at random moments drawn from --seed")
	fl.String(&f.schedule, "schedule", "", "long", scheduleUsage)
	fl.Group("Limits")
	fl.Add(&f.timeout, "timeout", "", "wall clock limit, such as 10s")
	fl.Uint64(&f.maxSteps, "max-steps", "", 0, "stop a launch after `N` warp instructions")
	fl.Add(&f.maxOutput, "max-output", "", "limit of printf output in bytes")
	fl.Group("Sanitizers and reports")
	fl.String(&f.sanitize, "sanitize", "", "", "report behaviour that a correct kernel must not rely on, at some cost in speed: `LIST` of mem (accesses outside the object that their pointer was made from), init (results, addresses and branches made of unwritten values) or init:loads (every load of one), race or race:strict (also stores of the same bits), sync (barriers and member masks), leak (what is not freed), async (missing waits), async:fences (also missing tcgen05.fence) or async:war (also proxy fences before overwriting), or all; and of nan (instructions that make a NaN of numbers) or nan:inf (also infinities), which are not in all")
	fl.Int(&f.maxReports, "max-reports", "", 20, "show at most `N` sanitizer reports")
	fl.String(&f.suppress, "suppress", "", "", "leave out the reports that `FILE` names, a line each with its reason (docs/sanitizers.md); default .ptxvm-suppress beside the module, if there is one").NamesFile()
	fl.String(&f.newSuppressions, "write-suppressions", "", "", "write a line for each report to `FILE`, as --suppress reads it").NamesFile()
	fl.Bool(&f.keepGoing, "keep-going", "", "go on behind a fault, without the lanes that have faulted, and behind a launch with faults or reports")
	fl.String(&f.report, "report", "", "", "write outcome, fault, reports, statistics and assumptions to `FILE` as JSON (docs/json.md), or for code scanning, FILE.sarif").NamesFile()
	fl.Add(&f.sourceRoot, "source-root", "", "look only below DIR for the source files that .file names, whose lines reports quote; default beside FILE and in the working directory").NamesFile()
	fl.Group("What is shown")
	fl.Add(&f.trace, "trace", "", "print each instruction executed by a CTA (or one thread), optionally only for the given PTX lines: 0, 1,2/5, 0@20-31")
	fl.String(&f.traceTo, "trace-to", "", "", "write --trace to `FILE`, as JSON lines if it ends in .json or .jsonl; default standard error").NamesFile()
	fl.Uint64(&f.maxTrace, "max-trace", "", 100000, "stop --trace after `N` instructions")
	fl.Add(&f.show, "show", "", "tmem[=X,Y,Z]: print the tensor memory of a CTA (by default the first) as it is when the CTA ends")
	fl.String(&f.showTo, "show-to", "", "", "write --show to `FILE`: .json, or .png with one pixel per word, whose upper three bytes are red, green and blue").NamesFile()
	fl.Bool(&f.stats, "stats", "", "print statistics to standard error: what each engine ran, helpers, assumptions used")
	fl.Bool(&f.quiet, "quiet", "", "print neither progress nor warnings")
	fl.String(&f.color, "color", "", "auto", "colours and progress, `auto|always|never`; auto: on a terminal")
	completeFlags(cmd)
}

const scheduleUsage = "how long a warp runs before the next one does, `long|fair`: as long as it can go on, or for 64 instructions and up to the next barrier, interpreted, so that warps leave a barrier together as on a GPU"

// complete puts the flags into a device configuration.
func (f *runFlags) complete(cfg *ptxvm.DeviceConfig) (err error) {
	if err := checkColor(f.color); err != nil {
		return err
	}
	cfg.Arch, cfg.Memory, cfg.Workers, cfg.Seed = f.arch, int64(f.memory), f.workers, f.seed
	cfg.Assume, cfg.Deterministic, cfg.KeepGoing, cfg.Alone = f.assume, f.deterministic, f.keepGoing, true
	if f.workers < 0 {
		return fmt.Errorf("--workers %d: want 1 or more; 0 is one a CPU", f.workers)
	}
	cfg.Restore, cfg.CaptureMax = f.restore, int64(f.captureMax)
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
	if cfg.Schedule, err = ptxvm.ParseSchedule(f.schedule); err != nil {
		return err
	}
	cfg.Engine, err = ptxvm.ParseEngine(f.engine)
	return err
}

// dim3Flag reads X[,Y[,Z]]; what is left out is 1.
type dim3Flag struct{ ptxvm.Dim3 }

func (f *dim3Flag) String() string {
	if f.Dim3 == (ptxvm.Dim3{}) {
		return ""
	}
	return f.Dim3.String()
}
func (f *dim3Flag) Type() string { return "X,Y,Z" }

func (f *dim3Flag) Set(text string) (err error) {
	f.Dim3, err = launchlang.ParseDim3(text)
	return err
}

// sizeFlag reads 4096, 48K, 1M or 2G.
type sizeFlag int64

func (f *sizeFlag) String() string { return strconv.FormatInt(int64(*f), 10) }
func (f *sizeFlag) Type() string   { return "SIZE" }
func (f *sizeFlag) Set(text string) error {
	n, err := launchlang.ParseByteSize(text)
	*f = sizeFlag(n)
	return err
}
