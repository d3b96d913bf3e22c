// Package filelock locks files with flock. The kernel releases such a lock when its process ends, even if it is killed.
// Child processes do not inherit the lock, because the descriptor is close-on-exec.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// poll is the interval at which a waiting caller tries again.
const poll = 10 * time.Millisecond

// Lock is an open lock file. Two Locks on one file exclude each other even within one process.
type Lock struct{ file *os.File }

// Open opens the lock file, and creates it with mode 0600 if it is missing. It does not lock the file.
func Open(path string) (*Lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	return &Lock{file: file}, nil
}

// TryExclusive locks the file exclusively, if nobody else has locked it. It turns a shared lock into an exclusive one;
// if that fails, the shared lock may be lost, too.
func (l *Lock) TryExclusive() (bool, error) { return l.try(syscall.LOCK_EX) }

// Exclusive waits until TryExclusive succeeds. The error is that of ctx, or the system's.
func (l *Lock) Exclusive(ctx context.Context) error { return l.wait(ctx, syscall.LOCK_EX) }

// Shared waits until no other holder has an exclusive lock, and locks the file together with other shared holders. It
// turns an exclusive lock into a shared one. The error is that of ctx, or the system's.
func (l *Lock) Shared(ctx context.Context) error { return l.wait(ctx, syscall.LOCK_SH) }

// Release releases the lock and closes the file, but does not remove it. The Lock cannot be used afterwards.
func (l *Lock) Release() error { return l.file.Close() }

func (l *Lock) try(how int) (bool, error) {
	for {
		err := syscall.Flock(int(l.file.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, fmt.Errorf("lock %s: %w", l.file.Name(), err)
		}
	}
}

func (l *Lock) wait(ctx context.Context, how int) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		if ok, err := l.try(how); ok || err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("lock %s, which another process holds: %w", l.file.Name(), context.Cause(ctx))
		}
	}
}
