// Package wholeness says whether the log holds all of the chain's history, what is missing, and what mends it. The API, the
// console, strata doctor and strata verify all say it in the words of this package.
package wholeness

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/schema"
)

// Facts are what the tables of the projection chain know about the history.
type Facts struct {
	Tip         *int64 // height of the canonical tip; nil before the first block
	HistoryFrom *int64 // height at which the chain begins, if that is above genesis; nil for a whole history
	Gaps        int64  // blocks above the tip that known blocks wait for and that no event has brought; GapsMax at most
	Waiting     int64  // height of the lowest block that waits for one of them
	WaitingTo   int64  // height of the highest
	Missing     int64  // number of missing blocks
	MissingFrom int64  // height of the lowest
	MissingTo   int64  // height of the highest
	Foreign     []Foreign
	Another     bool // the fold has stopped at the genesis block of another chain
}

// AnotherChain begins the error with which the projection chain stops at the genesis block of another chain.
const AnotherChain = "another chain began on this database"

// MendAnotherChain says what to do about it. To resume the fold would only stop it again at the same event.
const MendAnotherChain = "Use a new database for the new chain, or stop this server and empty its database: strata reset --keep-log-as FILE."

// Foreign is a network other than the log's whose events are in the log. They are in quarantine.
type Foreign struct {
	Network string `json:"network"`
	Events  int64  `json:"events"`
	First   int64  `json:"first_seq"`
	Last    int64  `json:"last_seq"`
}

// GapsMax is the maximum number of gaps that are looked at: each costs a look-up.
const GapsMax = 1000

// foreignMax is the maximum number of networks that are named.
const foreignMax = 5

// rulesOfForeign are the first rules of the projection chain whose tables list other networks.
const rulesOfForeign = 6

// SQL returns a query of one row, which Facts.Columns scans, for tables of these rules of the projection chain. {chain} stands
// for their schema.
func SQL(rules int) string {
	other := `'[]'::json`
	if rules >= rulesOfForeign {
		other = fmt.Sprintf(`(SELECT json_agg(f) FROM (
	           SELECT network, events, first_seq, source_seq AS last_seq FROM {chain}.foreign_network ORDER BY source_seq DESC LIMIT %d) f)`, foreignMax)
	}
	return fmt.Sprintf(factsSQL, other, AnotherChain, GapsMax)
}

const factsSQL = `
	SELECT tip.height, (SELECT p.history_from FROM strata.projection p JOIN strata.active a USING (name, version) WHERE p.name = 'chain'),
	       count(gap.height), coalesce(min(gap.height), 0), coalesce(max(gap.height), 0),
	       coalesce(sum(gap.missing), 0)::bigint, coalesce(min(gap.height - gap.missing), 0), coalesce(max(gap.height) - 1, 0),
	       coalesce(%s, '[]'),
	       EXISTS (SELECT FROM strata.projection p JOIN strata.active a USING (name, version)
	               WHERE p.name = 'chain' AND p.state = 'failed' AND p.error LIKE '%%%s%%')
	FROM (SELECT max(height) AS height FROM {chain}.canonical) tip
	LEFT JOIN LATERAL (
	    -- A gap reaches down to the next known block, or to the tip.
	    SELECT g.height, greatest(1, g.height - 1 - coalesce(
	        (SELECT b.height FROM {chain}.block b WHERE b.height < g.height AND b.height > coalesce(tip.height, -1) ORDER BY b.height DESC LIMIT 1),
	        tip.height, -1)) AS missing
	    FROM {chain}.gap g WHERE g.height > coalesce(tip.height, -1) ORDER BY g.height LIMIT %d
	) gap ON true
	GROUP BY tip.height`

// Columns returns the destinations of the columns of SQL.
func (f *Facts) Columns() []any {
	return []any{&f.Tip, &f.HistoryFrom, &f.Gaps, &f.Waiting, &f.WaitingTo, &f.Missing, &f.MissingFrom, &f.MissingTo, &f.Foreign, &f.Another}
}

// Read reads the facts from the active version of the projection chain. Without one, there is no block.
func Read(ctx context.Context, pool *pgxpool.Pool) (*Facts, error) {
	f := &Facts{}
	var version, rules int
	err := pool.QueryRow(ctx, `
		SELECT p.version, coalesce(p.rules, p.version) FROM strata.projection p JOIN strata.active a USING (name, version)
		WHERE p.name = 'chain'`).Scan(&version, &rules)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, nil
	}
	if err == nil {
		tables := schema.Schema{Name: "chain", Version: version}
		err = pool.QueryRow(ctx, strings.ReplaceAll(SQL(rules), "{chain}", tables.Quoted())).Scan(f.Columns()...)
	}
	if err != nil {
		return nil, fmt.Errorf("read whether the history is whole: %w", err)
	}
	return f, nil
}

