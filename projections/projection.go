package projections

import (
	"context"
	"regexp"

	"github.com/jackc/pgx/v5"

	"strata/domain/commit"
)

// Projection folds items of one kind (LogItem, Step or FeedStep) into its tables.
type Projection[T Item] interface {
	Spec() Spec
	// Fold writes the changes that items make, in order, within tx. after is the position before the first item. After
	// an error everything is rolled back, and Fold is called again with the same items or fewer.
	Fold(ctx context.Context, tx pgx.Tx, after int64, items []T) (Outcome, error)
	// Forget drops what the projection holds in memory: the last Fold did not commit, or another process moved the
	// position. The next Fold must read the tables again.
	Forget()
}

// Rebuildable is a projection that can also fold into the tables of other versions, beside those of its own number.
type Rebuildable[T Item] interface {
	Projection[T]
	// WithSpec returns a projection with the same rules that folds into the tables of spec. It shares nothing with the
	// receiver but settings and metrics.
	WithSpec(spec Spec) Projection[T]
}

// Leading is a projection that folds the log into a list of steps.
type Leading[T Item] interface {
	Projection[LogItem]
	// Written returns the steps that the last Fold has written, without the content of blocks and records. They belong
	// to the caller.
	Written() []T
}

// Checked is a projection that declares properties of its rows.
type Checked interface {
	Checks() []Check
}

// Check is a property that the rows of a projection always have.
type Check struct {
	// Name states the property, as in "a balance is the sum of its changes".
	Name string
	// SQL selects the keys of rows that violate it, with {schema} in place of the schema's name.
	SQL string
}

// IsAbout reports whether the check reads a table of the projection.
func (c Check) IsAbout(table string) bool {
	return regexp.MustCompile(`\{schema\}\.` + regexp.QuoteMeta(table) + `\b`).MatchString(c.SQL)
}

// BuildDependent is a projection with tables whose rows also depend on how many items were folded at once. No answer
// shows such rows, and a comparison of versions leaves these tables out. Lists are paged with them, so each has a
// check that compares it with the other tables.
type BuildDependent interface {
	BuildDependent() []string
}

// Readable is a projection that names earlier rules whose tables the reads of this program understand, so that they answer
// from these until a version with the new rules is active: all columns that reads use are there, and mean the same. What
// the new rules do better, the answers lack until then. The rules of the last release are enough. The folder of the
// projection, or of the first with the same tables, has the DDL of each, testdata/rules_<number>.sql, for a test that compares the
// columns.
type Readable interface {
	Readable() []int
}

// Outcome is the result of a fold.
type Outcome struct {
	// Tip is the block that the rows reflect after the fold; nil when there is none.
	Tip *Tip
	// Touched are the resources whose cached answers are stale; nil for all of them.
	Touched *Touched
	// Left is the number of items at the end that were folded in part or not at all: what the first of them leads to is too
	// much for one transaction. The transaction is committed all the same, and Fold is called again with these items. Only
	// projections that fold the log may leave items.
	Left int
	// Observe, if set, updates metrics. It is called after the fold has committed, and only for the version that
	// readers see.
	Observe func()
}

// Tip is the block that the rows of a projection reflect.
type Tip = commit.Tip
