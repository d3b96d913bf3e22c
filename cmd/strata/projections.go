package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections/admin"
	"strata/projections/version"
)

type projectionsCommand struct {
	Status   projectionsStatusCommand   `cmd:"" help:"List the versions of read tables with their state, position, lag, size and errors."`
	Rebuild  projectionsRebuildCommand  `cmd:"" help:"Rebuild read tables from the log, beside the active ones; run again after an interruption, it resumes."`
	Verify   projectionsVerifyCommand   `cmd:"" help:"Verify that a version is fit for readers (exit code 3 = it is not)."`
	Diff     projectionsDiffCommand     `cmd:"" help:"Print the rows that differ between two versions (exit code 3 = some do)."`
	Activate projectionsActivateCommand `cmd:"" help:"Make a version the one that readers see; it must have caught up and be fit for readers."`
	Rollback projectionsRollbackCommand `cmd:"" help:"Undo the last activation: make the previous version active again."`
	Drop     projectionsDropCommand     `cmd:"" help:"Drop a version and its tables."`
	Resume   projectionsResumeCommand   `cmd:"" help:"Resume a projection that has failed."`
}

// projectionArgument is the argument of commands for one projection.
type projectionArgument struct {
	Name string `arg:"" help:"Name of the projection, as listed by strata projections status."`
}

// withAdvice appends advice on what to do about an error, if there is any.
func withAdvice(err error) error {
	if advice := admin.Advice(err); advice != "" {
		return fmt.Errorf("%w. %s", err, advice)
	}
	return err
}

// printSwitches prints which versions have become active.
func printSwitches(name string, switches []version.Switch) {
	if len(switches) == 0 {
		fmt.Printf("%s: nothing to do, this version is active already\n", name)
	}
	for _, s := range switches {
		if s.From == 0 {
			fmt.Printf("%s: version %d is active\n", s.Name, s.To)
		} else {
			fmt.Printf("%s: version %d is active, instead of version %d\n", s.Name, s.To, s.From)
		}
	}
}

// activeVersions returns the number of the active version of each projection.
func activeVersions(ctx context.Context, pool *pgxpool.Pool) (map[string]int, error) {
	rows, err := pool.Query(ctx, `SELECT name, version FROM strata.active`)
	if err != nil {
		return nil, fmt.Errorf("read the active versions of read tables: %w", err)
	}
	active := map[string]int{}
	var name string
	var number int
	if _, err := pgx.ForEachRow(rows, []any{&name, &number}, func() error {
		active[name] = number
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the active versions of read tables: %w", err)
	}
	return active, nil
}
