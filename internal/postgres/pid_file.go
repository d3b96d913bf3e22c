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

// pidFile is what a running server says about itself in PGDATA/postmaster.pid.
type pidFile struct {
	pid    int
	port   int    // 0 while the server is just beginning
	socket string // the socket's folder, empty while the server is just beginning
}

// Lines of postmaster.pid, counted from 0 (PostgreSQL's miscadmin.h, LOCK_FILE_LINE_*).
const (
	pidLine    = 0
	portLine   = 3
	socketLine = 4
)

func pidFilePath(pgdata string) string { return filepath.Join(pgdata, "postmaster.pid") }

// readPidFile returns false when there is no file, or one that was not even begun.
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

// alive says if a process with this id exists that this process may signal. (A server of ours is always one:
// it runs as our user, or we are root. Anything else is a stranger with a reused id.)
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// kinship is what can be told about the process that a lock file names.
type kinship int

const (
	unknown  kinship = iota
	ours             // it is the postmaster of this PGDATA
	stranger         // it is certainly not
)

// runningServer returns the postmaster of pgdata, false when none runs.
func runningServer(pgdata string) (pidFile, bool, error) {
	p, ok, err := readPidFile(pgdata)
	if err != nil || !ok || p.pid == os.Getpid() || !alive(p.pid) || kin(p.pid, pgdata) == stranger {
		return pidFile{}, false, err
	}
	return p, true, nil
}

// clearStalePid makes a lock file that names a live stranger acceptable to the server about to be launched.
// The server takes any live process of that id for a postmaster and would refuse to start for ever; after the
// restart of a container the same small ids are taken again. It does accept its parent's id, which is ours.
// The file is not removed: its other lines let the server see if backends of the dead one still use the memory.
// Call it only with the cluster's lock held and no server running.
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
		return fmt.Errorf("mend the stale lock file of the server: %w", err)
	}
	return nil
}
