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
	// maxSocketPath is the longest path of a Unix socket that every system takes (macOS: 104 bytes with the
	// final zero; Linux: 108).
	maxSocketPath = 103
	socketName    = ".s.PGSQL.5432"
	// shortPrefix begins the names of the temporary folders that stand in for a long path.
	shortPrefix = "strata-pg-"
)

// usableSocketDir says if dir can be a client's "host": short enough for a socket, and without the comma that
// separates several hosts.
func usableSocketDir(dir string) bool {
	return len(dir)+1+len(socketName) <= maxSocketPath && !strings.Contains(dir, ",")
}

// socketDir makes the folder of the server's socket and returns its real path. Where the path below the home is
// no good for a socket, "socket" is a link to a private temporary folder. That folder's name is kept as long as
// it can be had, so that a URL stays valid over a restart.
func (h home) socketDir() (string, error) {
	dir := h.socket()
	if usableSocketDir(dir) {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("make the socket's folder: %w", err)
		}
		return dir, h.account.own(dir)
	}
	if target, ok := h.shortSocketDir(); ok {
		if err := os.Mkdir(target, 0o700); err == nil || h.ownsPrivate(target) {
			return target, h.account.own(target)
		}
	}
	target, err := makeShort()
	if err != nil {
		return "", err
	}
	if err := errors.Join(h.account.own(target), relink(target, dir)); err != nil {
		return "", errors.Join(fmt.Errorf("make the socket's folder: %w", err), os.Remove(target))
	}
	return target, nil
}

// shortSocketDir is the temporary folder that "socket" links to.
func (h home) shortSocketDir() (string, bool) {
	target, err := os.Readlink(h.socket())
	return target, err == nil && strings.HasPrefix(filepath.Base(target), shortPrefix)
}

// ownsPrivate says if dir is a folder of our account that nobody else can enter. (Temporary folders are open to
// all: somebody else could have made one of this name.)
func (h home) ownsPrivate(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	uid, _, err := ownerOf(info)
	return err == nil && uid == h.account.uid
}

// makeShort makes a new private folder with a short path.
func makeShort() (string, error) {
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
		errs = append(errs, fmt.Errorf("%s is no good for a socket (too long, or a comma)", dir), os.Remove(dir))
	}
	return "", fmt.Errorf("make a short folder for the socket: %w", errors.Join(errs...))
}

// relink makes link point to target, whatever it was before.
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
