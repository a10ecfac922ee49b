//go:build !js

package main

// This file shows how far a long run is.

import (
	"io"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"ptxvm.invalid/ptxvm"
)

// progressBar shows CTAs done and lane-ops per second of a long run, on a terminal only.
// It appears with the first update, so short runs show nothing.
type progressBar struct {
	w     io.Writer // nil: show nothing
	once  sync.Once
	group *mpb.Progress
	bar   *mpb.Bar
	mu    sync.Mutex
	last  ptxvm.Progress
}

func newProgressBar(w io.Writer, quiet bool) *progressBar {
	if quiet || !isTerminal(w) {
		return &progressBar{}
	}
	return &progressBar{w: w}
}

// update is called by the device a few times a second while a kernel runs.
func (p *progressBar) update(now ptxvm.Progress) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	p.last = now
	p.mu.Unlock()
	p.once.Do(func() { p.start(int64(now.CTAs)) })
	p.bar.SetCurrent(int64(now.CTAsDone))
}

func (p *progressBar) start(total int64) {
	p.group = mpb.New(mpb.WithOutput(p.w), mpb.WithWidth(40))
	p.bar = p.group.AddBar(total,
		mpb.PrependDecorators(decor.CountersNoUnit("CTAs %d / %d")),
		mpb.AppendDecorators(decor.Any(p.rate), decor.Elapsed(decor.ET_STYLE_GO, decor.WCSyncSpace)))
}

// rate prints lane-ops per second since the launch.
func (p *progressBar) rate(decor.Statistics) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return " " + siRate(p.last.LaneOpsPerSecond()) + "lane-ops/s "
}

// done clears the bar, whatever the outcome.
func (p *progressBar) done() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.group.Wait()
		p.bar, p.once = nil, sync.Once{} // the next launch gets a bar of its own
	}
}
