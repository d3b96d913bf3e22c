package transparency

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"
)

// Cosign takes a checkpoint of this log with cosignatures of witnesses (https://c2sp.org/tlog-cosignature). It checks and
// stores the cosignatures of configured witnesses and ignores all others. It returns the size of the checkpoint and the
// names of these witnesses. It returns a RefusalError if this log did not sign the checkpoint, if a signature is wrong,
// or if no signature is from a configured witness.
func (l *Log) Cosign(ctx context.Context, text []byte) (size int64, witnesses []string, err error) {
	signed, err := sumdb.Open(text, sumdb.VerifierList(l.witnesses...))
	var (
		unknown *sumdb.UnverifiedNoteError
		wrong   *sumdb.InvalidSignatureError
	)
	switch {
	case errors.As(err, &unknown):
		return 0, nil, refused("no signature is of a witness that is known here")
	case errors.As(err, &wrong):
		return 0, nil, refused("the signature of %s is wrong", wrong.Name)
	case err != nil:
		return 0, nil, refused("not a signed note: %s", err)
	}
	body, err := parseBody(signed.Text)
	if err != nil {
		return 0, nil, refused("%s", err)
	}
	size = int64(body.Size)
	c, err := l.signedAs(ctx, size, signed.Text)
	if err != nil {
		return 0, nil, err
	}
	var b pgx.Batch
	for _, s := range signed.Sigs {
		at, err := note.CoSigV1Timestamp(s)
		if err != nil {
			return 0, nil, refused("the signature of %s has no time: %s", s.Name, err)
		}
		b.Queue(`INSERT INTO log.cosignature (number, key_hash, cosigned_at, witness, line) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			c.Number, int64(s.Hash), at, s.Name, "— "+s.Name+" "+s.Base64+"\n")
		witnesses = append(witnesses, s.Name)
	}
	if err := l.config.Pool.SendBatch(ctx, &b).Close(); err != nil {
		return 0, nil, fmt.Errorf("store cosignatures of the checkpoint of %d events: %w", size, err)
	}
	return size, witnesses, nil
}

// signedAs returns the stored checkpoint with the given text.
func (l *Log) signedAs(ctx context.Context, size int64, text string) (*Checkpoint, error) {
	rows, _ := l.config.Pool.Query(ctx, checkpointColumns+`WHERE size = $1 ORDER BY number DESC`, size)
	found, err := pgx.CollectRows(rows, scanCheckpoint)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints of %d events: %w", size, err)
	}
	for _, c := range found {
		if strings.HasPrefix(c.Note, text+"\n") {
			return c, nil
		}
	}
	return nil, missing("this checkpoint of %d events was not signed here", size)
}
