package transparency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/merkle/compact"

	"strata/eventstore"
)

// VerifyConfig configures Verify. The zero value of a field means its default.
type VerifyConfig struct {
	// Keys are the verifier keys that checkpoints may be signed with; default the key that the log's first checkpoint
	// names.
	Keys []string
	// Kept are checkpoints that somebody has kept outside of the database.
	Kept []Kept
	// Workers is the number of goroutines that read and hash; default one per processor.
	Workers int
	// Finding, if set, is called for each fault, one at a time.
	Finding func(Finding)
	// Progress, if set, is called now and then with the number of events checked, the number of all events, and the
	// number of body bytes hashed.
	Progress func(events, of, bytes int64)
}

// Kept is a checkpoint from outside of the database: a signed note, and a name for messages.
type Kept struct {
	Name string
	Note []byte
}

// Values of Finding.Check: what the finding is about.
const (
	CheckEvent      = "event"          // a position without an event, or an event beyond the log's positions
	CheckBody       = "body"           // the bytes of an event
	CheckBodySeq    = "body_seq"       // an event's pointer to the event that holds its bytes
	CheckKnownBody  = "log.body"       // the indexes that find the event with given bytes: log.body and log.small_body
	CheckHead       = "log.head"       // the frontier from when the events were appended
	CheckSubtree    = "log.subtree"    // the stored hashes, from which tiles and proofs are made
	CheckCheckpoint = "log.checkpoint" // a stored checkpoint
	CheckKept       = "kept"           // a checkpoint kept outside
	CheckGuard      = "guard"          // what keeps the log append-only: a trigger, its function, a privilege, a view
)

// Finding is a fault: something in the log differs from what was appended, or from what was signed.
type Finding struct {
	Check string `json:"check"`
	// Seq and Last are the first and the last of the events that the fault is in, or among; Seq is 0 if the finding names
	// no event.
	Seq    int64  `json:"seq,omitempty"`
	Last   int64  `json:"last,omitempty"`
	Detail string `json:"detail"`
}

func (f Finding) String() string {
	switch {
	case f.Seq == 0:
		return f.Check + ": " + f.Detail
	case f.Last <= f.Seq:
		return fmt.Sprintf("event %d: %s: %s", f.Seq, f.Check, f.Detail)
	}
	return fmt.Sprintf("events %d to %d: %s: %s", f.Seq, f.Last, f.Check, f.Detail)
}

// Verified is the summary of what Verify has checked.
type Verified struct {
	// Size is the number of events, and Root the root of the tree over their rows; nil if an event is missing.
	Size int64
	Root []byte
	// Bytes is the number of body bytes hashed.
	Bytes int64
	// Checkpoints and Subtrees are the numbers of stored ones compared. Signed is the size of the largest stored
	// checkpoint that is signed with one of the keys and has the root of the rows.
	Checkpoints, Subtrees, Signed int64
	// Keys are the keys that the signatures were checked with. Given is true if they are from VerifyConfig.Keys.
	Keys  []string
	Given bool
}

// ErrNoKey means that there is no key to check a kept checkpoint with.
var ErrNoKey = errors.New("this log has no signed checkpoint yet, so the key to check with must be given")

