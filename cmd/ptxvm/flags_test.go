package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
)

// fieldOf says which field of the public API a flag of run fills; flags of the command line
// itself have none.
var fieldOf = map[string]string{
	"arch": "DeviceConfig.Arch", "memory": "DeviceConfig.Memory", "workers": "DeviceConfig.Workers", "seed": "DeviceConfig.Seed",
	"deterministic": "DeviceConfig.Deterministic",
	"engine":        "DeviceConfig.Engine", "max-steps": "DeviceConfig.MaxSteps", "max-output": "DeviceConfig.MaxOutput",
	"assume": "DeviceConfig.Assume", "async": "DeviceConfig.Async", "schedule": "DeviceConfig.Schedule", "judge": "CompileConfig.Judge",
	"sanitize": "DeviceConfig.Sanitize", "max-reports": "DeviceConfig.MaxReports", "keep-output": "",
	"suppress": "DeviceConfig.Suppress", "write-suppressions": "", "keep-going": "DeviceConfig.KeepGoing",
	"show": "Watch.Tensor", "show-to": "", "trace": "Watch.Trace", "trace-to": "", "max-trace": "",
	"grid": "Launch.Grid", "block": "Launch.Block", "cluster": "Launch.Cluster", "shared": "Launch.Shared",
	"capture": "Launch.Capture", "capture-max": "DeviceConfig.CaptureMax", "restore": "DeviceConfig.Restore", "why": "Watch.Record", "why-depth": "", "why-dot": "", "why-memory": "",
	"devices": "", "arg": "", "image": "", "buf": "", "global": "", "expect": "", "tol": "", "report": "", "source-root": "", "triton": "", "kernel": "", "timeout": "", "seeds": "", "stats": "", "quiet": "", "color": "",
}

// TestFlagsHaveFields holds run's flags to the API: each fills a field that exists.
func TestFlagsHaveFields(t *testing.T) {
	fields := map[string]bool{"": true}
	for _, typ := range []reflect.Type{reflect.TypeFor[ptxvm.DeviceConfig](), reflect.TypeFor[ptxvm.Launch](), reflect.TypeFor[ptxvm.Watch](), reflect.TypeFor[ptxvm.CompileConfig]()} {
		for i := range typ.NumField() {
			fields[typ.Name()+"."+typ.Field(i).Name] = true
		}
	}
	for _, f := range newRun(streams{}).Flags().All() {
		if field, known := fieldOf[f.Name]; !known || !fields[field] {
			t.Errorf("--%s fills no field of the API", f.Name)
		}
	}
}

// TestFlagsArrive sets every flag and looks into the structures.
func TestFlagsArrive(t *testing.T) {
	var f runFlags
	cmd := &cli.Command{Use: "run"}
	f.bind(cmd)
	args := "--arch sm_90a --memory 2G --workers 3 --seed 9 --engine interp --max-steps 7 --max-output 1K --assume U15=nearest " +
		"--async lazy --schedule fair --sanitize init --max-reports 5 --deterministic --keep-going --grid 2,3 --block 4 --cluster 1,1,1 --shared 48K"
	if _, err := cmd.Parse(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	var cfg ptxvm.DeviceConfig
	if err := f.complete(&cfg); err != nil {
		t.Fatal(err)
	}
	want := ptxvm.DeviceConfig{Arch: "sm_90a", Memory: 2 << 30, Workers: 3, Seed: 9, Engine: ptxvm.Interp, Async: ptxvm.AsyncLazy, Schedule: ptxvm.ScheduleFair, Sanitize: ptxvm.SanitizeInit, MaxReports: 5, Deterministic: true, KeepGoing: true, Alone: true, MaxSteps: 7, MaxOutput: 1024, Assume: "U15=nearest"}
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got %+v, want %+v", cfg, want)
	}
	r, err := f.read()
	if err != nil {
		t.Fatal(err)
	}
	shape := r.Options.Shape
	if want := (ptxvm.Launch{Grid: ptxvm.Dim3{X: 2, Y: 3, Z: 1}, Block: ptxvm.Dim3{X: 4, Y: 1, Z: 1},
		Cluster: ptxvm.Dim3{X: 1, Y: 1, Z: 1}, Shared: 48 << 10}); shape != want {
		t.Errorf("got %+v, want %+v", shape, want)
	}
}

// TestColour: what decides about colours on what is no terminal.
func TestColour(t *testing.T) {
	for _, c := range []struct {
		none, force, mode string
		want              bool
	}{
		{"", "", "auto", false}, {"", "", "always", true}, {"", "1", "auto", true}, {"", "0", "auto", false},
		{"1", "1", "auto", false}, {"1", "", "always", true}, {"", "1", "never", false},
	} {
		t.Setenv("NO_COLOR", c.none)
		t.Setenv("FORCE_COLOR", c.force)
		if have := useColor(new(strings.Builder), c.mode); have != c.want {
			t.Errorf("NO_COLOR=%s FORCE_COLOR=%s --color %s: %v", c.none, c.force, c.mode, have)
		}
	}
}

// TestAsTyped: sources are named in PTX as on the command line.
func TestAsTyped(t *testing.T) {
	whole, err := filepath.Abs("k.cu")
	if err != nil {
		t.Fatal(err)
	}
	text := ".file 1 \"" + whole + "\"\n.file 2 \"" + whole + "h\"\n"
	if have := string(asTyped([]byte(text), "k.cu")); have != ".file 1 \"k.cu\"\n.file 2 \""+whole+"h\"\n" {
		t.Error(have)
	}
}

// TestPtxasHelp: each option is listed, by whether it has an effect.
func TestPtxasHelp(t *testing.T) {
	var out strings.Builder
	if code := doMain(t.Context(), []string{"ptxas", "--help"}, nil, &out, &out); code != exitDone {
		t.Errorf("exit %d", code)
	}
	works, taken, _ := strings.Cut(out.String(), "Taken without effect")
	for _, want := range []string{"--gpu-name, -arch VALUE", "--output-file, -o VALUE", "--help"} {
		if !strings.Contains(works, want) {
			t.Errorf("no %q in\n%s", want, works)
		}
	}
	if !strings.Contains(taken, "--opt-level, -O VALUE") {
		t.Errorf("no --opt-level in\n%s", taken)
	}
}

// TestSanitizeWords: shells complete the names of all checks, which an unknown one lists.
func TestSanitizeWords(t *testing.T) {
	_, err := ptxvm.ParseSanitize("?")
	_, names, _ := strings.Cut(err.Error(), "want ")
	if want := strings.Split(names, ", "); !slices.Equal(flagWords["sanitize"], want) {
		t.Errorf("completion has %q, the checks are %q", flagWords["sanitize"], want)
	}
}
