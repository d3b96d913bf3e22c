// Package versions holds the commands of strata projections, which inspect, rebuild, compare, activate and drop versions
// of read tables.
package versions

import (
	"context"
	"fmt"
	"slices"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/admin"
	"strata/projections/version"
)

// Command is strata projections.
type Command struct {
	Status   Status   `cmd:"" help:"List the versions of read tables with their state, position, lag, size and errors."`
	Rebuild  Rebuild  `cmd:"" help:"Rebuild read tables from the log, beside the active ones; run again after an interruption, it resumes."`
	Verify   Verify   `cmd:"" help:"Verify that a version is fit for readers (exit code 3 = it is not)."`
	Diff     Diff     `cmd:"" help:"Print the rows that differ between two versions (exit code 3 = some do)."`
	Activate Activate `cmd:"" help:"Make a version the one that readers see; it must have caught up and be fit for readers."`
	Rollback Rollback `cmd:"" help:"Undo the last activation: make the previous version active again."`
	Drop     Drop     `cmd:"" help:"Drop a version and its tables."`
	Resume   Resume   `cmd:"" help:"Resume a projection that has failed."`
	Skip     Skip     `cmd:"" help:"Let a projection that has failed at an event go past it; the log records that, with the reason."`
}

// argument is the argument of commands for one projection.
type argument struct {
	Name string `arg:"" help:"Name of the projection, as listed by strata projections status."`
}

// with calls do with the open database and the definitions of all projections, and runs none of them.
func with(ctx context.Context, flags *database.Flags, globals *program.Globals, do func(db *database.DB, lines projections.Lines) error) error {
	logger := globals.Logger()
	db, err := flags.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	lines, err := folding.Lines("recommended", logger, nil)
	if err != nil {
		return err
	}
	return withAdvice(do(db, lines))
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
	if i := slices.IndexFunc(switches, func(s version.Switch) bool { return s.Name == name && s.From != 0 }); i >= 0 {
		s := switches[i]
		fmt.Printf("Readers see this from now on. The versions before are kept and followed.\n"+
			"To go back:          strata projections rollback %s\n"+
			"To free their space: strata projections drop %s %d", name, s.Name, s.From)
		if len(switches) > 1 {
			fmt.Print(" --with-followers")
		}
		fmt.Println()
	}
}
