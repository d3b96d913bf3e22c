package versions

import (
	"context"
	"fmt"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/version"
)

// Activate makes a version the one that readers see.
type Activate struct {
	Database database.Flags `embed:"" group:"Database:"`
	argument `embed:""`

	Version int `arg:"" help:"Number of the version."`
}

// Run activates a version.
func (c *Activate) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, lines projections.Lines) error {
		switches, err := version.Activate(ctx, db.Pool, lines, []projections.Schema{{Name: c.Name, Version: c.Version}})
		if err != nil {
			return err
		}
		printSwitches(c.Name, switches)
		return nil
	})
}

// Rollback undoes the last activation.
type Rollback struct {
	Database database.Flags `embed:"" group:"Database:"`
	argument `embed:""`
}

// Run activates the version that was active before.
func (c *Rollback) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, lines projections.Lines) error {
		switches, err := version.Rollback(ctx, db.Pool, lines, c.Name)
		if err != nil {
			return err
		}
		printSwitches(c.Name, switches)
		return nil
	})
}

// Drop drops a version and its tables.
type Drop struct {
	Database database.Flags `embed:"" group:"Database:"`
	argument `embed:""`

	Version int `arg:"" help:"Number of the version."`
}

// Run drops a version.
func (c *Drop) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, _ projections.Lines) error {
		if err := version.Drop(ctx, db.Pool, projections.Schema{Name: c.Name, Version: c.Version}); err != nil {
			return err
		}
		fmt.Printf("%s: version %d is dropped\n", c.Name, c.Version)
		return nil
	})
}

// Resume resumes a projection that has failed.
type Resume struct {
	Database database.Flags `embed:"" group:"Database:"`
	argument `embed:""`
}

// Run lets the process that folds the projection try again.
func (c *Resume) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, _ projections.Lines) error {
		if err := version.Resume(ctx, db.Pool, c.Name); err != nil {
			return err
		}
		fmt.Printf("projection %s is resumed\n", c.Name)
		return nil
	})
}
