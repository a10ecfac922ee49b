package driver

// This file reads the configuration from the environment.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/report"
)

// Config is what the environment says. Host gives the library's surroundings.
type Config struct {
	Device   vm.DeviceConfig
	Sanitize string // Device.Sanitize as it was given
	Devices  int
	Blocking bool // each call waits for its work
	Quiet    bool
	Progress bool   // kernels that run long are spoken of now and then
	Report   string // a file for reports as JSON; empty: none

	Timeout   time.Duration // of a launch, and of preparing a module or a launch; 0: none
	Filter    Filter        // of launches that sanitizers look at
	ErrorExit int           // status of a process that would end with 0 though something was reported; 0: its own
	Stats     bool          // a table of what kernels have executed, at the end
	Capture   Capture       // of a launch, in a folder
	Kernels   bool          // a line for each launch
	KernelsTo string        // the file that it goes to; empty: Host.Error
}

// captureVariable is the folder of a captured launch. Which launch, and how large it may be, say those with this name and more.
const captureVariable = "PTXVM_CAPTURE"

// variables are the names that Configure knows, each with what it sets.
var variables = map[string]func(c *Config, value string) error{
	"PTXVM_ARCH": func(c *Config, v string) (err error) {
		if c.Device.Arch = v; v != "" {
			_, err = isa.ParseTarget(v)
		}
		return err
	},
	"PTXVM_ASSUME": func(c *Config, v string) error { c.Device.Assume = v; return vm.CheckAssume(v) },
	"PTXVM_ASYNC":  func(c *Config, v string) (err error) { c.Device.Async, err = vm.ParseAsync(v); return err },
	"PTXVM_BOUNDS": func(c *Config, v string) error {
		if v != "exact" && v != "page" {
			return fmt.Errorf("want exact or page")
		}
		c.Device.PageBounds = v == "page"
		return nil
	},
	captureVariable: func(c *Config, v string) (err error) { c.Capture.Dir, err = filepath.Abs(v); return err },
	captureVariable + "_LAUNCH": func(c *Config, v string) error {
		which, err := ParseLaunch(v)
		c.Capture.Kernel, c.Capture.Number = which.Kernel, which.Number
		return err
	},
	captureVariable + "_MAX": func(c *Config, v string) (err error) { c.Device.CaptureMax, err = bytesOf(v); return err },
	"PTXVM_DETERMINISTIC":    func(c *Config, v string) error { c.Device.Deterministic = v != "" && v != "0"; return nil },
	"PTXVM_DEVICES":          func(c *Config, v string) error { return number(v, 1, 64, &c.Devices) },
	"PTXVM_ERROR_EXITCODE":   func(c *Config, v string) error { return number(v, 0, 255, &c.ErrorExit) },
	"PTXVM_KERNEL":           func(c *Config, v string) (err error) { c.Filter.Kernel, err = kernelFilter(v); return err },
	"PTXVM_LAUNCH_COUNT":     func(c *Config, v string) error { return count(v, &c.Filter.Count) },
	"PTXVM_LAUNCH_SKIP":      func(c *Config, v string) error { return count(v, &c.Filter.Skip) },
	"PTXVM_MAX_STEPS":        func(c *Config, v string) error { return count(v, &c.Device.MaxSteps) },
	"PTXVM_STATS": func(c *Config, v string) error {
		c.Stats, c.Device.Sectors = v != "" && v != "0", v == "sectors"
		return nil
	},
	"PTXVM_TIMEOUT": func(c *Config, v string) (err error) {
		if c.Timeout, err = time.ParseDuration(v); err != nil || c.Timeout < 0 {
			return fmt.Errorf("want a duration such as 500ms, 10s or 2m")
		}
		return nil
	},
	"PTXVM_TRACE": func(c *Config, v string) error { // the fronts read the rest
		kind, file, _ := strings.Cut(v, ":")
		c.Kernels, c.KernelsTo = kind == "kernels", file
		return nil
	},
	"PTXVM_ENGINE": func(c *Config, v string) (err error) { c.Device.Engine, err = vm.ParseEngine(v); return err },
	"PTXVM_HOST_ACCESS": func(c *Config, v string) error {
		if v != "fault" && v != "allow" {
			return fmt.Errorf("want allow or fault")
		}
		c.Device.HostGuard = v == "fault"
		return nil
	},
	"PTXVM_LAUNCH_BLOCKING": func(c *Config, v string) error { c.Blocking = v != "" && v != "0"; return nil },
	"CUDA_LAUNCH_BLOCKING":  func(c *Config, v string) error { c.Blocking = c.Blocking || v != "" && v != "0"; return nil },
	"PTXVM_MEMORY":          func(c *Config, v string) (err error) { c.Device.Memory, err = bytesOf(v); return err },
	"PTXVM_PROGRESS":        func(c *Config, v string) error { c.Progress = v != "" && v != "0"; return nil },
	"PTXVM_REPORT":          func(c *Config, v string) error { c.Report = v; return nil },
	"PTXVM_QUIET":           func(c *Config, v string) error { c.Quiet = v != "" && v != "0"; return nil },
	"PTXVM_SANITIZE": func(c *Config, v string) (err error) {
		c.Device.Sanitize, err = vm.ParseSanitize(v)
		c.Sanitize = v
		return err
	},
	"PTXVM_SCHEDULE": func(c *Config, v string) (err error) { c.Device.Schedule, err = vm.ParseSchedule(v); return err },
	"PTXVM_SEED": func(c *Config, v string) (err error) {
		c.Device.Seed, err = strconv.ParseUint(v, 0, 64)
		return wantNumber(err)
	},
	"PTXVM_SUPPRESS": func(c *Config, v string) error {
		text, err := os.ReadFile(v)
		if err == nil {
			c.Device.Suppress, err = report.ParseSuppressions(v, text)
		}
		return err
	},
	"PTXVM_WORKERS": func(c *Config, v string) error { return number(v, 0, 1<<16, &c.Device.Workers) },
}

