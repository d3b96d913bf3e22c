// Package filelock is a flock on a file: a lock between processes that the kernel gives back when its holder ends,
// however it ends. Child processes do not inherit it (the descriptor is close-on-exec).
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// poll is how often a lock that is held elsewhere is tried again.
const poll = 10 * time.Millisecond

// Lock is an open lock file. Two Locks on one file exclude each other even within a process.
type Lock struct{ file *os.File }

// Open opens the lock file, making it (mode 0600) where it is missing. No lock is held yet.
func Open(path string) (*Lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	return &Lock{file: file}, nil
}

// TryExclusive takes the lock for this holder alone, if nobody else holds it. A Lock that was shared is exclusive
// afterwards; where that fails it may have lost the shared lock, too.
func (l *Lock) TryExclusive() (bool, error) { return l.try(syscall.LOCK_EX) }

// Exclusive waits until TryExclusive succeeds. The error is that of ctx, or the system's.
func (l *Lock) Exclusive(ctx context.Context) error { return l.wait(ctx, syscall.LOCK_EX) }

// Shared waits for the lock beside any number of other shared holders. A Lock that was exclusive is shared
// afterwards. The error is that of ctx, or the system's.
func (l *Lock) Shared(ctx context.Context) error { return l.wait(ctx, syscall.LOCK_SH) }

// Release gives the lock back and closes the file, which stays. The Lock is of no further use.
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
			return fmt.Errorf("lock %s, which another holds: %w", l.file.Name(), context.Cause(ctx))
		}
	}
}
