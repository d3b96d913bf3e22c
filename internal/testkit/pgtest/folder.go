package pgtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"strata/internal/postgres/filelock"
)

// folder is the path of the user's folder, in memory or below the temporary folder (see parentDir). It contains:
//
//	registry      locked exclusively while a process enters or the reaper makes a round
//	reaper        locked exclusively while a reaper runs
//	NAME.lock     locked, shared, by each process that uses the cluster in NAME/
//	NAME/         a data directory: "shared-…", or "own-…" for a single test
type folder string

const (
	sharedPrefix = "shared-"
	ownPrefix    = "own-"
	lockSuffix   = ".lock"
)

// openFolder creates the folder. If it exists, openFolder checks that it is private to this user: other users can write
// to the temporary folder, too.
func openFolder() (folder, error) {
	path := filepath.Join(parentDir(), "strata-pgtest-"+strconv.Itoa(os.Geteuid()))
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711 // the user that runs the server for root must be able to pass through
	}
	if err := os.Mkdir(path, mode); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("create the folder of the test databases: %w", err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("inspect the folder of the test databases: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("%s is not a folder that only this user can write to: remove it, or set TMPDIR", path)
	}
	return folder(path), nil
}

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// enter marks the cluster in the data directory called name as used by this process, until the returned lock is
// released, and makes sure that a reaper watches it. If name is empty, enter creates a new data directory for this
// caller alone.
func (f folder) enter(ctx context.Context, name string) (string, *filelock.Lock, error) {
	registry, err := filelock.Open(f.path("registry"))
	if err != nil {
		return "", nil, err
	}
	defer registry.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	if err := registry.Exclusive(ctx); err != nil {
		return "", nil, err
	}
	if name == "" {
		dir, err := os.MkdirTemp(string(f), ownPrefix)
		if err != nil {
			return "", nil, fmt.Errorf("create a data directory: %w", err)
		}
		if os.Geteuid() == 0 {
			if err := os.Chmod(dir, 0o711); err != nil {
				return "", nil, fmt.Errorf("create a data directory: %w", err)
			}
		}
		name = filepath.Base(dir)
	}
	use, err := filelock.Open(f.path(name + lockSuffix))
	if err != nil {
		return "", nil, err
	}
	if err := use.Shared(ctx); err != nil {
		return "", nil, err
	}
	return name, use, f.startReaper()
}
