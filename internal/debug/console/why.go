package console

// This file shows where a value comes from.

import (
	"errors"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/stepform"
)

func (c *Console) whence(args string) error {
	if args == "" {
		return errors.New("Argument required (a register, or memory).")
	}
	e, err := debug.ParseExpr(args)
	if err != nil {
		return err
	}
	told, err := c.Session.Why(e)
	if err != nil {
		return err
	}
	c.printf("%s = %s\n", diag.Escape(args), debug.FormatValue(&told.Value, 0))
	if told.Root == nil {
		c.printf("  nothing has written it since the launch began\n")
		return nil
	}
	(&stepform.Origins{Name: told.Name}).Tree(c.Out, told.Root, "", "", 0)
	return nil
}
