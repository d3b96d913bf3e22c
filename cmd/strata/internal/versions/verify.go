package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/version"
)

// Verify checks that a version is fit for readers.
type Verify struct {
	Database database.Flags `embed:"" group:"Database:"`
	argument `embed:""`

	Version int  `arg:"" optional:"" help:"Number of the version (default the active one)."`
	JSON    bool `help:"Print JSON."`
}

// Run verifies a version, and returns a program.MismatchError if it is not fit for readers.
func (c *Verify) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, lines projections.Lines) error {
		d, err := lines.Definition(c.Name)
		if err != nil {
			return err
		}
		schema := projections.Schema{Name: c.Name, Version: c.Version}
		if schema.Version == 0 {
			if schema, err = activeSchema(ctx, db, c.Name); err != nil {
				return err
			}
		}
		v, err := version.Verify(ctx, db.Pool, d, schema)
		if err != nil {
			return err
		}
		v.Findings = append([]version.Finding{}, v.Findings...)
		if c.JSON {
			encoder := json.NewEncoder(os.Stdout)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			if err := encoder.Encode(v); err != nil {
				return err
			}
		} else if v.OK() {
			fmt.Printf("%s is fit for readers\n", schema)
		}
		if !v.OK() {
			return program.MismatchError{Err: &version.VerifyError{Verification: v}}
		}
		return nil
	})
}

// activeSchema returns the schema of a projection's active version.
func activeSchema(ctx context.Context, db *database.DB, name string) (projections.Schema, error) {
	active, err := version.Active(ctx, db.Pool)
	if err != nil {
		return projections.Schema{}, err
	}
	if version, ok := active[name]; ok {
		return projections.Schema{Name: name, Version: version}, nil
	}
	return projections.Schema{}, fmt.Errorf("no version of projection %s is active", name)
}