// Verify checks the events that the log has when it starts:
//
//   - every event exists, its body has its SHA-256, and a pointer to another event's body leads to the same bytes;
//   - the tree over the leaf records agrees with the log's head, with the stored subtrees, with all stored checkpoints,
//     and with the checkpoints kept outside;
//   - the checkpoints are signed with the right keys;
//   - what keeps the log append-only is in force.
//
// It reports each fault to config.Finding. It returns an error if it could not check everything.
//
// It reads everything and writes nothing. It takes no lock and holds no snapshot, so the log may grow meanwhile. Memory is
// bounded.
func (l *Log) Verify(ctx context.Context, config VerifyConfig) (*Verified, error) {
	v := &verification{db: l.config.Reads, config: config}
	err := v.begin(ctx)
	if err == nil {
		err = v.checkGuards(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("verify the log: %w", err)
	}
	var stop func()
	v.checkpoints.next, stop = iter.Pull2(v.items(ctx))
	defer stop()
	rebuilt, err := Rebuild(ctx, v.leaves(ctx, eventstore.Check(ctx, l.config.Reads, v.size, config.Workers)), RebuildConfig{
		Workers: config.Workers,
		Sizes:   v.sizes(),
		Root:    v.compare,
		Subtree: func(n int64, hash []byte) error { return v.subtrees.add(ctx, v, 1, hash, true) },
	})
	if err == nil {
		err = v.end(ctx, rebuilt)
	}
	if err != nil {
		return nil, fmt.Errorf("verify the log: %w", err)
	}
	return &v.result, nil
}

// verification is a run of Verify.
type verification struct {
	db       database
	config   VerifyConfig
	size     int64
	frontier []byte

	mutex  sync.Mutex // of config.Finding
	result Verified

	rows        rows
	subtrees    subtrees
	checkpoints checkpoints
}

func (v *verification) find(check string, seq, last int64, format string, args ...any) {
	if v.config.Finding == nil {
		return
	}
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.config.Finding(Finding{Check: check, Seq: seq, Last: max(seq, last), Detail: fmt.Sprintf(format, args...)})
}

// begin reads the log's size and what there is to compare the rows with, in one statement and so in one snapshot.
func (v *verification) begin(ctx context.Context) error {
	var first, last int64
	var version int
	err := v.db.QueryRow(ctx, `
		SELECT h.size, h.leaf_version, h.frontier, t.subtrees,
		       coalesce((SELECT min(seq) FROM log.event), 1), coalesce((SELECT max(seq) FROM log.event), 0),
		       coalesce((SELECT max(number) FROM log.checkpoint), 0)
		FROM log.head h, log.tree t`).Scan(&v.size, &version, &v.frontier, &v.subtrees.count, &first, &last, &v.checkpoints.last)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errors.New("log.head and log.tree have one row each, and one of them is gone")
	case err != nil:
		return fmt.Errorf("read the log's head: %w", err)
	case version != eventstore.LeafVersion:
		return fmt.Errorf("the log's leaves have version %d, this program knows version %d: use a newer program", version, eventstore.LeafVersion)
	}
	v.result.Size = v.size
	if first < 1 {
		v.find(CheckEvent, 0, 0, "there is an event %d, but positions start at 1", first)
	}
	if last > v.size {
		v.find(CheckEvent, v.size+1, last, "beyond the log's head, which is at %d", v.size)
	}
	if most := v.size / tileWidth; v.subtrees.count > most {
		v.find(CheckSubtree, 0, 0, "log.tree counts %d, but %d events make %d", v.subtrees.count, v.size, most)
		v.subtrees.count = most
	}
	return v.beginCheckpoints(ctx)
}

// end makes the comparisons that need all rows.
func (v *verification) end(ctx context.Context, rebuilt *Rebuilt) error {
	if err := v.endRows(ctx); err != nil {
		return err
	}
	if err := v.subtrees.end(ctx, v); err != nil {
		return err
	}
	if rebuilt.Size == v.size {
		v.result.Root = rebuilt.Root
		v.compareFrontier(rebuilt.Frontier)
	} else {
		v.find(CheckHead, rebuilt.Size+1, v.size, "not compared with the frontier, nor with what was signed of them, as event %d is missing", rebuilt.Size+1)
	}
	return v.endCheckpoints()
}

// compareFrontier compares the frontier of the rows with that of log.head, subtree by subtree.
func (v *verification) compareFrontier(frontier []byte) {
	if len(v.frontier) != len(frontier) {
		v.find(CheckHead, 0, 0, "the frontier has %d bytes, that of %d events has %d", len(v.frontier), v.size, len(frontier))
		return
	}
	for i, id := range compact.RangeNodes(0, uint64(v.size), nil) {
		at := i * hasher.Size()
		if bytes.Equal(v.frontier[at:at+hasher.Size()], frontier[at:at+hasher.Size()]) {
			continue
		}
		first, last := int64(id.Index<<id.Level)+1, int64((id.Index+1)<<id.Level)
		if last <= v.result.Signed {
			v.find(CheckHead, first, last, "the frontier has another hash than these events, which are those that were signed: the frontier was changed")
			continue
		}
		v.find(CheckHead, max(first, v.result.Signed+1), last, "not the events that were appended: the frontier has another hash than them")
	}
}
