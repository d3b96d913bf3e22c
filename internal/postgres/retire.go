package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// Retire stops the cluster of dataDir if a server runs there that no process uses, as a killed process leaves it.
// It says if the cluster is idle now: false means that somebody uses it. A dataDir without a cluster is idle.
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
	defer gate.Release() //nolint:errcheck // closing gives the lock back whatever it returns
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
