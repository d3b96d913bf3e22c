package main

import (
	"context"
	"fmt"

	"strata/projections"
	"strata/projections/version"
)

// The commands that change which versions there are, and which of them readers see.

type projectionsActivateCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`

	Version int `arg:"" help:"The number of the version."`
}

// Run makes a version the active one.
func (c *projectionsActivateCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, lines projections.Lines) error {
		switches, err := version.Activate(ctx, db.pool, lines, []projections.Schema{{Name: c.Name, Version: c.Version}})
		if err != nil {
			return err
		}
		tellSwitches(c.Name, switches)
		return nil
	})
}

type projectionsRollbackCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`
}

// Run makes what was active before the active version.
func (c *projectionsRollbackCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, lines projections.Lines) error {
		switches, err := version.Rollback(ctx, db.pool, lines, c.Name)
		if err != nil {
			return err
		}
		tellSwitches(c.Name, switches)
		return nil
	})
}

type projectionsDropCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`

	Version int `arg:"" help:"The number of the version."`
}

// Run drops a version.
func (c *projectionsDropCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, _ projections.Lines) error {
		if err := version.Drop(ctx, db.pool, projections.Schema{Name: c.Name, Version: c.Version}); err != nil {
			return err
		}
		fmt.Printf("%s: version %d is gone\n", c.Name, c.Version)
		return nil
	})
}

type projectionsResumeCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`
}

// Run lets the process that runs the projection try again.
func (c *projectionsResumeCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, _ projections.Lines) error {
		if err := version.Resume(ctx, db.pool, c.Name); err != nil {
			return err
		}
		fmt.Printf("projection %s tries again\n", c.Name)
		return nil
	})
}

// with calls do with the database and the code of all projections, none of which it runs.
func (f *databaseFlags) with(ctx context.Context, globals *Globals, do func(db *database, lines projections.Lines) error) error {
	logger := globals.logger()
	db, err := f.open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.close(logger)
	lines, err := (&serveCommand{ForkChoice: "recommended"}).programLines(logger)
	if err != nil {
		return err
	}
	return advised(do(db, lines))
}
