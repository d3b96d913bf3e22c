// Package upgrading moves the private Postgres to another major version: strata upgrade-postgres.
package upgrading

import (
	"context"
	"errors"
	"fmt"
	"os"

	"strata/cmd/strata/internal/program"
	"strata/internal/postgres"
)

// Command moves the private Postgres of a data directory to another major version.
type Command struct {
	DataDir     string `default:"./.strata" env:"STRATA_DATA_DIR" type:"path" help:"Directory of the private Postgres."`
	DatabaseURL string `env:"STRATA_DATABASE_URL" hidden:"" help:"Refused: the command upgrades a private Postgres only."`
	To          int    `placeholder:"VERSION" help:"Major version to move to (0 = the newest that is installed)."`
	Link        bool   `help:"Share the files with the old cluster in place of copying them: fast, and without more space, but the old cluster must not be started any more."`
	Abort       bool   `xor:"mode" help:"Undo an upgrade that was interrupted, in place of finishing it."`
	RemoveOld   bool   `xor:"mode" help:"Remove the old clusters that earlier upgrades have kept."`
}

// Validate refuses flags that mean nothing together.
func (c *Command) Validate() error {
	if (c.Abort || c.RemoveOld) && (c.To != 0 || c.Link) {
		return errors.New("--to and --link are for an upgrade, not for --abort or --remove-old")
	}
	return nil
}

// Run upgrades, undoes or removes, and says what it has done.
func (c *Command) Run(ctx context.Context, globals *program.Globals) error {
	if c.DatabaseURL != "" {
		return errors.New("the database is not a private Postgres (--database-url): upgrade its server as its documentation says")
	}
	upgrade := postgres.Upgrade{DataDir: c.DataDir, To: c.To, Link: c.Link, Log: globals.Logger()}
	switch {
	case c.Abort:
		undone, err := upgrade.Abort(ctx)
		if err != nil {
			return err
		}
		if !undone {
			fmt.Println("There is no interrupted upgrade: nothing to undo.")
			return nil
		}
		fmt.Println("The interrupted upgrade is undone; the cluster is as it was.")
	case c.RemoveOld:
		removed, err := upgrade.RemoveKept(ctx)
		for _, folder := range removed {
			fmt.Println("Removed", folder)
		}
		if err == nil && len(removed) == 0 {
			fmt.Println("There is no old cluster: nothing to remove.")
		}
		return err
	default:
		done, err := upgrade.Run(ctx)
		if err != nil {
			return err
		}
		fmt.Println(done)
		if dir := os.Getenv(postgres.BinEnv); dir != "" && done.Kept != "" && dir != done.Bin {
			fmt.Printf("%s names %s: set it to %s, or unset it.\n", postgres.BinEnv, dir, done.Bin)
		}
	}
	return nil
}
