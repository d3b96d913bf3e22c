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
	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"
)

// Checkpoint is a signed statement of how long the log is and which root it has (https://c2sp.org/tlog-checkpoint).
type Checkpoint struct {
	// Number is 1 for the first that was signed; 0 for one that is not from the database.
	Number int64
	// Size is the number of events: those with seq 1 to Size.
	Size int64
	// Root of the tree over them.
	Root []byte
	// VerifierKey of the key that signed it.
	VerifierKey string
	// SignedAt is when; zero for one that is not from the database.
	SignedAt time.Time
	// Note is the signed note, without cosignatures.
	Note string
}

// errNotSigned says that a note has no signature of a key.
var errNotSigned = errors.New("the checkpoint is not signed with this key")

// ParseCheckpoint reads a checkpoint from wherever it was kept, and checks that the key signed it. Other signatures don't
// count.
func ParseCheckpoint(text []byte, verifierKey string) (*Checkpoint, error) {
	verifier, err := note.NewVerifier(verifierKey)
	if err != nil {
		return nil, fmt.Errorf("verifier key %q: %w", verifierKey, err)
	}
	signed, err := sumdb.Open(text, sumdb.VerifierList(verifier))
	var unverified *sumdb.UnverifiedNoteError
	switch {
	case errors.As(err, &unverified):
		return nil, errNotSigned
	case err != nil:
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	body, err := parseBody(signed.Text)
	if err != nil {
		return nil, err
	}
	if body.Origin != verifier.Name() {
		return nil, fmt.Errorf("read a checkpoint: it is of %q, its key of %q", body.Origin, verifier.Name())
	}
	return &Checkpoint{Size: int64(body.Size), Root: body.Hash, VerifierKey: verifierKey, Note: string(text)}, nil
}

// parseBody reads what is signed.
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

// queryCheckpoint is the checkpoint that a query has; nil for none.
func queryCheckpoint(ctx context.Context, db database, where string, args ...any) (*Checkpoint, error) {
	rows, err := db.Query(ctx, checkpointColumns+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	c, err := pgx.CollectOneRow(rows, scanCheckpoint)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	return c, nil
}

// newest is the checkpoint that was signed last; nil for none.
func newest(ctx context.Context, db database) (*Checkpoint, error) {
	return queryCheckpoint(ctx, db, `ORDER BY number DESC LIMIT 1`)
}

// ofSize is the newest checkpoint with a size; nil for none.
func ofSize(ctx context.Context, db database, size int64) (*Checkpoint, error) {
	return queryCheckpoint(ctx, db, `WHERE size = $1 ORDER BY number DESC LIMIT 1`, size)
}

// Checkpoint is the checkpoint of a size with the cosignatures that there are of it, as a signed note; of size 0 the
// newest. It is a RefusalError when there is none.
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

var errNoCheckpoint = missing("no checkpoint was signed yet")

// withCosignatures adds the newest cosignature of each witness to a checkpoint.
func (l *Log) withCosignatures(ctx context.Context, c *Checkpoint) ([]byte, error) {
	rows, err := l.config.Reads.Query(ctx, `
		SELECT DISTINCT ON (witness, key_hash) line FROM log.cosignature
		WHERE number = $1 ORDER BY witness, key_hash, cosigned_at DESC`, c.Number)
	if err != nil {
		return nil, fmt.Errorf("read the cosignatures of %d events: %w", c.Size, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read the cosignatures of %d events: %w", c.Size, err)
	}
	return []byte(c.Note + strings.Join(lines, "")), nil
}

// VerifierKey is the key to check checkpoints with: that of the newest, or of this process if there is none yet. It is a
// RefusalError when there is neither.
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

// Checkpoints are all that were ever signed, in the order of signing. An error is the last thing that it gives.
func (l *Log) Checkpoints(ctx context.Context) iter.Seq2[*Checkpoint, error] {
	const page = 1000
	return func(yield func(*Checkpoint, error) bool) {
		for after := int64(0); ; {
			rows, err := l.config.Reads.Query(ctx, checkpointColumns+`WHERE number > $1 ORDER BY number LIMIT $2`, after, page)
			if err != nil {
				yield(nil, fmt.Errorf("read checkpoints after %d: %w", after, err))
				return
			}
			found, err := pgx.CollectRows(rows, scanCheckpoint)
			if err != nil {
				yield(nil, fmt.Errorf("read checkpoints after %d: %w", after, err))
				return
			}
			for _, c := range found {
				if !yield(c, nil) {
					return
				}
				after = c.Number
			}
			if len(found) < page {
				return
			}
		}
	}
}
