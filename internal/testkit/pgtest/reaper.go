package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"strata/internal/postgres"
	"strata/internal/postgres/filelock"
)

const (
	// reaperEnv turns a test binary into the reaper of the folder it names.
	reaperEnv = "STRATA_PGTEST_REAPER"
	// round is how often the reaper looks.
	round = 500 * time.Millisecond
	// linger is how long the shared cluster outlives its last user: long enough to last from one package's tests
	// to the next.
	linger = 10 * time.Second
	// stopTimeout bounds the stop of one cluster.
	stopTimeout = 30 * time.Second
)

// init runs before any test does, and in the reaper instead of all of them.
func init() {
	if path := os.Getenv(reaperEnv); path != "" {
		reap(folder(path))
		os.Exit(0)
	}
}

// startReaper starts a reaper if none runs. The registry is held, so that the last round of one that is about to
// end has either seen our lock or is over.
func (f folder) startReaper() error {
	lock, err := filelock.Open(f.path("reaper"))
	if err != nil {
		return err
	}
	defer lock.Release() //nolint:errcheck // closing gives the lock back whatever it returns
	if free, err := lock.TryExclusive(); err != nil || !free {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start the reaper of the test databases: %w", err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"strata-pgtest-reaper"}
	cmd.Env = append(os.Environ(), reaperEnv+"="+string(f))
	cmd.Dir = string(f)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is not for it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the reaper of the test databases: %w", err)
	}
	go cmd.Wait() //nolint:errcheck // it has nothing to say; this only collects it if it ends before us
	return nil
}

// reap makes rounds until nothing is left to watch. It has nobody to tell its errors to: what it can't clean up
// now, the reaper of a later run will try again.
func reap(f folder) {
	lock, err := filelock.Open(f.path("reaper"))
	if err != nil {
		return
	}
	// Not at once: the process that started us still looks through its own descriptor.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if lock.Exclusive(ctx) != nil {
		return // another one runs
	}
	idle := map[string]time.Time{} // since when each shared cluster has had no user
	for f.round(lock, idle) {
		time.Sleep(round)
	}
}

// round looks at every cluster once and says if there is anything left to watch. If not, it has released the
// reaper's lock before anybody could enter.
func (f folder) round(reaper *filelock.Lock, idle map[string]time.Time) bool {
	registry, err := filelock.Open(f.path("registry"))
	if err != nil {
		return false // the folder is gone
	}
	defer registry.Release() //nolint:errcheck // closing gives the lock back whatever it returns
	if err := registry.Exclusive(context.Background()); err != nil {
		return false
	}
	locks, err := filepath.Glob(f.path("*" + lockSuffix))
	if err != nil {
		return false
	}
	watch := false
	for _, path := range locks {
		if f.look(path, idle) {
			watch = true
		}
	}
	if !watch {
		reaper.Release() //nolint:errcheck // closing gives the lock back whatever it returns
	}
	return watch
}

// look cleans up after one cluster if it has no user, and says if it has to be looked at again.
func (f folder) look(path string, idle map[string]time.Time) bool {
	lock, err := filelock.Open(path)
	if err != nil {
		return false
	}
	defer lock.Release() //nolint:errcheck // closing gives the lock back whatever it returns
	dir := strings.TrimSuffix(path, lockSuffix)
	if free, err := lock.TryExclusive(); err != nil || !free {
		delete(idle, path)
		return err == nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if strings.HasPrefix(filepath.Base(dir), ownPrefix) {
		return removeOwn(ctx, dir) != nil
	}
	since, known := idle[path]
	if !known {
		idle[path] = time.Now()
		return true
	}
	if time.Since(since) < linger {
		return true
	}
	unused, err := postgres.Retire(ctx, dir)
	return err == nil && !unused // somebody uses it without being a test: its own affair, but keep an eye on it
}

// removeOwn stops the cluster of a test's own data directory, if one runs, and removes everything of it. The
// caller holds its lock.
func removeOwn(ctx context.Context, dir string) error {
	unused, err := postgres.Retire(ctx, dir)
	if err != nil {
		return err
	}
	if !unused {
		return fmt.Errorf("the cluster in %s is still in use", dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Remove(dir + lockSuffix)
}
