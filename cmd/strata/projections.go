package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"strata/projections"
)

type projectionsCommand struct {
	Status projectionsStatusCommand `cmd:"" help:"List the read tables: version, state, position and lag."`
	Resume projectionsResumeCommand `cmd:"" help:"Let a projection that has stopped try again."`
}

type projectionsStatusCommand struct {
	databaseFlags `embed:"" group:"Database:"`

	JSON bool `help:"Print JSON."`
}

// Run prints the register.
func (c *projectionsStatusCommand) Run(ctx context.Context, globals *Globals) error {
	db, err := c.open(ctx, globals.logger())
	if err != nil {
		return err
	}
	defer db.close(globals.logger())
	statuses, err := projections.Statuses(ctx, db.pool)
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(statuses)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tVERSION\tACTIVE\tSTATE\tPOSITION\tHEAD\tLAG\tLAG TIME\tHEIGHT\tQUARANTINED\tERROR")
	for _, s := range statuses {
		height, failure := "-", "-"
		if s.BlockHeight != nil {
			height = fmt.Sprint(*s.BlockHeight)
		}
		if s.Error != nil {
			failure = fmt.Sprintf("at %d: %s", *s.ErrorPosition, *s.Error)
		}
		active := ""
		if s.Active {
			active = "*"
		}
		lag := time.Duration(s.LagSeconds * float64(time.Second)).Round(time.Second)
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%d\t%d\t%d\t%s\t%s\t%d\t%s\n",
			s.Name, s.Version, active, s.State, s.Position, s.Head, s.Lag(), lag, height, s.Quarantined, failure)
	}
	return table.Flush()
}

type projectionsResumeCommand struct {
	databaseFlags `embed:"" group:"Database:"`

	Name string `arg:"" help:"The projection, as strata projections status names it."`
}

// Run lets the process that runs the projection try again.
func (c *projectionsResumeCommand) Run(ctx context.Context, globals *Globals) error {
	db, err := c.open(ctx, globals.logger())
	if err != nil {
		return err
	}
	defer db.close(globals.logger())
	if err := projections.Resume(ctx, db.pool, c.Name); err != nil {
		return err
	}
	fmt.Printf("projection %s tries again\n", c.Name)
	return nil
}
