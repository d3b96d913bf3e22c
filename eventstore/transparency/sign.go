package transparency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	formats "github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/internal/locks"
)

// Sign writes the missing subtrees, checks them against the log's head, and signs a checkpoint if it has a key and the
// log has changed. It reports whether it signed. If the log contradicts an earlier promise, it does not sign and returns
// ErrRollback, ErrMismatch or ErrOtherKey.
func (l *Log) Sign(ctx context.Context) (signed bool, err error) {
	signed, err = l.sign(ctx)
	l.metrics.attempt(ctx, signed, err)
	switch {
	case err == nil:
		l.trouble.Store(nil)
	case isPermanent(err):
		l.trouble.Store(&err)
	}
	l.metrics.blocked(l.trouble.Load() != nil)
	return signed, err
}

// isPermanent reports whether an attempt to sign failed for a reason that does not pass by itself.
func isPermanent(err error) bool {
	return errors.Is(err, ErrRollback) || errors.Is(err, ErrMismatch) && !errors.Is(err, errUnverified) || errors.Is(err, ErrOtherKey)
}

// Notice returns why this process can't sign checkpoints, if it tries to and the reason does not pass by itself; else an empty
// text.
func (l *Log) Notice() string {
	err := l.trouble.Load()
	switch {
	case err == nil:
		return ""
	case errors.Is(*err, ErrOtherKey):
		return "This process can't sign checkpoints of the log if the process that does now ends: it has another key. Give it the same key with --log-key; see docs/auditing.md."
	}
	return "This process signs no checkpoints: " + (*err).Error() + ". Find the reason with strata verify; see docs/auditing.md."
}

func (l *Log) sign(ctx context.Context) (signed bool, err error) {
	h, err := readHead(ctx, l.config.Pool)
	if err != nil {
		return false, err
	}
	done, err := l.upToDate(ctx, h)
	if done || err != nil {
		return false, err
	}
	if err := l.follow(ctx, h.size); err != nil {
		return false, err
	}
	var checkpoint *Checkpoint
	err = locks.Hold(ctx, l.config.Pool, l.config.Patience, func(tx pgx.Tx) error {
		checkpoint, err = l.signIn(ctx, tx, h)
		return err
	})
	switch {
	case errors.Is(err, errUnverified):
		// The next attempt computes the subtrees again, to find out whether the rows are wrong, or only the subtrees.
		if forgetErr := l.forget(ctx); forgetErr != nil {
			err = errors.Join(err, forgetErr)
		}
		return false, err
	case err != nil:
		return false, err
	case checkpoint == nil:
		return false, nil
	}
	l.metrics.newest(checkpoint)
	l.config.Logger.LogAttrs(ctx, slog.LevelDebug, "signed a checkpoint", slog.Int64("size", checkpoint.Size))
	if err := l.remember(checkpoint); err != nil {
		return true, fmt.Errorf("remember the checkpoint of %d events: %w", checkpoint.Size, err)
	}
	return true, nil
}

// upToDate reports whether an earlier attempt has done everything for this head.
func (l *Log) upToDate(ctx context.Context, h *head) (bool, error) {
	if h.size == 0 {
		return true, l.neverSigned(ctx)
	}
	if l.config.Key == nil {
		var verified int64
		err := l.config.Pool.QueryRow(ctx, `SELECT verified FROM log.tree`).Scan(&verified)
		if err != nil {
			return false, fmt.Errorf("read how many subtrees are verified: %w", err)
		}
		return verified == h.size/tileWidth, nil
	}
	last, err := newest(ctx, l.config.Pool)
	if err != nil || last == nil {
		return false, err
	}
	l.metrics.newest(last)
	root, err := h.root()
	return last.Size == h.size && bytes.Equal(last.Root, root) && last.VerifierKey == l.config.Key.VerifierKey(), err
}

// neverSigned returns ErrRollback if events of a log that was found empty have been signed, and it still is empty: the
// first ones may have been appended and signed in between.
func (l *Log) neverSigned(ctx context.Context) error {
	last, err := newest(ctx, l.config.Pool)
	if err != nil || last == nil {
		return err
	}
	now, err := readHead(ctx, l.config.Pool)
	if err == nil && now.size == 0 {
		err = fmt.Errorf("%w: it is empty, and %d events were signed", ErrRollback, last.Size)
	}
	return err
}

// errUnverified accompanies ErrMismatch if the subtrees involved include some that were never verified.
var errUnverified = errors.New("the subtrees are computed again")

