package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	port = 5432
	// maxSocketPath is the maximum length of a Unix socket's path that every system accepts. With the final zero, macOS
	// accepts 104 bytes and Linux 108.
	maxSocketPath = 103
	socketName    = ".s.PGSQL.5432"
	// shortPrefix starts the names of the temporary folders that replace long paths.
	shortPrefix = "strata-pg-"
)

// usableSocketDir reports whether dir can be the "host" of a client: it must be short enough for a socket, and have no
// comma, which separates several hosts.
func usableSocketDir(dir string) bool {
	return len(dir)+1+len(socketName) <= maxSocketPath && !strings.Contains(dir, ",")
}

// socketDir creates the folder of the server's socket and returns its real path. If the path below the home is unusable
// for a socket, "socket" is a link to a private temporary folder. The name of that folder stays the same if possible,
// so that a URL remains valid after a restart.
func (h home) socketDir() (string, error) {
	dir := h.socket()
	if usableSocketDir(dir) {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("create the socket's folder: %w", err)
		}
		return dir, h.account.own(dir)
	}
	if target, ok := h.shortSocketDir(); ok {
		if err := os.Mkdir(target, 0o700); err == nil || h.ownsPrivate(target) {
			return target, h.account.own(target)
		}
	}
	target, err := createShortDir()
	if err != nil {
		return "", err
	}
	if err := errors.Join(h.account.own(target), relink(target, dir)); err != nil {
		return "", errors.Join(fmt.Errorf("create the socket's folder: %w", err), os.Remove(target))
	}
	return target, nil
}

// shortSocketDir returns the temporary folder that "socket" links to.
func (h home) shortSocketDir() (string, bool) {
	target, err := os.Readlink(h.socket())
	return target, err == nil && strings.HasPrefix(filepath.Base(target), shortPrefix)
}

// ownsPrivate reports whether dir is a folder of the account that nobody else can enter. Every user can write to the
// temporary folder, so another one could have created a folder of this name.
func (h home) ownsPrivate(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	uid, _, err := ownerOf(info)
	return err == nil && uid == h.account.uid
}

// createShortDir creates a new private folder with a short path.
func createShortDir() (string, error) {
	var errs []error
	for _, base := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(base, shortPrefix)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if usableSocketDir(dir) {
			return dir, nil
		}
		errs = append(errs, fmt.Errorf("%s cannot hold a socket (its path is too long or has a comma)", dir), os.Remove(dir))
	}
	return "", fmt.Errorf("create a short folder for the socket: %w", errors.Join(errs...))
}

// relink makes link a link to target, and replaces what was there before.
func relink(target, link string) error {
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(target, link)
}

// dropShortSocketDir removes the temporary folder after the server has ended.
func (h home) dropShortSocketDir() error {
	target, ok := h.shortSocketDir()
	if !ok || !h.ownsPrivate(target) {
		return nil
	}
	return os.RemoveAll(target)
}

// quoteDir quotes a path for unix_socket_directories, a comma-separated list.
func quoteDir(dir string) string { return `"` + strings.ReplaceAll(dir, `"`, `""`) + `"` }
