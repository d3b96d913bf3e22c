package main

import (
	"fmt"

	"strata/projections/admin"
	"strata/projections/version"
)

type projectionsCommand struct {
	Status   projectionsStatusCommand   `cmd:"" help:"List the versions of read tables: state, position, lag, size and what stopped them."`
	Rebuild  projectionsRebuildCommand  `cmd:"" help:"Build read tables again beside the active ones, from the log alone; stopped, it goes on where it was when it is run again."`
	Verify   projectionsVerifyCommand   `cmd:"" help:"Look whether a version is fit for readers."`
	Diff     projectionsDiffCommand     `cmd:"" help:"Print the rows that two versions don't have alike."`
	Activate projectionsActivateCommand `cmd:"" help:"Let readers see a version, once it has caught up and is fit for it."`
	Rollback projectionsRollbackCommand `cmd:"" help:"Let readers see what was active before the last switch."`
	Drop     projectionsDropCommand     `cmd:"" help:"Take a version away, with its tables."`
	Resume   projectionsResumeCommand   `cmd:"" help:"Let a projection that has stopped try again."`
}

// projectionArgument names a projection.
type projectionArgument struct {
	Name string `arg:"" help:"The projection, as strata projections status names it."`
}

// advised says what to do about an error, too.
func advised(err error) error {
	if advice := admin.Advice(err); advice != "" {
		return fmt.Errorf("%w. %s", err, advice)
	}
	return err
}

// tellSwitches prints what readers see from now on.
func tellSwitches(name string, switches []version.Switch) {
	if len(switches) == 0 {
		fmt.Printf("%s: nothing to do, it is active\n", name)
	}
	for _, s := range switches {
		if s.From == 0 {
			fmt.Printf("%s: version %d is active\n", s.Name, s.To)
		} else {
			fmt.Printf("%s: version %d is active, instead of version %d\n", s.Name, s.To, s.From)
		}
	}
}
