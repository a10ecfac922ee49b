package console

// This file holds the commands that let the launch go on or back.

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/debug"
)

func (c *Console) run(args string) error {
	if err := none(args); err != nil {
		return err
	}
	if _, err := c.Session.Start(); err != nil {
		return err
	}
	if c.Session.AtBreak() {
		return c.stop(&debug.Stop{Why: debug.Stepped, Moved: true}, nil, false)
	}
	return c.stop(c.continued())
}

// continued adapts Continue to stop.
func (c *Console) continued() (*debug.Stop, error, bool) {
	stop, err := c.Session.Continue()
	return stop, err, false
}

// none refuses arguments.
func none(args string) error {
	if args != "" {
		return fmt.Errorf("This command takes no arguments: \"%s\".", args)
	}
	return nil
}

func (c *Console) start(args string) error {
	if err := none(args); err != nil {
		return err
	}
	stop, err := c.Session.Start()
	return c.stop(stop, err, false)
}

func (c *Console) restart(args string) error {
	seed := c.Session.Seed
	words := strings.Fields(strings.ReplaceAll(args, "=", " "))
	switch {
	case len(words) == 0:
	case len(words) == 2 && words[0] == "--seed":
		n, err := strconv.ParseUint(words[1], 0, 64)
		if err != nil {
			return fmt.Errorf("Invalid seed \"%s\": want a number.", words[1])
		}
		seed = n
	default:
		return errors.New("Usage: restart [--seed N]")
	}
	stop, err := c.Session.Restart(seed)
	return c.stop(stop, err, false)
}

func (c *Console) goOn(args string) error {
	if n, err := count(args); err != nil {
		return err
	} else if n > 1 {
		c.Session.PassHere(n - 1)
	}
	return c.stop(c.continued())
}

// count reads how often something is to be done; once without a number.
func count(args string) (int, error) {
	if args == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 || n > 1<<30 {
		return 0, fmt.Errorf("Invalid number \"%s\".", args)
	}
	return n, nil
}

// repeat steps so many times, or until something else stops the launch.
func (c *Console) repeat(args string, instructions bool, step func() (*debug.Stop, error)) error {
	n, err := count(args)
	if err != nil {
		return err
	}
	var stop *debug.Stop
	var frame, moved bool
	for range n {
		if stop, err = step(); err != nil {
			break
		}
		frame, moved = frame || stop.Frame, moved || stop.Moved
		if stop.Why != debug.Stepped {
			break
		}
	}
	if stop != nil && err == nil {
		stop.Frame, stop.Moved = frame, moved
	}
	return c.stop(stop, err, instructions)
}

func (c *Console) step(args string) error {
	if by, ok := strings.CutPrefix(args, "by"); ok {
		return c.stepBy(strings.TrimSpace(by))
	}
	return c.repeat(args, false, func() (*debug.Stop, error) { return c.Session.StepLine(false) })
}

// stepBy says what steps are of.
func (c *Console) stepBy(what string) error {
	switch what {
	case "lane":
		c.Session.Mode = debug.ByLane
		c.printf("Steps go to the next instruction or line of the lane in focus.\n")
	case "warp":
		c.Session.Mode = debug.ByWarp
		c.printf("Steps go to the next instruction or line of the warp in focus, whichever of its lanes execute it.\n")
	case "block":
		c.Session.Mode = debug.ByBlock
		c.printf("Steps go to the first instruction behind the next barrier of the block in focus.\n")
	default:
		return fmt.Errorf("step by \"%s\": want lane, warp or block.", what)
	}
	return nil
}

func (c *Console) nextLine(args string) error {
	return c.repeat(args, false, func() (*debug.Stop, error) { return c.Session.StepLine(true) })
}

func (c *Console) stepi(args string) error {
	return c.repeat(args, true, func() (*debug.Stop, error) { return c.Session.StepInstruction(false) })
}

