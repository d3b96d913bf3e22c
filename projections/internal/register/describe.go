package register

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
	"strata/projections/internal/register/internal/comment"
)

// IsDescribed reports whether the comments on the tables of a version are those that the code of its projection has. They may
// change without the rules.
func (e Entry) IsDescribed(spec projections.Spec) bool { return e.Comments == commentDigest(spec) }

// Describe makes Postgres keep the comments on the tables and columns of a version, unless it has them already. It waits for
// nobody who alters or vacuums a table: then it fails.
func Describe(ctx context.Context, pool *pgxpool.Pool, version projections.Schema, spec projections.Spec) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+viewTimeout+`'`); err != nil {
			return err
		}
		// Two processes that comment on the same object at once would fail.
		if _, err := tx.Exec(ctx, `SELECT FROM strata.archive FOR NO KEY UPDATE`); err != nil {
			return err
		}
		es, err := Read(ctx, tx)
		if err != nil {
			return err
		}
		e, err := es.Get(version)
		if err != nil || e.IsDescribed(spec) {
			return err
		}
		_, err = tx.Exec(ctx, descriptionOf(spec.At(version.Version), e.Rules))
		return err
	})
	if err != nil {
		return fmt.Errorf("comment on the tables of projection %s: %w", version, err)
	}
	return nil
}

// descriptionOf returns the SQL that comments on a version's schema, its tables and their columns. The comment on the schema
// ends with a digest of all.
func descriptionOf(spec projections.Spec, rules int) string {
	schema := comment.Comment{Kind: "SCHEMA", Object: spec.Quoted(), Text: fmt.Sprintf(
		"Read tables of projection %s, version %d, built by rules %d from the log. Comments: %s", spec.Name, spec.Version, rules, commentDigest(spec))}
	return schema.SQL() + spec.SQL(comment.Statements(comment.Parse(spec.Tables)))
}

// commentDigest returns a digest of the comments on the tables of a projection, which is the same for all of its versions.
func commentDigest(spec projections.Spec) string {
	return digest(spec.Tables, func() string { return comment.Statements(comment.Parse(spec.Tables)) })
}

// digests are those of SQL that has been read, by the SQL: followers ask each time that they look at the register.
var digests sync.Map

// digest returns a digest of what read makes of an SQL text.
func digest(sql string, read func() string) string {
	if known, ok := digests.Load(sql); ok {
		return known.(string)
	}
	sum := sha256.Sum256([]byte(read()))
	text := hex.EncodeToString(sum[:8])
	digests.Store(sql, text)
	return text
}
