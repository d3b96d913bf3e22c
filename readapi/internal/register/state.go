// Package register reads the register of projections: which versions exist, how far each has come, and which one is
// active. A request reads it in the snapshot of its queries, or uses the state that a background watch keeps up to date.
package register

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/schema"
)

// State is the register as one snapshot of the database has it. It is immutable.
type State struct {
	// Archive identifies the database.
	Archive [16]byte
	// LogSize is the number of events in the log.
	LogSize int64
	// Replica says that the database follows another one, and may lag behind it.
	Replica bool
	// Versions are all versions of all projections, sorted by name and number.
	Versions []*Version
	// Digest is a digest of the versions: it changes whenever anything in the register changes.
	Digest [16]byte

	active    map[string]*Version
	logHeader []string
	schemas   string
}

// Version is one version of a projection.
type Version struct {
	Name       string
	Number     int
	Rules      int // numbers the code that builds it; several versions may have the same
	Active     bool
	Input      string // "log", or the schema whose steps it folds
	State      string
	Failure    *string // the error that stopped it, while State is failed
	Position   int64   // in its input
	LogSeq     int64   // the event of the log that corresponds to Position
	Height     *int64  // of the tip of its rows; nil before the first block
	BurnHeight *int64
	IndexBlock *hash.Hash32
	Block      *hash.Hash32
	// HistoryFrom is the height at which the rows of the projection chain begin, if that is above genesis; nil for a whole history.
	HistoryFrom *int64
	// Epoch distinguishes it from an earlier version with the same name and number.
	Epoch [16]byte

	changedFrom int64
	shards      *pages // nil unless they were read
	header      []string
}

// Schemas returns the concatenated schemas of all active versions. It determines how a query that names projections is
// expanded.
func (s *State) Schemas() string { return s.schemas }

// Active returns the active version of a projection; nil when there is none.
func (s *State) Active(name string) *Version { return s.active[name] }

// Leader returns the version whose steps a version folds; nil for a version that folds the log.
func (s *State) Leader(v *Version) *Version {
	for _, leader := range s.Versions {
		if v.Input == leader.String() {
			return leader
		}
	}
	return nil
}

// Foreign returns the active versions that were built by other code than this program's, so that this program can't answer
// from them: only the code that built rows knows their meaning. rules are this program's rules numbers by projection, and
// readable the earlier ones whose rows its reads understand all the same. Projections that rules does not name are never
// foreign.
func (s *State) Foreign(rules map[string]int, readable map[string][]int) (foreign []*Version) {
	for _, v := range s.Versions {
		if number, ok := rules[v.Name]; ok && v.Active && number != v.Rules && !slices.Contains(readable[v.Name], v.Rules) {
			foreign = append(foreign, v)
		}
	}
	return foreign
}

// Schema returns the schema of the version's tables, quoted for SQL.
func (v *Version) Schema() string { return v.identity().Quoted() }

// String returns the name of the schema of the version's tables, such as ft_v2, as Input of another version names it.
func (v *Version) String() string { return v.identity().String() }

func (v *Version) identity() schema.Schema { return schema.Schema{Name: v.Name, Version: v.Number} }

// Changed returns the position at which a shard last changed, or may have changed. It is known only for the projections
// that were requested when the state was read.
func (v *Version) Changed(shard int32) int64 { return max(v.changedFrom, v.shards.at(shard)) }

// Header returns the value of Strata-Position for an answer that is built from this version's rows: its position in the
// log, and its tip.
func (v *Version) Header() []string { return v.header }

// LogHeader returns the value of Strata-Position for an answer that is built from the log itself.
func (s *State) LogHeader() []string { return s.logHeader }

// LeastAdvanced returns the active version that reflects the fewest events; nil when there is none. If the chain projection
// is active, only it and the versions that fold its steps count: a version of another feed may have had nothing to do for
// long. A follower that has failed does not count either: its own answers name its own position.
func (s *State) LeastAdvanced() (least *Version) {
	chain := s.active["chain"]
	for _, v := range s.Versions {
		counts := chain == nil || v == chain || s.follows(v, chain)
		if v.Active && counts && (least == nil || v.LogSeq < least.LogSeq) {
			least = v
		}
	}
	return least
}

// follows reports whether an active version folds the steps of chain, and goes on with it.
func (s *State) follows(v, chain *Version) bool {
	return v.Active && v.Input == chain.String() && v.State != "failed"
}

