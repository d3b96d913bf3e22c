package versions

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/version"
)

// Activate makes a version the one that readers see.
type Activate struct {
	Database database.Flags `embed:"" group:"Database:"`
	argument `embed:""`

	Version int           `arg:"" help:"Number of the version."`
	Timeout time.Duration `default:"1h" help:"How long to wait until a running server has built the version."`
}

// Run waits until a version has been built, and activates it.
func (c *Activate) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, lines projections.Lines) error {
		versions := []projections.Schema{{Name: c.Name, Version: c.Version}}
		if err := c.awaitBuilt(ctx, db, lines, versions); err != nil {
			return err
		}
		switches, err := version.Activate(ctx, db.Pool, lines, versions)
		if err != nil {
			return err
		}
		printSwitches(c.Name, switches)
		return nil
	})
}

// progressInterval is how often activate says how far a build is.
const progressInterval = 5 * time.Second

// awaitBuilt waits until the versions to activate have been built, and prints how far they are.
func (c *Activate) awaitBuilt(ctx context.Context, db *database.DB, lines projections.Lines, versions []projections.Schema) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("not ready after %v", c.Timeout))
	defer cancel()
	var printed time.Time
	return version.AwaitBuilt(ctx, db.Pool, lines, versions, func(s version.Status) {
		if time.Since(printed) < progressInterval {
			return
		}
		printed = time.Now()
		fmt.Fprintf(os.Stderr, "%s is being built: position %d of %d\n", s.Schema(), s.Position, s.Head)
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

	Version       int  `arg:"" help:"Number of the version."`
	WithFollowers bool `help:"Drop the versions that fold the steps of this one, too; none of them may be active."`
}

// Run drops a version.
func (c *Drop) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, _ projections.Lines) error {
		schema := projections.Schema{Name: c.Name, Version: c.Version}
		statuses, err := version.Statuses(ctx, db.Pool)
		if err != nil {
			return err
		}
		followers := slices.DeleteFunc(statuses, func(s version.Status) bool { return s.Input != schema.String() })
		for _, s := range followers {
			switch {
			case s.Active:
				return fmt.Errorf("drop projection %s: the active version %s folds its steps; activate another version of %s first, which activates its followers with it",
					schema, s.Schema(), c.Name)
			case !c.WithFollowers:
				return fmt.Errorf("drop projection %s: %w: %s, in one go with --with-followers", schema, version.ErrFollowed, names(followers))
			}
		}
		for _, s := range followers {
			if err := drop(ctx, db, s.Schema()); err != nil {
				return err
			}
		}
		return drop(ctx, db, schema)
	})
}

// names lists versions.
func names(statuses []version.Status) string {
	texts := make([]string, len(statuses))
	for i, s := range statuses {
		texts[i] = s.Schema().String()
	}
	return strings.Join(texts, ", ")
}

// drop drops one version, and prints which version readers see.
func drop(ctx context.Context, db *database.DB, schema projections.Schema) error {
	if err := version.Drop(ctx, db.Pool, schema); err != nil {
		return err
	}
	fmt.Printf("%s: version %d is dropped", schema.Name, schema.Version)
	active, err := version.Active(ctx, db.Pool)
	if n, ok := active[schema.Name]; ok {
		fmt.Printf("; readers see version %d, as before", n)
	}
	fmt.Println()
	return err
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

// Skip lets a projection go past an event at which it has failed.
type Skip struct {
	Database database.Flags       `embed:"" group:"Database:"`
	Writer   database.WriterFlags `embed:"" group:"Database:"`
	argument `embed:""`

	Seq    int64  `arg:"" help:"Event of the log at which the projection has failed, as its error says."`
	Reason string `required:"" help:"Why the event is skipped, for those who read the log later."`
}

// Run records the skip in the log, and lets the process that folds the projection try again.
func (c *Skip) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, _ projections.Lines) error {
		if err := c.Writer.Check(ctx, db); err != nil {
			return err
		}
		command, err := version.Skip(ctx, db.Log, c.Name, c.Seq, c.Reason)
		if err != nil {
			return err
		}
		fmt.Printf("projection %s skips event %d, as event %d of the log says; see /audit/v1/quarantine\n", c.Name, c.Seq, command)
		return nil
	})
}