// Subject is what a problem is about.
type Subject string

// Subjects of problems. While there is one but the last, answers about balances are not reliable.
const (
	Unfed   Subject = "events"          // no block has arrived
	Gap     Subject = "missing blocks"  // the chain stands still below them
	Partial Subject = "partial history" // the chain begins above genesis
	Another Subject = "another chain"   // a node has announced its genesis block
	Other   Subject = "other networks"  // events of them arrive
)

// Problem is something that is not whole.
type Problem struct {
	About   Subject `json:"about" doc:"What it is about."`
	Message string  `json:"message" doc:"What is missing, or wrong."`
	// Mend says what to do.
	Mend string `json:"mend" doc:"What mends it."`
}

// Problems returns what is not whole.
func (f *Facts) Problems() (problems []Problem) {
	if f.Tip == nil && f.Gaps == 0 {
		problems = append(problems, Problem{Unfed, "No block has arrived yet.",
			"Let a node post its events to the observer's address, or import an archive with strata import FILE; see docs/history.md."})
	}
	if f.Gaps > 0 {
		problems = append(problems, Problem{Gap, f.gap(), fmt.Sprintf(
			"strata history repair URL, if somebody has published them. Or on a Strata that has these blocks: strata export --heights %d-%d --out missing.tsv.gz. Then here: strata import --append missing.tsv.gz. Other ways: docs/history.md.",
			f.MissingFrom, f.MissingTo)})
	}
	if f.HistoryFrom != nil {
		problems = append(problems, f.partial())
	}
	if f.Another {
		problems = append(problems, Problem{Another,
			"Another chain began on this database: its genesis block contradicts the one in the log, and the fold has stopped before it.",
			MendAnotherChain})
	}
	if len(f.Foreign) > 0 {
		problems = append(problems, f.other())
	}
	return problems
}

func (f *Facts) gap() string {
	missing := fmt.Sprintf("Block %d is missing", f.MissingFrom)
	if f.Missing > 1 {
		missing = fmt.Sprintf("%d blocks are missing, from %d to %d", f.Missing, f.MissingFrom, f.MissingTo)
	}
	stands := "the chain has not begun"
	if f.Tip != nil {
		stands = fmt.Sprintf("the chain stands still at %d", *f.Tip)
	}
	waiting := fmt.Sprintf("block %d waits", f.Waiting)
	if f.WaitingTo > f.Waiting {
		waiting = fmt.Sprintf("blocks %d to %d and those above them wait", f.Waiting, f.WaitingTo)
	} else {
		waiting += ", with all above it"
	}
	return missing + ": " + stands + ", and " + waiting + "."
}

func (f *Facts) partial() Problem {
	if *f.HistoryFrom == 0 {
		return Problem{Partial, "The genesis block is empty: balances and all that rests on the past lack what it allocated.",
			"Import the whole genesis block with strata import --append; see docs/history.md."}
	}
	return Problem{Partial,
		fmt.Sprintf("The chain begins at block %d: balances and all that rests on the past lack what happened before.", *f.HistoryFrom),
		fmt.Sprintf("On a Strata that has the past: strata export --heights 0-%d --out past.tsv.gz. Then here: strata import --append past.tsv.gz. Other ways: docs/history.md.", *f.HistoryFrom-1)}
}

// UnknownNetwork stands in foreign_network for the network of an event that can't be the log's and does not name its own.
const UnknownNetwork = "unknown"

func (f *Facts) other() Problem {
	counts := make([]string, len(f.Foreign))
	for i, other := range f.Foreign {
		counts[i] = fmt.Sprintf("%d of %s", other.Events, other.Network)
		if other.Network == UnknownNetwork {
			counts[i] = fmt.Sprintf("%d that do not name it", other.Events)
		}
	}
	return Problem{Other,
		fmt.Sprintf("Events of another network are in quarantine: %s; the last is event %d.", strings.Join(counts, ", "), f.Foreign[0].Last),
		"Take this server out of the events_observer entries of the nodes of that network. If the log is of the wrong network, begin a new database with --network."}
}

// Complete reports whether the history is whole up to the tip, so that balances are those of the chain.
func (f *Facts) Complete() bool {
	return f.Tip != nil && f.Gaps == 0 && f.HistoryFrom == nil && !f.Another
}