// outside are names that others read: ptxvm, the fronts, tests.
var outside = []string{"PTXVM_LIB", "PTXVM_EXEC", "PTXVM_CUDART", "PTXVM_CUDA12", "PTXVM_PYTHON", "PTXVM_NVCC", "PTXVM_PTXAS", "PTXVM_STACK"}

// Configure reads the environment: lines NAME=value as os.Environ has them. Warnings are about names that
// never reads.
func Configure(environ []string) (c Config, warnings []string, err error) {
	c.Devices, c.Device.HostGuard = 1, true
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		set, known := variables[name]
		switch {
		case known && value == "": // as if it were not set
		case known:
			if err := set(&c, value); err != nil {
				return c, warnings, fmt.Errorf("%s=%s: %w", name, value, err)
			}
		case name == "CUDA_VISIBLE_DEVICES" && hidden(value):
			c.Devices = 0
		case strings.HasPrefix(name, "PTXVM_") && !slices.Contains(outside, name):
			warnings = append(warnings, unknownVariable(name))
		}
	}
	if c.Device.Engine == vm.CC {
		if what := vm.MissingForC(); what != "" {
			warnings = append(warnings, fmt.Sprintf("PTXVM_ENGINE=cc: %s; kernels are compiled as by PTXVM_ENGINE=jit", what))
		}
	}
	return c, warnings, nil
}

// hidden reports whether CUDA_VISIBLE_DEVICES hides all devices: it is empty or begins with no device.
func hidden(list string) bool {
	first, _, _ := strings.Cut(list, ",")
	return first == "" || strings.HasPrefix(first, "-")
}

func unknownVariable(name string) string {
	names := append([]string{}, outside...)
	for n := range variables {
		names = append(names, n)
	}
	slices.Sort(names)
	if near := isa.NearestFold(name, names); near != "" {
		return fmt.Sprintf("nothing reads the variable %s; did you mean %s?", name, near)
	}
	return fmt.Sprintf("nothing reads the variable %s", name)
}

func number(text string, least, most int, to *int) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return fmt.Errorf("want a number from %d to %d", least, most)
	}
	*to = n
	return nil
}

// count reads a number of any size.
func count(text string, to *uint64) (err error) {
	*to, err = strconv.ParseUint(text, 0, 64)
	return wantNumber(err)
}

func wantNumber(err error) error {
	if err != nil {
		return fmt.Errorf("want a number, such as 7")
	}
	return nil
}

// bytesOf reads a size: 4096, 64K, 512M, 2G.
func bytesOf(text string) (int64, error) {
	shift, digits := 0, text
	for i, unit := range []string{"K", "M", "G", "T"} {
		if before, ok := strings.CutSuffix(text, unit); ok {
			shift, digits = 10*(i+1), before
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("want a size such as 512M or 2G")
	}
	return n << shift, nil
}
