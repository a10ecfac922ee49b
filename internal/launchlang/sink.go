package launchlang

// This file writes results: files whole or not at all, the others as text.

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// ToStdout is the file name that stands for standard output.
const ToStdout = "-"

// Result is one buffer after a launch.
type Result struct {
	Array
	name string // of the parameter or image
	Sink string // a file; empty: printed
	term bool   // printed as a picture of characters

	picture ptxvm.ArrayDesc // of an image
}

// WriteResults writes sinks first, then prints the rest.
func WriteResults(out io.Writer, results []Result, on Screen) error {
	if err := WriteSinks(results); err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	for _, r := range results {
		if r.Sink == ToStdout {
			data, err := r.encoded()
			if err == nil {
				_, err = out.Write(data)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := r.print(out, on); err != nil {
			return err
		}
	}
	return nil
}

// print shows a result that goes to no file.
func (r *Result) print(out io.Writer, on Screen) error {
	switch {
	case r.Sink != "":
		return nil
	case r.term:
		return printTerm(out, r, on)
	}
	return PrintArray(out, r.name, r.Array)
}

// WriteSinks writes all files before it gives any of them its name.
func WriteSinks(results []Result) (err error) {
	var staged []*StagedFile
	defer func() {
		for _, f := range staged {
			err = errors.Join(err, f.Discard())
		}
	}()
	for _, r := range results {
		if r.Sink == "" || r.Sink == ToStdout {
			continue
		}
		data, err := r.encoded()
		if err != nil {
			return err
		}
		f, err := stage(r.Sink, data)
		if err != nil {
			return err
		}
		staged = append(staged, f)
	}
	for _, f := range staged {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// encoded is the content of a result's file.
func (r *Result) encoded() ([]byte, error) {
	switch {
	case strings.HasSuffix(r.Sink, ".npy"):
		return EncodeNpy(r.Array), nil
	case strings.HasSuffix(r.Sink, ".png") && r.picture.Size != nil:
		return encodePicture(r.Bytes, r.picture)
	}
	return r.Bytes, nil
}
