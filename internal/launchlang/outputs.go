package launchlang

// This file looks at the files that a command line is going to write before anything runs: a long run
// must not end with results that have nowhere to go.

import (
	"fmt"
	"os"
	"path/filepath"
)

// Output is a file that an option names.
type Output struct{ Option, File string }

// outputs lists what the launches will write.
func (s *Session) outputs() (list []Output) {
	add := func(option, file string) {
		if file != "" && file != ToStdout {
			list = append(list, Output{option, file})
		}
	}
	for _, j := range s.Jobs {
		for _, spec := range j.Specs {
			if spec.buf != nil {
				add("--arg "+spec.text, spec.buf.sink)
			}
		}
		for _, spec := range j.Request.named {
			add(spec.flag()+" "+spec.text, spec.sink)
		}
		for _, spec := range j.Request.images {
			add("--image "+spec.text, spec.to)
		}
		for _, o := range j.Options.Writes {
			add(o.Option, o.File)
		}
	}
	for _, o := range s.Setup.Writes {
		add(o.Option, o.File)
	}
	return list
}

// checkOutputs refuses files that cannot be written, two results for one file, and one for a PTX file
// of the command line. A result may take the place of the data that it came from.
func (s *Session) checkOutputs() error {
	taken := map[string]string{}
	for _, file := range s.Files {
		if key := fileKey(file); key != "" && file != "-" {
			taken[key] = "is the PTX that runs"
		}
	}
	for _, o := range s.outputs() {
		f, err := Create(o.File)
		if err == nil {
			err = f.Discard()
		}
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w", o.Option, err)
		}
		key := fileKey(o.File)
		if other, twice := taken[key]; twice && key != "" {
			return fmt.Errorf("%s: %s %s; give each its own file", o.Option, o.File, other)
		}
		taken[key] = "is also written by " + o.Option
	}
	return nil
}

// fileKey tells files apart: the path behind symbolic links; empty for what is no file, such as
// /dev/null.
func fileKey(name string) string {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return ""
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(dir, filepath.Base(name))
	}
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}
