package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"strata/projections"
)

type projectionsVerifyCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`

	Version int  `arg:"" optional:"" help:"The number of the version; default the active one."`
	JSON    bool `help:"Print JSON."`
}

// Run prints what is wrong with a version, and fails when anything is.
func (c *projectionsVerifyCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, lines projections.Lines) error {
		d, err := lines.Definition(c.Name)
		if err != nil {
			return err
		}
		instance := projections.Instance{Name: c.Name, Version: c.Version}
		if instance.Version == 0 {
			if instance, err = activeInstance(ctx, db, c.Name); err != nil {
				return err
			}
		}
		v, err := projections.Verify(ctx, db.pool, d, instance)
		if err != nil {
			return err
		}
		v.Findings = append([]projections.Finding{}, v.Findings...)
		if c.JSON {
			encoder := json.NewEncoder(os.Stdout)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			if err := encoder.Encode(v); err != nil {
				return err
			}
		} else if v.OK() {
			fmt.Printf("%s is fit for readers\n", instance)
		}
		if !v.OK() {
			return unlikeError{&projections.VerifyError{Verification: v}}
		}
		return nil
	})
}

// activeInstance is what readers see of a projection.
func activeInstance(ctx context.Context, db *database, name string) (projections.Instance, error) {
	active, err := activeVersions(ctx, db.pool)
	if err != nil {
		return projections.Instance{}, err
	}
	if version, ok := active[name]; ok {
		return projections.Instance{Name: name, Version: version}, nil
	}
	return projections.Instance{}, fmt.Errorf("no version of projection %s is active", name)
}
