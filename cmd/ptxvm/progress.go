package main

// This file shows how far a long run is.

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"ptxvm.invalid/ptxvm"
)

// progressLine is one line of a terminal that says how far a kernel is: drawn anew a few times a second, wiped at its end.
// The device reports for the first time after a tenth of a second, so short runs show nothing.
type progressLine struct {
	w     io.Writer // nil: show nothing
	width func() int
	about string // stands in front: "saxpy, launch 3 of 10"

	mu    sync.Mutex
	drawn int // runes that stand there
}

func newProgressLine(w io.Writer, quiet bool) *progressLine {
	f, ok := w.(*os.File)
	if quiet || !ok || !isTerminal(w) {
		return &progressLine{}
	}
	return &progressLine{w: w, width: func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil || columns < 1 {
			return 80
		}
		return columns
	}}
}

// update is called by the device a few times a second while a kernel runs.
func (p *progressLine) update(now ptxvm.Progress) {
	if p.w != nil {
		p.draw(p.about + " " + progressText(now))
	}
}

// done wipes the line, whatever the outcome.
func (p *progressLine) done() {
	if p.w != nil {
		p.draw("")
	}
}

// draw writes over what stands there; spaces and carriage returns do on every terminal.
func (p *progressLine) draw(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text == "" && p.drawn == 0 {
		return
	}
	if most := p.width() - 1; utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most])
	}
	length := utf8.RuneCountInString(text)
	fmt.Fprint(p.w, "\r", text, strings.Repeat(" ", max(0, p.drawn-length)))
	if length == 0 {
		fmt.Fprint(p.w, "\r")
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
