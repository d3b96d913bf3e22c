package projections

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
)

// Spec describes one version of a projection.
type Spec struct {
	Name    string
	Version int
	// Tables is the DDL of the version's schema, with {schema} for its name. It runs once, in the transaction
	// that registers the version.
	Tables string
	// Views names the tables that SQL users see in schema api while this version is active; a name before a colon, as
	// in "ft_token:token", is that of the view.
	Views []string
	// Records says that the projection reads the content of records.
	Records bool
}

// Schema is where the version's tables stand, such as "chain_v1".
func (s Spec) Schema() string { return fmt.Sprintf("%s_v%d", s.Name, s.Version) }

// DDL creates the version's schema and its tables.
func (s Spec) DDL() string { return s.SQL("CREATE SCHEMA {schema};" + s.Tables) }

func (s Spec) String() string { return s.Schema() }

// SQL puts the version's schema into a query that names it {schema}.
func (s Spec) SQL(query string) string { return strings.ReplaceAll(query, "{schema}", s.Schema()) }

// Item is one thing to fold.
type Item interface {
	// Position in the input: 1, 2, 3, … without gaps.
	Position() int64
	// LogSeq is the event of the log that caused it.
	LogSeq() int64
}

// Tip is the block that the rows reflect.
type Tip struct {
	Height          int64
	IndexBlockHash  hash.Hash32
	BlockHash       hash.Hash32
	BurnBlockHeight int64
}

// Outcome is what a fold leaves.
type Outcome struct {
	// Tip is the block that the rows then reflect; nil when there is none.
	Tip *Tip
	// Touched is what readers must not answer from memory any more; nil for everything.
	Touched *Touched
}

// Projection folds items of one kind: LogItem or Step.
type Projection[T Item] interface {
	Spec() Spec
	// Fold writes what items change, in order, within tx. after is the position before the first item. An error rolls
	// everything back, and Fold is called again, with the same items or fewer.
	Fold(ctx context.Context, tx pgx.Tx, after int64, items []T) (Outcome, error)
	// Forget drops what the projection holds in memory: the last Fold did not commit, or somebody else moved the
	// position. It must read its tables again.
	Forget()
}
