package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// Retire stops the server of dataDir if it runs and no process uses it, which happens if its user was killed. It
// reports whether the cluster is idle now; false means that a process uses it. A dataDir without a cluster is idle.
func Retire(ctx context.Context, dataDir string) (idle bool, err error) {
	link, err := homeLink(dataDir)
	if err != nil {
		return false, err
	}
	dir, err := filepath.EvalSymlinks(link)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("private PostgreSQL: %w", err)
	}
	h := home{dir: dir, account: self()}
	if h.account.uid == 0 {
		uid, gid, err := owner(dir)
		if err != nil {
			return false, fmt.Errorf("private PostgreSQL: %w", err)
		}
		h.account = account{uid: uid, gid: gid, change: true}
	} else if err := h.checkOwner(); err != nil {
		return false, err
	}
	gate, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer gate.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	users, err := h.lock("users")
	if err != nil {
		return false, err
	}
	defer users.Release() //nolint:errcheck // as above
	if idle, err = users.TryExclusive(); !idle || err != nil {
		return false, err
	}
	return true, runner{home: h, log: slog.New(slog.DiscardHandler)}.stop(ctx)
}
