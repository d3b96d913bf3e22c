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

// folder is the user's folder, in memory or below the temporary folder (place). In it:
//
//	registry      exclusive while somebody enters or the reaper makes its round
//	reaper        exclusive while a reaper runs
//	NAME.lock     shared by the users of the cluster whose data directory is NAME
//	NAME/         a data directory: "shared-…", or "own-…" of one test
type folder string

const (
	sharedPrefix = "shared-"
	ownPrefix    = "own-"
	lockSuffix   = ".lock"
)

// openFolder makes the folder, or checks the one that is there: others can write to the temporary folder, too.
func openFolder() (folder, error) {
	path := filepath.Join(place(), "strata-pgtest-"+strconv.Itoa(os.Geteuid()))
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711 // the user who runs the server for root passes through
	}
	if err := os.Mkdir(path, mode); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("make the folder of the test databases: %w", err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("the folder of the test databases: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("%s is not a private folder of this user: remove it, or set TMPDIR", path)
	}
	return folder(path), nil
}

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// enter marks the cluster of the data directory called name as used by this process, and sees to it that a reaper
// watches. With an empty name a new data directory is made, for this caller alone.
func (f folder) enter(ctx context.Context, name string) (string, *filelock.Lock, error) {
	registry, err := filelock.Open(f.path("registry"))
	if err != nil {
		return "", nil, err
	}
	defer registry.Release() //nolint:errcheck // closing gives the lock back whatever it returns
	if err := registry.Exclusive(ctx); err != nil {
		return "", nil, err
	}
	if name == "" {
		dir, err := os.MkdirTemp(string(f), ownPrefix)
		if err != nil {
			return "", nil, fmt.Errorf("make a data directory: %w", err)
		}
		if os.Geteuid() == 0 {
			if err := os.Chmod(dir, 0o711); err != nil {
				return "", nil, fmt.Errorf("make a data directory: %w", err)
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
