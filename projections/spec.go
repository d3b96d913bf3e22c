package projections

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
)

// Spec describes one version of a projection. The code of a projection has the number of its rules as its version, and
// folds into the tables of this number, or of others (see Instance).
type Spec struct {
	Name    string
	Version int
	// Tables is the DDL of the version's schema, with {schema} for its name. It runs once, in the transaction
	// that registers the version; but what comes after the line ReaderIndexes may be left to the end of a build.
	Tables string
	// Views names the tables that SQL users see in schema api while this version is active; a name before a colon, as
	// in "ft_token:token", is that of the view.
	Views []string
	// Records are the kinds of records whose content the projection reads.
	Records []RecordKind
}

// Schema is where the version's tables stand, such as "chain_v1".
func (s Spec) Schema() string { return fmt.Sprintf("%s_v%d", s.Name, s.Version) }

// DDL creates the version's schema and its tables.
func (s Spec) DDL() string { return s.SQL("CREATE SCHEMA {schema};" + s.Tables) }

func (s Spec) String() string { return s.Schema() }

// SQL puts the version's schema into a query that names it {schema}.
func (s Spec) SQL(query string) string { return strings.ReplaceAll(query, "{schema}", s.Schema()) }

// ReaderIndexes is the line of Tables below which there are only indexes that no fold needs. It is cheaper to make them when
// the rows are there.
const ReaderIndexes = "-- Indexes for readers: a build makes them at its end."

// split is the DDL of the tables, and that of the indexes that readers need.
func (s Spec) split() (tables, indexes string) {
	tables, indexes, _ = strings.Cut(s.DDL(), ReaderIndexes)
	return tables, indexes
}

// labels are those of metrics.
func (s Spec) labels() []string { return []string{s.Name, strconv.Itoa(s.Version)} }

// instance is what the tables are named by.
func (s Spec) instance() Instance { return Instance{s.Name, s.Version} }

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
	// Observe, if any, tells metrics of the fold. It is called once the fold has committed, when the rows are those that
	// readers see.
	Observe func()
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
