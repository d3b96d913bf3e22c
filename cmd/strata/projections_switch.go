package main

import (
	"context"
	"fmt"

	"strata/projections"
	"strata/projections/version"
)

// The commands of this file change which version is active, or drop or resume a version.

type projectionsActivateCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`

	Version int `arg:"" help:"Number of the version."`
}

// Run activates a version.
func (c *projectionsActivateCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, lines projections.Lines) error {
		switches, err := version.Activate(ctx, db.pool, lines, []projections.Schema{{Name: c.Name, Version: c.Version}})
		if err != nil {
			return err
		}
		printSwitches(c.Name, switches)
		return nil
	})
}

type projectionsRollbackCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`
}

// Run activates the version that was active before.
func (c *projectionsRollbackCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, lines projections.Lines) error {
		switches, err := version.Rollback(ctx, db.pool, lines, c.Name)
		if err != nil {
			return err
		}
		printSwitches(c.Name, switches)
		return nil
	})
}

type projectionsDropCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`

	Version int `arg:"" help:"Number of the version."`
}

// Run drops a version.
func (c *projectionsDropCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, _ projections.Lines) error {
		if err := version.Drop(ctx, db.pool, projections.Schema{Name: c.Name, Version: c.Version}); err != nil {
			return err
		}
		fmt.Printf("%s: version %d is dropped\n", c.Name, c.Version)
		return nil
	})
}

type projectionsResumeCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`
}

// Run lets the process that folds the projection try again.
func (c *projectionsResumeCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, _ projections.Lines) error {
		if err := version.Resume(ctx, db.pool, c.Name); err != nil {
			return err
		}
		fmt.Printf("projection %s is resumed\n", c.Name)
		return nil
	})
}

// with calls do with the open database and the definitions of all projections, and runs none of them.
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
	return withAdvice(do(db, lines))
}