// ReachedStep returns the last step of the chain projection that all versions which follow it have folded. Without any it is
// beyond all steps.
func (s *State) ReachedStep() int64 {
	reached := int64(math.MaxInt64)
	if chain := s.active["chain"]; chain != nil {
		for _, v := range s.Versions {
			if s.follows(v, chain) {
				reached = min(reached, v.Position)
			}
		}
	}
	return reached
}

// Reach is how far the projections of the chain are.
type Reach struct {
	Position int64 // of the chain projection
	Step     int64 // that all others have folded
}

// Reach returns how far the projections are; zero without an active chain projection.
func (s *State) Reach() Reach {
	chain := s.active["chain"]
	if chain == nil {
		return Reach{}
	}
	return Reach{chain.Position, s.ReachedStep()}
}

// Covers reports whether no active version is less advanced in s than in another state. Versions that one of them lacks do
// not count.
func (s *State) Covers(other *State) bool {
	for name, v := range other.active {
		if w := s.active[name]; w != nil && w.Epoch == v.Epoch && w.Position < v.Position {
			return false
		}
	}
	return true
}

// versionsSQL reads the versions.
const versionsSQL = `
	SELECT p.name, p.version, coalesce(p.rules, p.version), a.version IS NOT NULL, p.input, p.state, CASE WHEN p.state = 'failed' THEN p.error END,
	       p.position, p.log_seq, p.block_height, p.burn_block_height, p.index_block_hash, p.block_hash, p.history_from, p.epoch,
	       -- a program from before the journal of changes has moved it if this is not its position
	       CASE WHEN p.changes_to = p.position THEN p.changes_from ELSE p.position END
	FROM strata.projection p LEFT JOIN strata.active a USING (name, version)
	WHERE NOT p.scratch
	ORDER BY p.name, p.version`

// archiveSQL reads the part of the state that does not belong to a version.
const archiveSQL = `SELECT a.id, h.size, pg_is_in_recovery() FROM strata.archive a CROSS JOIN log.head h`

// queue adds the queries for the register to a transaction's batch. The state is complete when the batch has run.
func queue(b *pgx.Batch) *State {
	s := &State{}
	b.Queue(versionsSQL).Query(s.scan)
	b.Queue(archiveSQL).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&s.Archive, &s.LogSize, &s.Replica)
		s.sized()
		return err
	})
	return s
}

func (s *State) scan(rows pgx.Rows) error {
	for rows.Next() {
		v := &Version{}
		err := rows.Scan(&v.Name, &v.Number, &v.Rules, &v.Active, &v.Input, &v.State, &v.Failure,
			&v.Position, &v.LogSeq, &v.Height, &v.BurnHeight, &v.IndexBlock, &v.Block, &v.HistoryFrom, &v.Epoch, &v.changedFrom)
		if err != nil {
			return err
		}
		v.header = []string{v.describe()}
		s.Versions = append(s.Versions, v)
	}
	s.complete()
	return rows.Err()
}

// complete derives what follows from the versions.
func (s *State) complete() {
	s.active, s.schemas = make(map[string]*Version, 16), ""
	for _, v := range s.Versions {
		if v.Active {
			s.active[v.Name] = v
			s.schemas += v.Schema()
		}
	}
	s.digest()
}

// digest sets Digest. The epoch of a version implies its name and number, and its position the other columns.
func (s *State) digest() {
	text := make([]byte, 0, 64*len(s.Versions))
	for _, v := range s.Versions {
		text = append(text, v.Epoch[:]...)
		text = binary.BigEndian.AppendUint64(text, uint64(v.Position))
		text = binary.BigEndian.AppendUint64(text, uint64(v.Rules))
		text = strconv.AppendBool(text, v.Active)
		text = strconv.AppendQuote(text, v.State)
		if v.Failure != nil {
			text = strconv.AppendQuote(text, *v.Failure)
		}
	}
	sum := sha256.Sum256(text)
	copy(s.Digest[:], sum[:])
}

// describe returns the version's position and tip in the form of Strata-Position.
func (v *Version) describe() string {
	position := "log=" + strconv.FormatInt(v.LogSeq, 10)
	if v.Height != nil && v.IndexBlock != nil {
		position += "; height=" + strconv.FormatInt(*v.Height, 10) + "; index_block_hash=" + v.IndexBlock.String()
	}
	return position
}
