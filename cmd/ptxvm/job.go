package main

// This file prepares a launch: modules, device, kernel, buffers; run and bench share it.

import (
	"context"
	"errors"
	"fmt"

	"ptxvm"
)

// job is one kernel ready to launch, with its buffers in place.
type job struct {
	device  *ptxvm.Device
	kernel  *ptxvm.Kernel
	shape   ptxvm.Launch
	specs   []argSpec
	buffers []ptxvm.Buffer // one per spec; the zero Buffer for values
	args    []any
	images  []image
	flags   *runFlags
}

// prepare does everything before the launch. What fails here leaves no trace. cfg holds what
// flags do not say.
func prepare(f *runFlags, files []string, s streams, cfg ptxvm.DeviceConfig) (*job, error) {
	if err := f.complete(&cfg); err != nil {
		return nil, usageError{err}
	}
	specs, err := parseArgs(f.args)
	if err != nil {
		return nil, usageError{err}
	}
	images, err := parseImages(f.images)
	if err != nil {
		return nil, usageError{err}
	}
	judge, err := ptxvm.ParseJudge(f.judge)
	if err != nil {
		return nil, usageError{err}
	}
	modules, err := compileFiles(s, &ptxvm.CompileConfig{Arch: f.arch, Judge: judge}, files)
	if err != nil {
		return nil, err
	}
	if cfg.Arch == "" {
		cfg.Arch = ptxvm.NewestTarget(modules...)
	}
	j := &job{specs: specs, flags: f}
	if err := j.load(cfg, modules, files, images); err != nil {
		j.close(&err)
		return nil, err
	}
	return j, nil
}

// load makes the device, links the modules and fills images and buffers.
func (j *job) load(cfg ptxvm.DeviceConfig, modules []*ptxvm.Module, files []string, images []imageSpec) (err error) {
	if j.device, err = ptxvm.NewDevice(&cfg); err != nil {
		return usageError{err}
	}
	program, err := j.device.Load(modules...)
	if err != nil {
		return err
	}
	if j.kernel, err = program.Kernel(j.flags.kernel); err != nil {
		return usageError{err}
	}
	j.shape = j.flags.shape(j.kernel.Info())
	if err := checkArgs(j.kernel.Info(), j.specs, files); err != nil {
		return usageError{err}
	}
	if err := j.makeImages(images); err != nil {
		return err
	}
	if err := j.checkImages(program.Surfaces()); err != nil {
		return err
	}
	return j.fill()
}

// fill allocates the buffers and copies in what they start with.
func (j *job) fill() error {
	j.buffers = make([]ptxvm.Buffer, len(j.specs))
	j.args = make([]any, len(j.specs))
	for i, spec := range j.specs {
		if spec.surface != "" {
			s, err := j.surface(spec.surface)
			if err != nil {
				return usageError{fmt.Errorf("--arg %s: %w", spec.text, err)}
			}
			j.args[i] = s
			continue
		}
		if spec.buf == nil {
			j.args[i] = spec.value
			continue
		}
		b, err := j.device.Alloc(spec.buf.start.size)
		if err == nil && (!spec.buf.start.zero() || j.flags.sanitize != "" && !spec.buf.start.unset) {
			err = restore(b, spec.buf)
		}
		if err != nil {
			return usageError{fmt.Errorf("--arg %s: %w", spec.text, err)}
		}
		j.buffers[i], j.args[i] = b, b
	}
	return nil
}

// restore writes what a buffer starts with.
func restore(b ptxvm.Buffer, spec *bufSpec) error {
	data, err := spec.start.data()
	if err == nil {
		_, err = b.WriteAt(data, 0)
	}
	return err
}

func (j *job) launch(ctx context.Context) (ptxvm.Stats, error) {
	if j.flags.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.flags.timeout)
		defer cancel()
	}
	return j.kernel.Launch(ctx, j.shape, j.args...)
}

// results reads back what the kernel wrote.
func (j *job) results() ([]result, error) {
	var out []result
	for i, spec := range j.specs {
		if spec.buf == nil || spec.buf.input {
			continue
		}
		r := result{name: j.kernel.Info().Params[i].Name, sink: spec.buf.sink, array: spec.buf.start.array}
		r.bytes = make([]byte, spec.buf.start.size)
		if err := ptxvm.Download(j.buffers[i], r.bytes); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	images, err := j.imageResults()
	return append(out, images...), err
}

// close gives the device's memory back and joins a failure of that to err.
func (j *job) close(err *error) {
	if j.device != nil {
		*err = errors.Join(*err, j.device.Close())
	}
}
