package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// pidFile is the contents of PGDATA/postmaster.pid, which a running server writes.
type pidFile struct {
	pid    int
	port   int    // 0 at the beginning of the start
	socket string // the socket's folder; empty at the beginning of the start
}

// Lines of postmaster.pid, counted from 0 (PostgreSQL's miscadmin.h, LOCK_FILE_LINE_*).
const (
	pidLine    = 0
	portLine   = 3
	socketLine = 4
)

func pidFilePath(pgdata string) string { return filepath.Join(pgdata, "postmaster.pid") }

// readPidFile returns false if there is no file, or if it has no process id.
func readPidFile(pgdata string) (pidFile, bool, error) {
	raw, err := os.ReadFile(pidFilePath(pgdata))
	if errors.Is(err, os.ErrNotExist) {
		return pidFile{}, false, nil
	}
	if err != nil {
		return pidFile{}, false, fmt.Errorf("read the server's lock file: %w", err)
	}
	p, ok := parsePidFile(string(raw))
	return p, ok, nil
}

func parsePidFile(text string) (pidFile, bool) {
	lines := strings.Split(text, "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[pidLine]))
	if err != nil || pid <= 1 {
		return pidFile{}, false
	}
	p := pidFile{pid: pid}
	if len(lines) > socketLine {
		if port, err := strconv.Atoi(strings.TrimSpace(lines[portLine])); err == nil {
			p.port, p.socket = port, lines[socketLine]
		}
	}
	return p, true
}

// alive reports whether a process with this id exists that this process may signal. The cluster's own server always is
// one: either it runs as the same user, or this process is root. Any other process has reused the id.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// ownership is the relation of a process to a PGDATA whose lock file names it.
type ownership int

const (
	unknown ownership = iota
	ours              // the process is the postmaster of this PGDATA
	foreign           // the process is certainly another one
)

// runningServer returns the postmaster of pgdata; false if none runs.
func runningServer(pgdata string) (pidFile, bool, error) {
	p, ok, err := readPidFile(pgdata)
	if err != nil || !ok || p.pid == os.Getpid() || !alive(p.pid) || ownershipOf(p.pid, pgdata) == foreign {
		return pidFile{}, false, err
	}
	return p, true, nil
}

// clearStalePid rewrites a lock file that names a living process of another kind, so that the server can start. The server takes any
// living process with that id for a postmaster and would never start, and after the restart of a container the same
// small ids are in use again. clearStalePid writes the id of this process, which the server accepts because it is its
// parent. The other lines stay: from them the server knows whether backends of the dead server still use the shared
// memory. The caller must hold the cluster's lock, and no server may run.
func (h home) clearStalePid() error {
	path := pidFilePath(h.data())
	p, ok, err := readPidFile(h.data())
	if err != nil || !ok || !alive(p.pid) {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the server's lock file: %w", err)
	}
	_, rest, _ := strings.Cut(string(raw), "\n")
	tmp := path + ".new"
	err = os.WriteFile(tmp, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600)
	if err == nil {
		err = h.account.own(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fmt.Errorf("rewrite the stale lock file of the server: %w", err)
	}
	return nil
}
