// Package register reads which projections there are, how far each has come and which version of each is active: once
// per request in the snapshot of its queries, and all the time in the background, so that a request may know without
// asking.
package register

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/schema"
)

// State is the register as one snapshot of the database has it. It does not change.
type State struct {
	// Archive tells this database from all others.
	Archive [16]byte
	// LogSize is how many events the log has.
	LogSize int64
	// Versions are all of all projections, by name and number.
	Versions []*Version
	// Digest is of all of the above but the log's size: what changes when anything is changed in the register.
	Digest [16]byte

	active    map[string]*Version
	logHeader []string
	schemas   string
}

// Version is one version of a projection.
type Version struct {
	Name       string
	Number     int
	Rules      int // the number of the code that builds it, of which there may be several numbers
	Active     bool
	Input      string // "log", or the schema whose steps it folds
	State      string
	Failure    *string // what stopped it, while State is failed
	Position   int64   // in its input
	LogSeq     int64   // the event of the log that Position stands for
	Height     *int64  // tip of its rows; nil before the first block
	BurnHeight *int64
	IndexBlock *hash.Hash32
	Block      *hash.Hash32
	// Epoch tells it from an earlier version of the same name and number.
	Epoch [16]byte

	changedFrom int64
	changed     func(shard int32) int64
	header      []string
}

// Schemas names the schemas of all active versions: what a query that names projections comes to follows from it.
func (s *State) Schemas() string { return s.schemas }

// Active is the active version of a projection; nil when there is none.
func (s *State) Active(name string) *Version { return s.active[name] }

// Leader is the version whose steps a version folds; nil for one that folds the log.
func (s *State) Leader(v *Version) *Version {
	for _, leader := range s.Versions {
		if v.Input == leader.schema() {
			return leader
		}
	}
	return nil
}

// Foreign are the active versions that other code has built than that whose rules have these numbers, by the names of
// projections: what their rows mean, only that code knows, so that nothing can be answered from them. Projections without a
// number here don't count.
func (s *State) Foreign(rules map[string]int) (foreign []*Version) {
	for _, v := range s.Versions {
		if number, ok := rules[v.Name]; ok && v.Active && number != v.Rules {
			foreign = append(foreign, v)
		}
	}
	return foreign
}

// Schema returns the schema of its tables, quoted for SQL.
func (v *Version) Schema() string { return v.identity().Quoted() }

// schema returns the schema of its tables, as Input of another version names it.
func (v *Version) schema() string { return v.identity().String() }

func (v *Version) identity() schema.Schema { return schema.Schema{Name: v.Name, Version: v.Number} }

// Changed is the position at which something last changed, or may have, in a shard. It is known for the shards that
// were asked for when the state was read.
func (v *Version) Changed(shard int32) int64 { return max(v.changedFrom, v.changed(shard)) }

// Header is the value of Strata-Position for an answer of this version's rows: where it stands, and its tip.
func (v *Version) Header() []string { return v.header }

// LogHeader is the value of Strata-Position for an answer of rows of the log itself.
func (s *State) LogHeader() []string { return s.logHeader }

// LeastAdvanced is the active version that reflects least of the log, of those that fold the chain if there are any: what
// folds another feed may have had nothing to do for long. Nil when there is none.
func (s *State) LeastAdvanced() (least *Version) {
	chain := s.active["chain"]
	for _, v := range s.Versions {
		ofChain := chain == nil || v == chain || v.Input == chain.schema()
		if v.Active && ofChain && (least == nil || v.LogSeq < least.LogSeq) {
			least = v
		}
	}
	return least
}

// versionsSQL reads the versions.
const versionsSQL = `
	SELECT p.name, p.version, coalesce(p.rules, p.version), a.version IS NOT NULL, p.input, p.state, CASE WHEN p.state = 'failed' THEN p.error END,
	       p.position, p.log_seq, p.block_height, p.burn_block_height, p.index_block_hash, p.block_hash, p.epoch, p.shards_from
	FROM strata.projection p LEFT JOIN strata.active a USING (name, version)
	WHERE NOT p.scratch
	ORDER BY p.name, p.version`

// archiveSQL reads what is not of a version.
const archiveSQL = `SELECT a.id, h.size FROM strata.archive a CROSS JOIN log.head h`

// queue adds the queries to the batch of a transaction. The state is complete when the batch has run.
func queue(b *pgx.Batch) *State {
	s := &State{active: make(map[string]*Version, 8)}
	b.Queue(versionsSQL).Query(s.scan)
	b.Queue(archiveSQL).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&s.Archive, &s.LogSize)
		s.logHeader = []string{"log=" + strconv.FormatInt(s.LogSize, 10)}
		return err
	})
	return s
}

func (s *State) scan(rows pgx.Rows) error {
	digest := sha256.New()
	for rows.Next() {
		v := &Version{changed: neverChanged}
		err := rows.Scan(&v.Name, &v.Number, &v.Rules, &v.Active, &v.Input, &v.State, &v.Failure,
			&v.Position, &v.LogSeq, &v.Height, &v.BurnHeight, &v.IndexBlock, &v.Block, &v.Epoch, &v.changedFrom)
		if err != nil {
			return err
		}
		v.header = []string{v.describe()}
		s.Versions = append(s.Versions, v)
		if v.Active {
			s.active[v.Name] = v
			s.schemas += v.Schema()
		}
		// The epoch is one name's and number's. What else there is follows from the position.
		failure := ""
		if v.Failure != nil {
			failure = *v.Failure
		}
		_, _ = fmt.Fprintf(digest, "%d %t %q %q %s", v.Rules, v.Active, v.State, failure, binary.BigEndian.AppendUint64(v.Epoch[:], uint64(v.Position)))
	}
	copy(s.Digest[:], digest.Sum(nil))
	return rows.Err()
}

func (v *Version) describe() string {
	position := "log=" + strconv.FormatInt(v.LogSeq, 10)
	if v.Height != nil && v.IndexBlock != nil {
		position += "; height=" + strconv.FormatInt(*v.Height, 10) + "; index_block_hash=" + v.IndexBlock.String()
	}
	return position
}

func neverChanged(int32) int64 { return 0 }
