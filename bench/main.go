// Command bench measures the figures of NOTES.md, and what docs/performance.md says, and prints tables.
//
//	GOAMD64=v1 go run ./bench [-count N] [-time D] [-run RE]
//	GOAMD64=v1 go run ./bench -cvt . [-each]    # the conversions, one line a pair of types
//	go run ./bench -speed                       # check as a process and in one, against ptxas
//	go run ./bench -kernels [-width 256] [-csv FILE]   # the broad kernels against the best of gcc and clang, with executed instructions
//	go run ./bench -kernels -callgrind -width 256      # with those of C, too
//	go run ./bench -native [-width 256]         # whole kernels against the best of gcc and clang; by AVX2
//	go run ./bench -native -profile stencil     # instructions for each warp, by part and kind; of broad kernels of the tuned half, too
//	go run ./bench -cores                       # two cores against one, wall time: on a quiet machine
//	go run ./bench -opencl installed            # four kernels against OpenCL
//	go run ./bench -kernels -opencl ICD         # the broad kernels that have OpenCL C against an implementation's shared library, beside C
//	go run ./bench -sanitize                    # six kernels under an empty observer and each sanitizer, against the interpreter, and with two workers
//	go run ./bench -sanitize -check mem -cpuprofile FILE   # one of them alone, and a profile of it
//	go run ./bench -hostile 100                 # check of inputs of 10 and 100 MB made to ask for more
//
// Each figure is measured several times, and the best counts: others may use the machine. Times are those
// of the fastest round. Rates per core are by processor time where the system tells it.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func main() {
	testing.Init()
	var o options
	o.register()
	flag.Parse()
	if err := o.measure(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// options are what the command line says.
type options struct {
	count, width, megabytes       int
	span                          time.Duration
	only, cvt, path, check        string
	cpu, counted, engine          string
	cl                            string
	each, speed, c, broad, expect bool
	two, watched                  bool
}

func (o *options) register() {
	flag.IntVar(&o.count, "count", 5, "measurements of each figure")
	flag.DurationVar(&o.span, "time", 300*time.Millisecond, "time of each measurement")
	flag.StringVar(&o.only, "run", "", "figures whose name matches")
	flag.StringVar(&o.cvt, "cvt", "", "instead, conversions whose name (\"f16x2.f32 .rn\") matches")
	flag.BoolVar(&o.each, "each", false, "with -cvt: a line for each form")
	flag.BoolVar(&o.speed, "speed", false, "instead, check against ptxas, on modules whose name matches -run")
	flag.BoolVar(&o.c, "native", false, "instead, kernels against C that gcc and clang compile, those whose name matches -run")
	flag.BoolVar(&o.broad, "kernels", false, "instead, the kernels of bench/kernels against C, those whose name matches -run")
	flag.StringVar(&o.path, "csv", "", "with -kernels: write what was measured to this file, too")
	flag.BoolVar(&o.expect, "expect", false, "with -kernels: instead, print what C makes of the small inputs (bench/kernels/small.txt)")
	flag.StringVar(&o.cl, "opencl", "", "instead, kernels against the same in OpenCL C in one thread, those whose name matches -run: by this implementation, its shared library, or \"installed\" for the one that the loader finds; with -kernels: those of bench/kernels that are in OpenCL C, too")
	flag.BoolVar(&o.two, "cores", false, "instead, kernels on two cores against one, beside what C gains, those whose name matches -run")
	flag.BoolVar(&o.watched, "sanitize", false, "instead, kernels under each sanitizer against the interpreter, those whose name matches -run")
	flag.StringVar(&o.check, "check", "", "with -sanitize: the sanitizers whose name matches")
	flag.StringVar(&o.cpu, "cpuprofile", "", "with -sanitize: write a profile of what sanitizers do on one worker to this file; with -run alone: of the figures")
	flag.StringVar(&o.counted, "profile", "", "with -native: instead, what the machine code of kernels whose name matches executes, for each warp")
	flag.IntVar(&o.width, "width", 0, "bits of the vectors of compiled code and of C: 256 or 512; 0 is the widest here")
	flag.StringVar(&o.engine, "engine", "auto", "with -kernels, -native, -opencl and -cores: auto, interp or jit")
	flag.StringVar(&pipeline, "pipeline", "", "with -kernels: new is the compiler's new pipeline with machine code of its own, as far as it takes kernels; old is the old compiler; else each kernel has what devices choose")
	flag.BoolVar(&throughC, "cc", false, "with -kernels: by the compiler's new pipeline and the installed C compiler, as far as it takes kernels")
	flag.BoolVar(&byCallgrind, "callgrind", false, "with -kernels: count the instructions that C executes, too, by valgrind; it knows no AVX-512")
	flag.IntVar(&o.megabytes, "hostile", 0, "instead, check of hostile inputs of this many megabytes, and of a tenth, whose name matches -run")
}

// measure does what is asked for.
func (o *options) measure() error {
	match, err := regexp.Compile(o.only)
	started := false
	if err == nil {
		started, err = setWidth(o.width)
	}
	switch {
	case err != nil || started:
	case o.cvt != "":
		err = cvtTable(regexp.MustCompile(o.cvt), o.span/30, o.each)
	case o.speed:
		err = speedTable(match, o.count)
	case o.cl != "" && o.broad:
		err = measure(match, o.engine, kernelSpan(o.span), kernelsOpenCL(o.path, o.cl))
	case o.cl != "":
		err = measure(match, o.engine, o.span, openCLTable(o.cl))
	case o.two:
		err = measure(match, o.engine, o.span, coresTable)
	case o.watched:
		err = measure(match, "interp", o.span, sanitizeTable(o.check, o.cpu))
	case o.counted != "":
		var kernels *regexp.Regexp
		if kernels, err = regexp.Compile(o.counted); err == nil {
			err = profile(kernels)
		}
	case o.broad && o.expect:
		err = measure(match, o.engine, 0, expectTable)
	case o.broad:
		err = measure(match, o.engine, kernelSpan(o.span), kernelsTable(o.path))
	case o.c:
		err = measure(match, o.engine, o.span, nativeTable)
	case o.megabytes > 0:
		err = hostileTable(match, o.megabytes)
	default:
		err = profiled(o.cpu, func() error { return run(o.count, o.span, match) })
	}
	return err
}

func run(count int, span time.Duration, match *regexp.Regexp) error {
	if err := flag.Set("test.benchtime", span.String()); err != nil {
		return err
	}
	fmt.Printf("Machine: %s.\n\n", machine())
	fmt.Println("| Figure | Goal | Best | Median | Of the goal |")
	fmt.Println("|---|---|---|---|---|")
	for i := range figures {
		if f := &figures[i]; match.MatchString(f.name) {
			f.print(count)
		}
	}
	return nil
}

// print measures a figure and prints its line.
func (f *figure) print(count int) {
	var values []float64
	for range count {
		var value float64
		if r := testing.Benchmark(func(b *testing.B) { value = f.measure(b) }); r.N > 0 {
			values = append(values, value)
		}
	}
	word := "at most"
	if f.least {
		word = "at least"
	}
	if len(values) == 0 {
		fmt.Printf("| %s | %s %s | not measured: a tool is missing, or it failed | | |\n", f.what, word, f.amount(f.goalHere()))
		return
	}
	slices.Sort(values)
	best, median := values[0], values[len(values)/2]
	if f.least {
		best = values[len(values)-1]
	}
	fmt.Printf("| %s | %s %s | %s | %s | %.2f |\n", f.what, word, f.amount(f.goalHere()), f.amount(best), f.amount(median), f.ratio(best))
}

// amount prints three digits and the unit.
func (f *figure) amount(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f %s", v, f.unit)
	}
	return fmt.Sprintf("%.3g %s", v, f.unit)
}

// machine says where this ran.
func machine() string {
	cpu := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(text), "model name"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			cpu = strings.TrimLeft(line, "\t :")
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", cpu, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}
