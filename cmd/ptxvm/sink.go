package main

// This file writes results: files whole or not at all, the others as text.

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// toStdout is the file name that stands for standard output.
const toStdout = "-"

// result is one buffer after a launch.
type result struct {
	array
	name string // of the parameter or image
	sink string // a file; empty: printed
	term bool   // printed as a picture of characters

	picture ptxvm.ArrayDesc // of an image
}

// writeResults writes sinks first, then prints the rest.
func writeResults(out io.Writer, results []result, on screen) error {
	if err := writeSinks(results); err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	for _, r := range results {
		if r.sink == toStdout {
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
func (r *result) print(out io.Writer, on screen) error {
	switch {
	case r.sink != "":
		return nil
	case r.term:
		return printTerm(out, r, on)
	}
	return printArray(out, r.name, r.array)
}

// writeSinks writes all files before it gives any of them its name.
func writeSinks(results []result) (err error) {
	var staged []*stagedFile
	defer func() {
		for _, f := range staged {
			err = errors.Join(err, f.discard())
		}
	}()
	for _, r := range results {
		if r.sink == "" || r.sink == toStdout {
			continue
		}
		data, err := r.encoded()
		if err != nil {
			return err
		}
		f, err := stage(r.sink, data)
		if err != nil {
			return err
		}
		staged = append(staged, f)
	}
	for _, f := range staged {
		if err := f.commit(); err != nil {
			return err
		}
	}
	return nil
}

// encoded is the content of a result's file.
func (r *result) encoded() ([]byte, error) {
	switch {
	case strings.HasSuffix(r.sink, ".npy"):
		return encodeNpy(r.array), nil
	case strings.HasSuffix(r.sink, ".png") && r.picture.Size != nil:
		return encodePicture(r.bytes, r.picture)
	}
	return r.bytes, nil
}
