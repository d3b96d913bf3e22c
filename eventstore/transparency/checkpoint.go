package transparency

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	formats "github.com/transparency-dev/formats/log"
)

// Checkpoint is a signed statement of the log's size and Merkle root (https://c2sp.org/tlog-checkpoint).
type Checkpoint struct {
	// Number counts the checkpoints of the log from 1; 0 for a checkpoint that is not from the database.
	Number int64
	// Size is the number of events. It covers the events with seq 1 to Size.
	Size int64
	// Root is the Merkle root over these events.
	Root []byte
	// VerifierKey belongs to the key that signed the checkpoint.
	VerifierKey string
	// SignedAt is the time of signing; zero for a checkpoint that is not from the database.
	SignedAt time.Time
	// Note is the signed note, without cosignatures.
	Note string
}

// ErrNotSigned means that a note has no signature by the given key.
var ErrNotSigned = errors.New("it is not signed with this key")

// ParseCheckpoint parses a signed note and checks that the key signed it. It ignores other signatures.
func ParseCheckpoint(text []byte, verifierKey string) (*Checkpoint, error) {
	signed, err := OpenNote(text, verifierKey)
	if err != nil {
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	body, err := parseBody(signed)
	if err != nil {
		return nil, err
	}
	if origin, _, _ := strings.Cut(verifierKey, "+"); body.Origin != origin {
		return nil, fmt.Errorf("read a checkpoint: its origin is %q, that of its key %q", body.Origin, origin)
	}
	return &Checkpoint{Size: int64(body.Size), Root: body.Hash, VerifierKey: verifierKey, Note: string(text)}, nil
}

// parseBody parses the text that is signed.
func parseBody(text string) (body formats.Checkpoint, err error) {
	rest, err := body.Unmarshal([]byte(text))
	switch {
	case err != nil:
		return body, fmt.Errorf("read a checkpoint: %w", err)
	case len(rest) > 0:
		return body, fmt.Errorf("read a checkpoint: %d bytes after the root, want none", len(rest))
	case len(body.Hash) != hasher.Size() || body.Size > math.MaxInt64:
		return body, fmt.Errorf("read a checkpoint: a root of %d bytes over %d events", len(body.Hash), body.Size)
	}
	return body, nil
}

const checkpointColumns = `SELECT number, size, root, verifier_key, signed_at, note FROM log.checkpoint `

func scanCheckpoint(row pgx.CollectableRow) (*Checkpoint, error) {
	var c Checkpoint
	err := row.Scan(&c.Number, &c.Size, &c.Root, &c.VerifierKey, &c.SignedAt, &c.Note)
	return &c, err
}

// queryCheckpoint returns the first checkpoint of a query; nil if there is none.
func queryCheckpoint(ctx context.Context, db database, where string, args ...any) (*Checkpoint, error) {
	rows, _ := db.Query(ctx, checkpointColumns+where, args...)
	c, err := pgx.CollectOneRow(rows, scanCheckpoint)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	return c, nil
}

// newest returns the newest checkpoint; nil if there is none.
func newest(ctx context.Context, db database) (*Checkpoint, error) {
	return queryCheckpoint(ctx, db, `ORDER BY number DESC LIMIT 1`)
}

// ofSize returns the newest checkpoint with the given size; nil if there is none.
func ofSize(ctx context.Context, db database, size int64) (*Checkpoint, error) {
	return queryCheckpoint(ctx, db, `WHERE size = $1 ORDER BY number DESC LIMIT 1`, size)
}

// Checkpoint returns the checkpoint with the given size, or the newest for size 0, as a signed note with its
// cosignatures. It returns a RefusalError if there is none.
func (l *Log) Checkpoint(ctx context.Context, size int64) ([]byte, error) {
	c, err := newest(ctx, l.config.Reads)
	if size != 0 && err == nil {
		c, err = ofSize(ctx, l.config.Reads, size)
	}
	switch {
	case err != nil:
		return nil, err
	case c == nil && size != 0:
		return nil, missing("no checkpoint of %d events was signed", size)
	case c == nil:
		return nil, errNoCheckpoint
	}
	return l.withCosignatures(ctx, c)
}

// Root returns the Merkle root over the first size events, of which all but the last few must have been covered by a checkpoint.
func (l *Log) Root(ctx context.Context, size int64) ([]byte, error) {
	return rootOf(ctx, l.config.Reads, size)
}

var errNoCheckpoint = missing("no checkpoint was signed yet")

// withCosignatures returns the note of a checkpoint with the newest cosignature of each witness.
func (l *Log) withCosignatures(ctx context.Context, c *Checkpoint) ([]byte, error) {
	rows, _ := l.config.Reads.Query(ctx, `
		SELECT DISTINCT ON (witness, key_hash) line FROM log.cosignature
		WHERE number = $1 ORDER BY witness, key_hash, cosigned_at DESC`, c.Number)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read the cosignatures of %d events: %w", c.Size, err)
	}
	return []byte(c.Note + strings.Join(lines, "")), nil
}

// VerifierKey returns the key to check checkpoints with: that of the newest checkpoint, or this process's key if there
// is no checkpoint yet. It returns a RefusalError if there is neither.
func (l *Log) VerifierKey(ctx context.Context) (string, error) {
	c, err := newest(ctx, l.config.Reads)
	switch {
	case err != nil:
		return "", err
	case c != nil:
		return c.VerifierKey, nil
	case l.config.Key != nil:
		return l.config.Key.VerifierKey(), nil
	}
	return "", errNoCheckpoint
}

// Checkpoints yields all checkpoints in the order of signing. The sequence ends with the first error.
func (l *Log) Checkpoints(ctx context.Context) iter.Seq2[*Checkpoint, error] {
	const page = 1000
	return func(yield func(*Checkpoint, error) bool) {
		for after := int64(0); ; {
			rows, _ := l.config.Reads.Query(ctx, checkpointColumns+`WHERE number > $1 ORDER BY number LIMIT $2`, after, page)
			checkpoints, err := pgx.CollectRows(rows, scanCheckpoint)
			if err != nil {
				yield(nil, fmt.Errorf("read checkpoints after %d: %w", after, err))
				return
			}
			for _, c := range checkpoints {
				if !yield(c, nil) {
					return
				}
				after = c.Number
			}
			if len(checkpoints) < page {
				return
			}
		}
	}
}
