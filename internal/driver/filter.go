package driver

// This file chooses the launches that sanitizers look at, as NVIDIA's tools do: by kernel, and by number among those
// that match.

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/kernelname"
)

// Filter says which launches are looked at. Its zero value is all.
type Filter struct {
	Kernel func(kernelname.Kernel) bool // nil: each
	Skip   uint64                       // so many launches of such kernels are not looked at,
	Count  uint64                       // and then so many are; 0: all
}

// kernelKeys are what a kernel may be named by beside its name, as compute-sanitizer spells it; want is what stands
// behind the key.
var kernelKeys = []struct {
	key     string
	matches func(k kernelname.Kernel, want string) bool
}{
	{"kernel_substring=", holds}, {"kns=", holds},
	{"kernel_name=", named}, {"kne=", named},
}

func holds(k kernelname.Kernel, want string) bool {
	return strings.Contains(k.Symbol, want) || strings.Contains(k.Demangled, want)
}

func named(k kernelname.Kernel, want string) bool { return k.Symbol == want }

// kernelFilter reads which kernels are meant: by symbol, as C++ writes them, by their base name; kns=TEXT holds the
// text, kne=SYMBOL is that symbol, regex:RE matches.
func kernelFilter(text string) (func(kernelname.Kernel) bool, error) {
	if text == "" {
		return nil, nil
	}
	if pattern, ok := strings.CutPrefix(text, "regex:"); ok {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("want a regular expression behind regex: %w", err)
		}
		return func(k kernelname.Kernel) bool { return re.MatchString(k.Symbol) || re.MatchString(k.Demangled) }, nil
	}
	for _, by := range kernelKeys {
		if want, ok := strings.CutPrefix(text, by.key); ok && want != "" {
			return func(k kernelname.Kernel) bool { return by.matches(k, want) }, nil
		}
	}
	return func(k kernelname.Kernel) bool {
		_, err := kernelname.Find(text, []kernelname.Kernel{k})
		return err == nil
	}, nil
}

// chosen counts launches.
type chosen struct {
	matched atomic.Uint64 // of kernels that are meant
	looked  atomic.Uint64 // of these, at how many was looked
}

// looksAt decides for the next launch of a kernel.
func (d *Driver) looksAt(f *function) bool {
	by := &d.cfg.Filter
	if by.Kernel == nil && by.Skip == 0 && by.Count == 0 {
		return true
	}
	if by.Kernel != nil && !by.Kernel(f.kernel()) {
		return false
	}
	n := d.chosen.matched.Add(1)
	if n <= by.Skip || by.Count != 0 && n > by.Skip+by.Count {
		return false
	}
	d.chosen.looked.Add(1)
	return true
}

// passedOver is what a user should know who has asked for launches that there were none of; empty if there were.
func (d *Driver) passedOver() string {
	by := &d.cfg.Filter
	switch matched := d.chosen.matched.Load(); {
	case by.Kernel == nil && by.Skip == 0 || d.chosen.looked.Load() != 0:
		return ""
	case matched == 0:
		return "no kernel of the program is what --kernel names: sanitizers have looked at nothing"
	default:
		return fmt.Sprintf("all of the %d launches are skipped by --launch-skip %d: sanitizers have looked at nothing",
			matched, by.Skip)
	}
}
