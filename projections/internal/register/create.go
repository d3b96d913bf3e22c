package register

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// ErrTaken is returned when there is a version with the wanted number already.
var ErrTaken = errors.New("there is a version with this number already")

// shortLog is the number of events up to which the indexes for readers are made together with the tables: that takes no
// longer, and readers have them from the first answer on.
const shortLog = 1000

// NewVersion is a version to create.
type NewVersion struct {
	projections.Schema
	Definition projections.Definition
	// Input is Log, or the schema whose steps it folds.
	Input string
	// Active makes it the active version if the projection has none.
	Active bool
	// Throttle is the maximum of items per second; nil for no limit.
	Throttle *int
	// Automatic says that no command asked for it: it becomes active, and is dropped, without one, too.
	Automatic bool
	// Scratch versions are for a comparison: nobody sees or follows them but who made them.
	Scratch bool
	// IndexLast leaves the indexes for readers to the end of the build, however short the log is.
	IndexLast bool
}

// Create registers versions and makes their tables. ErrTaken when one is there already.
func Create(ctx context.Context, tx pgx.Tx, versions []NewVersion) error {
	var events int64
	if err := tx.QueryRow(ctx, `SELECT size FROM log.head`).Scan(&events); err != nil {
		return fmt.Errorf("read how long the log is: %w", err)
	}
	for _, v := range versions {
		v.IndexLast = v.IndexLast || events > shortLog
		if err := v.create(ctx, tx); err != nil {
			return fmt.Errorf("register projection %s: %w", v.Schema, err)
		}
	}
	return nil
}

func (v NewVersion) create(ctx context.Context, tx pgx.Tx) error {
	spec := v.Definition.Spec.At(v.Version)
	tables, indexes := splitDDL(spec)
	indexLast := v.IndexLast && indexes != ""
	tag, err := tx.Exec(ctx, `
		INSERT INTO strata.projection (name, version, rules, input, throttle, indexed, scratch, automatic) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT DO NOTHING`, v.Name, v.Version, v.Definition.Spec.Version, v.Input, v.Throttle, !indexLast, v.Scratch, v.Automatic)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrTaken
	}
	// An earlier version with this number may have left rows.
	for _, table := range []string{"shard", "quarantine"} {
		if _, err := tx.Exec(ctx, `DELETE FROM strata.`+table+` WHERE name = $1 AND version = $2`, v.Name, v.Version); err != nil {
			return fmt.Errorf("delete the rows of an earlier version from strata.%s: %w", table, err)
		}
	}
	if !indexLast {
		tables += indexes
	}
	if _, err := tx.Exec(ctx, tables); err != nil {
		return fmt.Errorf("create its tables: %w", err)
	}
	if indexLast {
		if err := alterTables(ctx, tx, spec.Schema, buildSettings); err != nil {
			return err
		}
	}
	if !v.Scratch {
		if _, err := tx.Exec(ctx, descriptionOf(spec, v.Definition.Spec.Version)); err != nil {
			return fmt.Errorf("comment on its tables: %w", err)
		}
		if err := letReadersIn(ctx, tx, spec.String()); err != nil {
			return err
		}
	}
	if !v.Active {
		return nil
	}
	tag, err = tx.Exec(ctx, `INSERT INTO strata.active (name, version) VALUES ($1, $2) ON CONFLICT DO NOTHING`, v.Name, v.Version)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if err := NoteActivation(ctx, tx, v.Schema); err != nil {
		return err
	}
	if err := showViews(ctx, tx, spec); err != nil {
		return err
	}
	return describeViews(ctx, tx, spec)
}

// NoteActivation notes that a version becomes active in this transaction.
func NoteActivation(ctx context.Context, tx pgx.Tx, version projections.Schema) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO strata.activation (epoch) SELECT epoch FROM strata.projection WHERE name = $1 AND version = $2
		ON CONFLICT (epoch) DO UPDATE SET activated_at = excluded.activated_at`, version.Name, version.Version)
	if err != nil {
		return fmt.Errorf("note when %s became active: %w", version, err)
	}
	return nil
}

// Remove deletes a version with its tables. The version's follower finds its row gone and ends.
func Remove(ctx context.Context, tx pgx.Tx, version projections.Schema) error {
	for _, table := range []string{"activation", "change", "change_summary"} {
		if _, err := tx.Exec(ctx, `DELETE FROM strata.`+table+` WHERE epoch = (SELECT epoch FROM strata.projection WHERE name = $1 AND version = $2)`, version.Name, version.Version); err != nil {
			return fmt.Errorf("delete it from strata.%s: %w", table, err)
		}
	}
	for _, table := range []string{"projection", "shard", "quarantine", "lead"} {
		if _, err := tx.Exec(ctx, `DELETE FROM strata.`+table+` WHERE name = $1 AND version = $2`, version.Name, version.Version); err != nil {
			return fmt.Errorf("delete it from strata.%s: %w", table, err)
		}
	}
	if _, err := tx.Exec(ctx, `UPDATE strata.active SET previous = NULL WHERE name = $1 AND previous = $2`, version.Name, version.Version); err != nil {
		return fmt.Errorf("forget that it was active: %w", err)
	}
	_, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+viewTimeout+`'; DROP SCHEMA IF EXISTS `+version.Quoted()+` CASCADE`)
	if err != nil {
		return fmt.Errorf("drop its tables: %w", err)
	}
	return nil
}

// splitDDL returns the DDL of a version's tables, and that of the indexes that only readers need.
func splitDDL(spec projections.Spec) (tables, indexes string) {
	tables, indexes, _ = strings.Cut(spec.DDL(), projections.ReaderIndexes)
	return tables, indexes
}
