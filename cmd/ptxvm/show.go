package main

// This file prints the tensor memory of a CTA: --show tmem.

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/forms"
	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// showFlag reads tmem[=X,Y,Z].
type showFlag struct{ cta *ptxvm.Index3 }

func (f *showFlag) String() string { return "" }
func (f *showFlag) Type() string   { return "WHAT" }

func (f *showFlag) Set(text string) (err error) {
	what, at, given := strings.Cut(text, "=")
	if what != "tmem" {
		return fmt.Errorf("%q is not built yet; want tmem or tmem=X,Y,Z", what)
	}
	f.cta = &ptxvm.Index3{}
	if !given {
		return nil
	}
	if *f.cta, err = launchlang.ParsePoint(at); err != nil {
		return fmt.Errorf("CTA %w", err)
	}
	return nil
}

// checkShowTo refuses a --show-to that nothing can be written to.
func (f *runFlags) checkShowTo() error {
	switch ext := filepath.Ext(f.showTo); {
	case f.showTo == "":
	case f.show.cta == nil:
		return fmt.Errorf("--show-to %s: --show tmem says what to show", f.showTo)
	case ext != ".json" && ext != ".png":
		return fmt.Errorf("--show-to %s: want a file that ends in .json or .png", f.showTo)
	}
	return nil
}

// shown is what --show-to writes, a file a launch.
func (s *invocation) shown() (list []launchlang.Result, err error) {
	for _, j := range s.launches {
		m, name := j.Tensor, j.flags.showTo
		if m == nil || name == "" {
			continue
		}
		encode := forms.TensorJSON
		if filepath.Ext(name) == ".png" {
			encode = forms.TensorPicture
		}
		data, err := encode(m)
		if err != nil {
			return nil, fmt.Errorf("--show-to %s: %w", name, err)
		}
		list = append(list, launchlang.Result{Sink: name, Array: launchlang.Array{Bytes: data}})
	}
	return list, nil
}

// printShown prints what --show asks for and --show-to does not take.
func (s *invocation) printShown(to io.Writer) error {
	for _, j := range s.launches {
		if j.Tensor == nil || j.flags.showTo != "" {
			continue
		}
		if err := forms.PrintTensor(to, j.Tensor); err != nil {
			return usageError{err}
		}
	}
	return nil
}