// signIn checks and signs in a transaction that holds the signers' lock. It returns nil if there is nothing to sign.
func (l *Log) signIn(ctx context.Context, tx pgx.Tx, h *head) (*Checkpoint, error) {
	var subtrees, verified int64
	if err := tx.QueryRow(ctx, `SELECT subtrees, verified FROM log.tree FOR UPDATE`).Scan(&subtrees, &verified); err != nil {
		return nil, fmt.Errorf("wait for others who sign: %w", err)
	}
	if subtrees < h.size/tileWidth {
		return nil, nil // another process has found them wrong meanwhile, and computes them again
	}
	last, err := newest(ctx, tx)
	if err != nil {
		return nil, err
	}
	if last != nil {
		now, err := readHead(ctx, tx)
		if err != nil {
			return nil, err
		}
		if now.size < last.Size {
			return nil, fmt.Errorf("%w: it has %d events, and %d were signed", ErrRollback, now.size, last.Size)
		}
		if h.size < last.Size {
			return nil, nil // another process has signed more meanwhile
		}
	}
	if err := l.verify(ctx, tx, h); err != nil {
		if errors.Is(err, ErrMismatch) && verified < subtrees {
			err = fmt.Errorf("%w; %w", err, errUnverified)
		}
		return nil, err
	}
	if _, err := tx.Exec(ctx, `UPDATE log.tree SET verified = $1 WHERE verified < $1`, h.size/tileWidth); err != nil {
		return nil, fmt.Errorf("note that %d events are verified: %w", h.size, err)
	}
	if l.config.Key == nil {
		return nil, nil
	}
	return l.extend(ctx, tx, h, last)
}

// verify checks that the stored subtrees and the rows after them have the frontier of h.
func (l *Log) verify(ctx context.Context, db database, h *head) error {
	frontier, err := frontierOf(ctx, db, h.size)
	if err != nil {
		return err
	}
	if !bytes.Equal(bytes.Join(frontier, nil), h.frontier) {
		return fmt.Errorf("%w: among the first %d", ErrMismatch, h.size)
	}
	return nil
}

// extend signs h and stores the checkpoint, if h extends all earlier checkpoints.
func (l *Log) extend(ctx context.Context, tx pgx.Tx, h *head, last *Checkpoint) (*Checkpoint, error) {
	key := l.config.Key
	root, err := h.root()
	if err != nil {
		return nil, err
	}
	next := &Checkpoint{Number: 1, Size: h.size, Root: root, VerifierKey: key.VerifierKey()}
	if last != nil {
		if last.VerifierKey != next.VerifierKey && !l.config.TakeOver {
			return nil, fmt.Errorf("%w: the newest is of %s, the key here is %s; give the key that signed, or choose this one by naming its file (--log-key)",
				ErrOtherKey, last.VerifierKey, next.VerifierKey)
		}
		if err := extends(ctx, tx, last, next); err != nil {
			return nil, err
		}
		if last.Size == next.Size && last.VerifierKey == next.VerifierKey {
			return nil, nil
		}
		next.Number = last.Number + 1
	}
	remembered, err := l.remembered()
	if err != nil {
		return nil, err
	}
	if remembered != nil {
		if err := extends(ctx, tx, remembered, next); err != nil {
			return nil, fmt.Errorf("%w (%s remembers what this key has signed: the database was restored from a backup, or is another one; "+
				"bring the lost events back, or begin a new log with a new key and origin)", err, l.config.MemoryFile)
		}
	}
	text := formats.Checkpoint{Origin: key.Origin(), Size: uint64(next.Size), Hash: next.Root}.Marshal()
	note, err := sumdb.Sign(&sumdb.Note{Text: string(text)}, key.signer)
	if err != nil {
		return nil, fmt.Errorf("sign the checkpoint of %d events: %w", next.Size, err)
	}
	next.Note = string(note)
	err = tx.QueryRow(ctx, `INSERT INTO log.checkpoint (number, size, root, verifier_key, note) VALUES ($1, $2, $3, $4, $5) RETURNING signed_at`,
		next.Number, next.Size, next.Root, next.VerifierKey, next.Note).Scan(&next.SignedAt)
	if err != nil {
		return nil, fmt.Errorf("store the checkpoint of %d events: %w", next.Size, err)
	}
	return next, nil
}

// extends checks with a consistency proof, as a client would, that the later checkpoint extends the earlier one.
func extends(ctx context.Context, db database, earlier, later *Checkpoint) error {
	if later.Size < earlier.Size {
		return fmt.Errorf("%w: it has %d events, and %d were signed", ErrRollback, later.Size, earlier.Size)
	}
	hashes, err := consistencyProof(ctx, db, earlier.Size, later.Size)
	if err != nil {
		return err
	}
	if err := proof.VerifyConsistency(hasher, uint64(earlier.Size), uint64(later.Size), hashes, earlier.Root, later.Root); err != nil {
		return fmt.Errorf("%w: the first %d events are not those that were signed (%w)", ErrRollback, earlier.Size, err)
	}
	return nil
}
