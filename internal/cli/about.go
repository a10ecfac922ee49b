package cli

// This file says what this build is and what it can do here.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/cpu"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/isainfo"
)

// BuildInfo describes the build and the machine it runs on. The JSON names are part of the contract.
type BuildInfo struct {
	Schema  int            `json:"schema"`
	Version string         `json:"version"` // of the module; "(devel)" for a build from a checkout
	Commit  string         `json:"commit"`  // empty if the build does not know
	Changed bool           `json:"changed"` // the checkout differed from the commit
	Go      string         `json:"go"`
	OS      string         `json:"os"`
	Arch    string         `json:"arch"`
	PTX     [2]string      `json:"ptx"`     // the first and last version of the language
	Targets [2]string      `json:"targets"` // the oldest and newest architecture
	Forms   map[string]int `json:"forms"`   // done, partial, todo, total
	CPU     []string       `json:"cpu"`     // features that engines may use
	Engine  string         `json:"engine"`  // what Auto chooses here
	Why     string         `json:"why"`     // how it works, or why there is no faster one
}

// About describes this build.
func About() BuildInfo {
	targets := isa.Targets()
	info := BuildInfo{
		Schema: 1, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		PTX: [2]string{firstVersion().String(), isa.Latest.String()}, Targets: [2]string{targets[0].String(), newestPlain(targets)},
		Forms: countForms(), CPU: cpuFeatures(),
	}
	info.Engine, info.Why = engineHere()
	info.stamp()
	return info
}

// stamp takes the version and commit from the binary.
func (b *BuildInfo) stamp() {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	b.Version = build.Main.Version
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
}

func firstVersion() isa.Version {
	for v := isa.Version(0); ; v++ {
		if v.Known() {
			return v
		}
	}
}

// newestPlain is the newest target without a suffix.
func newestPlain(targets []isa.Target) (name string) {
	for _, t := range targets {
		if t.Suffix == 0 {
			name = t.String()
		}
	}
	return name
}

func countForms() map[string]int {
	count := map[string]int{"done": 0, "undocumented": 0, "partial": 0, "todo": 0}
	for _, f := range isainfo.Forms("") {
		count[f.Status]++
		count["total"]++
	}
	return count
}

// cpuFeatures lists what this processor has of what matters to numerical code.
func cpuFeatures() []string {
	features := []string{}
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"sse4.1", cpu.X86.HasSSE41}, {"avx", cpu.X86.HasAVX}, {"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA},
		{"bmi2", cpu.X86.HasBMI2}, {"avx512f", cpu.X86.HasAVX512F},
		{"asimd", cpu.ARM64.HasASIMD}, {"fphp", cpu.ARM64.HasFPHP}, {"sve", cpu.ARM64.HasSVE},
	} {
		if f.has {
			features = append(features, f.name)
		}
	}
	return features
}

// LacksForEngine says what an engine lacks on this machine, by which it does less than it is to, and what is done instead; "" if it lacks
// nothing.
func LacksForEngine(name string) string {
	if name != vm.CC.String() {
		return ""
	}
	if what := vm.MissingForC(); what != "" {
		return fmt.Sprintf("--engine %s: %s; kernels are compiled as by --engine jit", name, what)
	}
	return ""
}

// engineHere is what Auto does on this machine: the engine it uses besides the interpreter, if any.
func engineHere() (name, why string) {
	v, unproven, err := jit.Here()
	if err != nil {
		return vm.Interp.String(), err.Error()
	}
	why = fmt.Sprintf("what is hot is compiled for %v, the rest is interpreted", v)
	if unproven != jit.Best {
		why += fmt.Sprintf("; code for %v has not been proven on real processors and is off", unproven)
	}
	return vm.JIT.String(), why
}
