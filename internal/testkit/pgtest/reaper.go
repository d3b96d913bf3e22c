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
	// reaperEnv turns a test binary into the reaper of the folder that it names.
	reaperEnv = "STRATA_PGTEST_REAPER"
	// roundInterval is the pause between two rounds of the reaper.
	roundInterval = 500 * time.Millisecond
	// linger is how long the shared cluster outlives its last user. It bridges the gap between the tests of one package
	// and those of the next.
	linger = 10 * time.Second
	// stopTimeout bounds the shutdown of one cluster.
	stopTimeout = 2 * time.Minute
)

// init runs before any test. In a reaper it runs instead of the tests.
func init() {
	if path := os.Getenv(reaperEnv); path != "" {
		reap(folder(path))
		os.Exit(0)
	}
}

// startReaper starts a reaper if none runs. The caller holds the registry, so the last round of a reaper that is about
// to exit has either seen the caller's lock or is over.
func (f folder) startReaper() error {
	lock, err := filelock.Open(f.path("reaper"))
	if err != nil {
		return err
	}
	defer lock.Release() //nolint:errcheck // closing releases the lock even if it returns an error
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C must not reach it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the reaper of the test databases: %w", err)
	}
	go cmd.Wait() //nolint:errcheck // its exit status means nothing; Wait only prevents a zombie
	return nil
}

// reap makes rounds until nothing is left to watch. It has nobody to report errors to: a later reaper tries again
// whatever this one cannot clean up.
func reap(f folder) {
	lock, err := filelock.Open(f.path("reaper"))
	if err != nil {
		return
	}
	// Wait a moment: the process that started this one still holds the lock through its own descriptor.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if lock.Exclusive(ctx) != nil {
		return // another reaper runs
	}
	idleSince := map[string]time.Time{} // by lock file: when a shared cluster was first found without users
	rounds := time.NewTicker(roundInterval)
	for f.round(lock, idleSince) {
		<-rounds.C
	}
}

// round visits every cluster once and reports whether there is anything left to watch. If not, round has released the
// reaper's lock before another process could enter.
func (f folder) round(reaper *filelock.Lock, idleSince map[string]time.Time) bool {
	registry, err := filelock.Open(f.path("registry"))
	if err != nil {
		return false // the folder is gone
	}
	defer registry.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	if err := registry.Exclusive(context.Background()); err != nil {
		return false
	}
	locks, err := filepath.Glob(f.path("*" + lockSuffix))
	if err != nil {
		return false
	}
	watch := false
	for _, path := range locks {
		if f.visit(path, idleSince) {
			watch = true
		}
	}
	if !watch {
		reaper.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	}
	return watch
}

// visit cleans up one cluster if it has no user, and reports whether the cluster must be visited again.
func (f folder) visit(path string, idleSince map[string]time.Time) bool {
	lock, err := filelock.Open(path)
	if err != nil {
		return false
	}
	defer lock.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	dir := strings.TrimSuffix(path, lockSuffix)
	if free, err := lock.TryExclusive(); err != nil || !free {
		delete(idleSince, path)
		return err == nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if strings.HasPrefix(filepath.Base(dir), ownPrefix) {
		return removeOwn(ctx, dir) != nil
	}
	since, known := idleSince[path]
	if !known {
		idleSince[path] = time.Now()
		return true
	}
	if time.Since(since) < linger {
		return true
	}
	unused, err := postgres.Retire(ctx, dir)
	return err == nil && !unused // a process that is no test uses it: leave it alone, but visit it again
}

// removeOwn stops the cluster in the data directory of a single test, if it runs, and removes all its files. The caller
// holds the lock of the directory.
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