func (c *Console) nexti(args string) error {
	return c.repeat(args, true, func() (*debug.Stop, error) { return c.Session.StepInstruction(true) })
}

func (c *Console) finish(args string) error {
	if err := none(args); err != nil {
		return err
	}
	stop, err := c.Session.Finish()
	return c.stop(stop, err, false)
}

func (c *Console) until(args string) error {
	var stop *debug.Stop
	var err error
	switch args {
	case "":
		stop, err = c.Session.UntilLine()
	case "converged":
		stop, err = c.Session.UntilConverged()
	default:
		stop, err = c.Session.UntilPlace(args, false)
	}
	return c.stop(stop, err, false)
}

func (c *Console) advance(args string) error {
	if args == "" {
		return errors.New("Argument required (a location).")
	}
	stop, err := c.Session.UntilPlace(args, true)
	return c.stop(stop, err, false)
}

func (c *Console) reverseStep(args string) error {
	return c.repeat(args, false, func() (*debug.Stop, error) { return c.Session.ReverseStepLine(false) })
}

func (c *Console) reverseNext(args string) error {
	return c.repeat(args, false, func() (*debug.Stop, error) { return c.Session.ReverseStepLine(true) })
}

func (c *Console) reverseStepi(args string) error {
	return c.repeat(args, true, func() (*debug.Stop, error) { return c.Session.ReverseStepInstruction(false) })
}

func (c *Console) reverseNexti(args string) error {
	return c.repeat(args, true, func() (*debug.Stop, error) { return c.Session.ReverseStepInstruction(true) })
}

func (c *Console) reverseContinue(args string) error {
	if err := none(args); err != nil {
		return err
	}
	stop, err := c.Session.ReverseContinue()
	return c.stop(stop, err, false)
}

func (c *Console) reverseFinish(args string) error {
	if err := none(args); err != nil {
		return err
	}
	stop, err := c.Session.ReverseFinish()
	return c.stop(stop, err, false)
}

func (c *Console) gotoMoment(args string) error {
	by, err := strconv.ParseUint(strings.TrimLeft(args, "+-"), 0, 64)
	here := c.Session.Moment()
	switch {
	case strings.HasPrefix(args, "+") && err == nil:
		stop, err := c.Session.Goto(here + by)
		return c.stop(stop, err, true)
	case strings.HasPrefix(args, "-") && err == nil:
		stop, err := c.Session.Goto(here - min(by, here))
		return c.stop(stop, err, true)
	}
	to, err := debug.ParseDestination(args)
	if err != nil {
		return fmt.Errorf("Invalid moment \"%s\": want a number, such as info moment shows, +N or -N, fault, or report[:N].", args)
	}
	stop, err := c.Session.GoTo(to)
	return c.stop(stop, err, true)
}

func (c *Console) lastWrite(args string) error {
	what, ok := strings.CutPrefix(args, "write of ")
	if !ok {
		return errors.New("Usage: last write of ADDR|REGISTER")
	}
	e, err := debug.ParseExpr(what)
	if err != nil {
		return err
	}
	stop, err := c.Session.LastWrite(e)
	return c.stop(stop, err, true)
}

// maxSources bounds scripts that read scripts.
const maxSources = 16

func (c *Console) source(args string) error {
	if args == "" {
		return errors.New("source command requires file name of file to source.")
	}
	if c.depth == maxSources {
		return errors.New("Scripts that read scripts are nested too deeply.")
	}
	data, err := os.ReadFile(args)
	if err != nil {
		return err
	}
	c.depth++
	defer func() { c.depth-- }()
	for n, line := range strings.Split(string(data), "\n") {
		if strings.TrimSpace(line) == "" || c.quit { // an empty line of a script repeats nothing
			continue
		}
		if err := c.Do(line); err != nil {
			return fmt.Errorf("%s:%d: Error in sourced command file.", args, n+1)
		}
	}
	return nil
}
