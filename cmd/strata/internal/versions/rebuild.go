package versions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/dustin/go-humanize"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/version"
)

// Rebuild builds new versions beside the active ones.
type Rebuild struct {
	Database database.Flags `embed:"" group:"Database:"`

	Names      []string `arg:"" name:"name" help:"Names of the projections, as listed by strata projections status; a leader brings along all projections that fold its steps."`
	To         int      `placeholder:"VERSION" help:"Number of the new version (default the number of its rules or, if taken, the next one)."`
	Throttle   int      `placeholder:"ITEMS" help:"Maximum number of items per second for each projection (0 = unlimited)."`
	Wait       bool     `default:"true" negatable:"" help:"Show the progress, and return when the versions have caught up; without a running server, this command builds them."`
	Force      bool     `help:"Build even if the disk seems too small."`
	ForkChoice string   `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"Rule that selects the canonical chain if this command builds: recommended or reference."`
}

// Validate checks the flags; kong calls it.
func (c *Rebuild) Validate() error {
	switch {
	case c.To < 0:
		return fmt.Errorf("--to: %d is not a version number (want 1 or more)", c.To)
	case c.To > 0 && len(c.Names) > 1:
		return errors.New("--to is for one projection at a time")
	case c.Throttle < 0:
		return fmt.Errorf("--throttle: %d items a second (want 0 or more)", c.Throttle)
	}
	return nil
}

// Run registers new versions, unless they are being built already, and waits until they are built.
func (c *Rebuild) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, lines projections.Lines) error {
		schemas, err := c.register(ctx, db, lines)
		if err != nil {
			return err
		}
		if !c.Wait {
			fmt.Println("A running server of this build builds them; strata projections status shows their progress.")
			return nil
		}
		b := &buildWait{db: db, schemas: schemas, forkChoice: c.ForkChoice, globals: globals}
		if err := b.wait(ctx); err != nil {
			if ctx.Err() != nil {
				fmt.Fprintln(os.Stderr, "The unfinished versions are kept. A running server goes on building them, and so does this command when run again.")
			}
			return err
		}
		return printNextSteps(ctx, db, schemas, lines)
	})
}

// register registers new versions, after a check that the disk has room for them, and returns them together with those
// that are being built already.
func (c *Rebuild) register(ctx context.Context, db *database.DB, lines projections.Lines) (schemas []projections.Schema, err error) {
	names, err := c.projectionNames(lines)
	if err != nil {
		return nil, err
	}
	statuses, err := version.Statuses(ctx, db.Pool)
	if err != nil {
		return nil, err
	}
	var fresh []version.RebuildOptions
	var needs version.Estimate
	for _, name := range names {
		if started := unfinished(statuses, lines.Rules(), name, c.To); len(started) > 0 {
			for _, i := range started {
				fmt.Printf("%s is being built already\n", i)
				if err := version.SetThrottle(ctx, db.Pool, i, c.limit()); err != nil {
					return nil, err
				}
			}
			schemas = append(schemas, started...)
			continue
		}
		options := version.RebuildOptions{Name: name, To: c.To, Throttle: c.limit()}
		e, err := version.EstimateRebuild(ctx, db.Pool, lines, options, db.DataDir)
		if err != nil {
			return nil, err
		}
		printEstimate(e)
		needs.Bytes, needs.FreeBytes = needs.Bytes+e.Bytes, e.FreeBytes
		fresh = append(fresh, options)
	}
	if len(fresh) > 0 {
		if err := c.checkRoom(needs); err != nil {
			return nil, err
		}
	}
	for _, options := range fresh {
		added, err := version.Rebuild(ctx, db.Pool, lines, options)
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, added...)
	}
	return schemas, nil
}

// limit returns the throttle in the form of package version: nil for unlimited.
func (c *Rebuild) limit() *int {
	if c.Throttle == 0 {
		return nil
	}
	return &c.Throttle
}

// projectionNames returns the given names, each once, without those whose leader is given too: a leader brings them along.
func (c *Rebuild) projectionNames(lines projections.Lines) (names []string, err error) {
	for _, name := range c.Names {
		d, err := lines.Definition(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) && !slices.Contains(c.Names, d.Leader) {
			names = append(names, name)
		}
	}
	return names, nil
}

// unfinished returns the newest version of a projection that has this program's rules and has never caught up, together
// with the versions that fold its steps. Unless number is 0, it considers only the version of that number.
func unfinished(statuses []version.Status, rules map[string]int, name string, number int) (schemas []projections.Schema) {
	building := func(s version.Status) bool {
		return s.Rules == rules[s.Name] && !s.Active && !s.Previous && (!s.Indexed || s.State != version.StateLive)
	}
	last := ""
	for _, s := range statuses { // in ascending order of version numbers
		if s.Name == name && building(s) && (number == 0 || s.Version == number) {
			schemas, last = []projections.Schema{s.Schema()}, s.Schema().String()
		}
	}
	for _, s := range statuses {
		if s.Input == last && last != "" && !s.Active && !s.Previous && s.Rules == rules[s.Name] {
			schemas = append(schemas, s.Schema())
		}
	}
	return schemas
}

// printEstimate prints the disk space and the time that a build needs.
func printEstimate(e version.Estimate) {
	for _, p := range e.Parts {
		duration := "an unknown time, because no earlier build was measured"
		if p.Seconds != nil && p.Rate != nil {
			duration = fmt.Sprintf("about %s (%s items; the last build did %s/s)", shortDuration(seconds(*p.Seconds)), humanize.Comma(p.Items), humanize.Comma(int64(*p.Rate)))
		} else if p.Seconds != nil {
			duration = fmt.Sprintf("about %s (%s items)", shortDuration(seconds(*p.Seconds)), humanize.Comma(p.Items))
		}
		rows := ""
		if p.Rows > 0 { // 0 means unknown
			rows = fmt.Sprintf(" (%s rows)", humanize.Comma(p.Rows))
		}
		fmt.Printf("%s takes about %s of disk space%s, and %s\n", p.Schema, humanize.IBytes(uint64(p.Bytes)), rows, duration)
	}
}

// checkRoom returns an error if the builds do not fit on the disk, unless --force is given.
func (c *Rebuild) checkRoom(needs version.Estimate) error {
	if needs.FreeBytes == nil {
		fmt.Println("The free disk space of the database is unknown from here.")
		return nil
	}
	fmt.Printf("The disk has %s free.\n", humanize.IBytes(uint64(*needs.FreeBytes)))
	if !needs.Fits() && !c.Force {
		return fmt.Errorf("the disk is too small: about %s needed, %s free; drop a version that nobody needs, or override with --force",
			humanize.IBytes(uint64(needs.Bytes)), humanize.IBytes(uint64(*needs.FreeBytes)))
	}
	return nil
}

// printNextSteps prints the commands that compare and activate what was built.
func printNextSteps(ctx context.Context, db *database.DB, schemas []projections.Schema, lines projections.Lines) error {
	for _, i := range schemas {
		// A version that its leader brought along is activated together with the leader.
		if d, err := lines.Definition(i.Name); err != nil || d.Leader != "" && slices.ContainsFunc(schemas, func(j projections.Schema) bool { return j.Name == d.Leader }) {
			continue
		}
		active, err := activeSchema(ctx, db, i.Name)
		if err != nil {
			return err
		}
		fmt.Printf("%s has caught up. To compare and to activate it:\n", i)
		fmt.Printf("  strata projections diff %s %d %d\n", i.Name, active.Version, i.Version)
		fmt.Printf("  strata projections activate %s %d\n", i.Name, i.Version)
	}
	return nil
}
