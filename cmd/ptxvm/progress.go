package main

// This file shows how far a long run is.

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
)

// progressLine is one line of a terminal that says how far a kernel is: drawn anew a few times a second, wiped at its end.
// The device reports for the first time after a tenth of a second, so short runs show nothing.
type progressLine struct {
	w     io.Writer // nil: show nothing
	width func() int
	about string // stands in front: "saxpy, launch 3 of 10"

	mu    sync.Mutex
	drawn int  // runes that stand there
	open  bool // the kernel has printed a line without its end, which must not be written over
	ended bool // nothing is drawn any more
}

// echo is what the terminal itself writes behind the line when the run is interrupted.
const echo = "^C"

func newProgressLine(w io.Writer, quiet bool) *progressLine {
	if quiet || dumb() || !isTerminal(w) {
		return &progressLine{}
	}
	return &progressLine{w: w, width: func() int { return cmp.Or(columnsOf(w), cli.StandardColumns) }}
}

// report is DeviceConfig.Progress: nil where nothing is shown, since a launch that tells how far it is takes longer.
func (p *progressLine) report() func(ptxvm.Progress) {
	if p.w == nil {
		return nil
	}
	return p.update
}

// update is called by the device a few times a second while a kernel runs.
func (p *progressLine) update(now ptxvm.Progress) { p.draw(p.about + " " + progressText(now)) }

// done wipes the line, whatever the outcome.
func (p *progressLine) done() {
	if p.w != nil {
		p.draw("")
	}
}

// end wipes the line for good: a kernel that has not noticed yet that it is interrupted still reports.
func (p *progressLine) end() {
	p.done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// around is standard output for the kernel: where both are on a terminal, what it prints takes the place of the line.
func (p *progressLine) around(out io.Writer) io.Writer {
	if p.w == nil || !isTerminal(out) {
		return out
	}
	return besideLine{p, out}
}

type besideLine struct {
	line *progressLine
	out  io.Writer
}

func (b besideLine) Write(text []byte) (int, error) {
	b.line.mu.Lock()
	defer b.line.mu.Unlock()
	b.line.write("")
	if len(text) > 0 {
		b.line.open = text[len(text)-1] != '\n'
	}
	return b.out.Write(text)
}

// draw writes over what stands there; spaces and carriage returns do on every terminal.
func (p *progressLine) draw(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open || p.ended {
		return
	}
	p.write(text)
}

func (p *progressLine) write(text string) {
	if text == "" && p.drawn == 0 {
		return
	}
	if most := p.width() - 1 - len(echo); utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most])
	}
	length := utf8.RuneCountInString(text)
	over := max(0, p.drawn-length)
	if length == 0 {
		fmt.Fprint(p.w, "\r", strings.Repeat(" ", over+len(echo)), "\r")
	} else {
		fmt.Fprint(p.w, "\r", text, strings.Repeat(" ", over))
	}
	p.drawn = length
}

// progressText is "━━━━━─────  CTAs 12 / 40  1.25 Glane-ops/s  3s, 7s to go".
func progressText(now ptxvm.Progress) string {
	const cells = 20
	full := 0
	if now.CTAs > 0 {
		full = int(cells * now.CTAsDone / now.CTAs)
	}
	text := fmt.Sprintf("%s%s  CTAs %d / %d  %slane-ops/s  %v", strings.Repeat("━", full), strings.Repeat("─", cells-full),
		now.CTAsDone, now.CTAs, siRate(now.LaneOpsPerSecond()), now.Elapsed.Truncate(time.Second))
	if now.CTAsDone > 0 { // as fast as so far
		rest := time.Duration(float64(now.Elapsed) / float64(now.CTAsDone) * float64(now.CTAs-now.CTAsDone))
		text += fmt.Sprintf(", %v to go", rest.Round(time.Second))
	}
	return text
}
