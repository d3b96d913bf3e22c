package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/dustin/go-humanize"

	"strata/projections"
	"strata/projections/version"
)

type projectionsRebuildCommand struct {
	databaseFlags `embed:"" group:"Database:"`

	Names      []string `arg:"" name:"name" help:"The projections, as strata projections status names them. With one whose steps others fold, these are built too."`
	To         int      `placeholder:"VERSION" help:"The number that the version gets; default that of its rules or, when that is taken, the next."`
	Throttle   int      `placeholder:"ITEMS" help:"Items that each may fold in a second; 0 for as many as it can."`
	Wait       bool     `default:"true" negatable:"" help:"Show how it goes, and return when they have caught up. A running server builds them, or else this command does."`
	Force      bool     `help:"Build also when there does not seem to be room for it."`
	ForkChoice string   `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"How the canonical chain is chosen, when this command builds."`
}

// Validate implements kong's check of a command.
func (c *projectionsRebuildCommand) Validate() error {
	switch {
	case c.To < 0:
		return fmt.Errorf("--to: %d is no number of a version (want 1 or more)", c.To)
	case c.To > 0 && len(c.Names) > 1:
		return errors.New("--to is for one projection at a time")
	case c.Throttle < 0:
		return fmt.Errorf("--throttle: %d items a second (want 0 or more)", c.Throttle)
	}
	return nil
}

// Run registers what is to be built, unless it is being built already, and waits for it.
func (c *projectionsRebuildCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, lines projections.Lines) error {
		made, err := c.register(ctx, db, lines)
		if err != nil {
			return err
		}
		if !c.Wait {
			fmt.Println("A running server with this program builds them; strata projections status says how far they are.")
			return nil
		}
		b := &building{db: db, schemas: made, forkChoice: c.ForkChoice, globals: globals}
		if err := b.wait(ctx); err != nil {
			if ctx.Err() != nil {
				fmt.Fprintln(os.Stderr, "What is built stays. It goes on when a server runs, or when this command is run again.")
			}
			return err
		}
		return tellNext(ctx, db, made, lines)
	})
}

// register registers what is not being built already, once it is known what that needs.
func (c *projectionsRebuildCommand) register(ctx context.Context, db *database, lines projections.Lines) (made []projections.Schema, err error) {
	names, err := c.wanted(lines)
	if err != nil {
		return nil, err
	}
	statuses, err := version.Statuses(ctx, db.pool)
	if err != nil {
		return nil, err
	}
	var fresh []version.RebuildOptions
	var needs version.Estimate
	for _, name := range names {
		if begun := unfinished(statuses, lines.Rules(), name, c.To); len(begun) > 0 {
			for _, i := range begun {
				fmt.Printf("%s is being built already, and goes on\n", i)
				if err := version.SetThrottle(ctx, db.pool, i, c.limit()); err != nil {
					return nil, err
				}
			}
			made = append(made, begun...)
			continue
		}
		options := version.RebuildOptions{Name: name, To: c.To, Throttle: c.limit()}
		e, err := version.EstimateRebuild(ctx, db.pool, lines, options, db.dataDir(c.DataDir))
		if err != nil {
			return nil, err
		}
		tellEstimate(e)
		needs.Bytes, needs.FreeBytes = needs.Bytes+e.Bytes, e.FreeBytes
		fresh = append(fresh, options)
	}
	if len(fresh) > 0 {
		if err := c.room(needs); err != nil {
			return nil, err
		}
	}
	for _, options := range fresh {
		schemas, err := version.Rebuild(ctx, db.pool, lines, options)
		if err != nil {
			return nil, err
		}
		made = append(made, schemas...)
	}
	return made, nil
}

// limit is the throttle as package projections has it.
func (c *projectionsRebuildCommand) limit() *int {
	if c.Throttle == 0 {
		return nil
	}
	return &c.Throttle
}

// wanted are the names, each once, without those that are built together with one whose steps they fold.
func (c *projectionsRebuildCommand) wanted(lines projections.Lines) (names []string, err error) {
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

// unfinished are the versions that were begun with the rules of this program and have never caught up, of a projection and of
// those that fold its steps; only one of this number, unless it is 0.
func unfinished(statuses []version.Status, rules map[string]int, name string, number int) (begun []projections.Schema) {
	building := func(s version.Status) bool {
		return s.Rules == rules[s.Name] && !s.Active && !s.Previous && (!s.Indexed || s.State != version.StateLive)
	}
	last := ""
	for _, s := range statuses { // in the order of their numbers
		if s.Name == name && building(s) && (number == 0 || s.Version == number) {
			begun, last = []projections.Schema{s.Schema()}, s.Schema().String()
		}
	}
	for _, s := range statuses {
		if s.Input == last && last != "" && !s.Active && !s.Previous && s.Rules == rules[s.Name] {
			begun = append(begun, s.Schema())
		}
	}
	return begun
}

// tellEstimate says what a build needs.
func tellEstimate(e version.Estimate) {
	for _, p := range e.Parts {
		took := "how long is not known, because it was never far behind"
		if p.Seconds != nil && p.Rate != nil {
			took = fmt.Sprintf("about %s (%s items; the last time %s/s)", shortly(seconds(*p.Seconds)), humanize.Comma(p.Items), humanize.Comma(int64(*p.Rate)))
		} else if p.Seconds != nil {
			took = fmt.Sprintf("about %s (%s items)", shortly(seconds(*p.Seconds)), humanize.Comma(p.Items))
		}
		rows := ""
		if p.Rows > 0 { // else nobody has counted them
			rows = fmt.Sprintf(" (%s rows)", humanize.Comma(p.Rows))
		}
		fmt.Printf("%s takes about %s on the disk%s, and %s\n", p.Schema, humanize.IBytes(uint64(p.Bytes)), rows, took)
	}
}

// room refuses what does not fit on the disk.
func (c *projectionsRebuildCommand) room(needs version.Estimate) error {
	if needs.FreeBytes == nil {
		fmt.Println("How much room the disk of the database has is not known here.")
		return nil
	}
	fmt.Printf("The disk has %s left.\n", humanize.IBytes(uint64(*needs.FreeBytes)))
	if !needs.Fits() && !c.Force {
		return fmt.Errorf("there is no room for about %s on a disk with %s left: drop a version that nobody needs, or try it with --force",
			humanize.IBytes(uint64(needs.Bytes)), humanize.IBytes(uint64(*needs.FreeBytes)))
	}
	return nil
}

// tellNext says what one may do with what was built.
func tellNext(ctx context.Context, db *database, made []projections.Schema, lines projections.Lines) error {
	for _, i := range made {
		// What was brought along is switched with the one that brought it.
		if d, err := lines.Definition(i.Name); err != nil || d.Leader != "" && slices.ContainsFunc(made, func(j projections.Schema) bool { return j.Name == d.Leader }) {
			continue
		}
		active, err := activeSchema(ctx, db, i.Name)
		if err != nil {
			return err
		}
		fmt.Printf("%s has caught up. To compare it, and to let readers see it:\n", i)
		fmt.Printf("  strata projections diff %s %d %d\n", i.Name, active.Version, i.Version)
		fmt.Printf("  strata projections activate %s %d\n", i.Name, i.Version)
	}
	return nil
}
