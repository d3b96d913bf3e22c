package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// systemStateDir is the folder of root's cluster if the server's user cannot reach the data directory. Tests change it.
var systemStateDir = "/var/lib/strata"

// home is the cluster's folder and the user that owns it and runs the server.
type home struct {
	dir     string // absolute, links resolved
	account account
}

func (h home) data() string   { return filepath.Join(h.dir, "data") }
func (h home) socket() string { return filepath.Join(h.dir, "socket") }
func (h home) log() string    { return filepath.Join(h.dir, "server.log") }

// opener creates and checks homes.
type opener struct {
	systemDir string
	log       *slog.Logger
}

// homeLink returns the path of the home in the data directory, which may be a link.
func homeLink(dataDir string) (string, error) {
	abs, err := filepath.Abs(dataDir)
	if err != nil {
		return "", fmt.Errorf("data directory %s: %w", dataDir, err)
	}
	return filepath.Join(abs, "postgres"), nil
}

// Exists reports whether the data directory has a private PostgreSQL. It creates nothing. What it can't see, such as the
// folder of another user, counts as existing: Start has a better error for it.
func Exists(dataDir string) (bool, error) {
	link, err := homeLink(dataDir)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(link); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if _, err := os.Stat(link); errors.Is(err, os.ErrNotExist) {
		return true, nil // a link to a folder that is gone
	}
	for _, file := range []string{filepath.Join("data", "PG_VERSION"), upgradeFile} { // an upgrade renamed the cluster
		if _, err := os.Stat(filepath.Join(link, file)); !errors.Is(err, os.ErrNotExist) {
			return true, nil
		}
	}
	return false, nil
}

// upgradeFile told earlier releases how far an upgrade with pg_upgrade was.
const upgradeFile = "upgrade.json"

// refuseUnfinished returns an *UnfinishedError if an upgrade left the cluster in a home unusable. What it may not read, such as
// the folder of another user, counts as usable: open has a better error.
func refuseUnfinished(dir string) error {
	state, err := os.ReadFile(filepath.Join(dir, upgradeFile))
	if err != nil || bytes.Contains(state, []byte(`"analyzing"`)) { // then only statistics were missing
		return nil
	}
	return &UnfinishedError{Dir: dir}
}

// open returns the home of dataDir, which it creates at the first use. postgres is the server's binary, which the user
// that runs the server must be able to execute.
func (o opener) open(ctx context.Context, dataDir, postgres string) (home, error) {
	link, err := homeLink(dataDir)
	if err != nil {
		return home{}, err
	}
	if _, err := os.Lstat(link); errors.Is(err, os.ErrNotExist) {
		if err := o.create(ctx, link, postgres); err != nil {
			return home{}, err
		}
	}
	dir, err := filepath.EvalSymlinks(link)
	if errors.Is(err, os.ErrNotExist) {
		return home{}, &AccessError{Path: link, Reason: "the folder it links to is gone",
			Hint: "restore that folder, or remove the link to begin with an empty database"}
	}
	if err != nil {
		return home{}, fmt.Errorf("private PostgreSQL: %w", err)
	}
	h := home{dir: dir}
	if os.Geteuid() != 0 {
		h.account = self()
		return h, h.checkOwner()
	}
	return h, h.adoptForRoot(postgres)
}

// create creates the home that link names. If another process does the same at the same time, the first one to complete
// the last step wins, and the other one uses its home.
func (o opener) create(ctx context.Context, link, postgres string) error {
	dataDir := filepath.Dir(link)
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711 // the server's user must be able to pass through
	}
	if err := os.MkdirAll(dataDir, mode); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	if os.Geteuid() == 0 {
		acct, err := serviceAccount()
		if err != nil {
			return err
		}
		if !acct.reaches("/", postgres, "--version") {
			return unreachableBinary(acct, postgres)
		}
		if !acct.reaches(dataDir, postgres, "--version") {
			return o.createElsewhere(ctx, link, postgres, acct)
		}
	}
	if err := os.Mkdir(link, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("create the folder of the private PostgreSQL: %w", err)
	}
	return nil
}

// createElsewhere creates the home below o.systemDir and makes link a symbolic link to it.
func (o opener) createElsewhere(ctx context.Context, link, postgres string, acct account) error {
	if err := os.MkdirAll(o.systemDir, 0o711); err != nil {
		return unreachableHome(acct, filepath.Dir(link))
	}
	if !acct.reaches(o.systemDir, postgres, "--version") {
		return unreachableHome(acct, filepath.Dir(link))
	}
	dir, err := os.MkdirTemp(o.systemDir, "postgres-")
	if err != nil {
		return fmt.Errorf("create the folder of the private PostgreSQL: %w", err)
	}
	if err := acct.own(dir); err != nil {
		return errors.Join(err, os.Remove(dir))
	}
	if err := os.Symlink(dir, link); err != nil {
		removed := os.Remove(dir)
		if errors.Is(err, os.ErrExist) {
			return removed
		}
		return errors.Join(fmt.Errorf("link the folder of the private PostgreSQL: %w", err), removed)
	}
	o.log.WarnContext(ctx, "private PostgreSQL is outside the data directory, which its user cannot reach",
		slog.String("user", acct.String()), slog.String("blocked_by", blockedBy(filepath.Dir(link))),
		slog.String("data_dir", filepath.Dir(link)), slog.String("postgres_dir", dir))
	return nil
}

// checkOwner returns an error if the home belongs to another user.
func (h home) checkOwner() error {
	uid, gid, err := owner(h.dir)
	if err != nil {
		return fmt.Errorf("private PostgreSQL: %w", err)
	}
	if uid == h.account.uid {
		return nil
	}
	return &AccessError{Path: h.dir,
		Reason: fmt.Sprintf("it belongs to user %s, this process is user %s", account{uid: uid, gid: gid}, h.account),
		Hint:   "run strata as root or as that user, or choose another --data-dir"}
}

// adoptForRoot decides which user runs the server, and checks that this user can reach the home. It is the owner of the
// home or, if root owns it, a service account, which becomes the owner.
func (h *home) adoptForRoot(postgres string) error {
	uid, gid, err := owner(h.dir)
	if err != nil {
		return fmt.Errorf("private PostgreSQL: %w", err)
	}
	if uid != 0 {
		h.account = account{uid: uid, gid: gid, change: true}
	} else {
		if h.account, err = serviceAccount(); err != nil {
			return err
		}
		// All files, because root may have copied them here, or restored them from a backup.
		if err := h.account.ownAll(h.dir); err != nil {
			return fmt.Errorf("give the folder of the private PostgreSQL to user %s: %w", h.account, err)
		}
	}
	if !h.account.reaches("/", postgres, "--version") {
		return unreachableBinary(h.account, postgres)
	}
	if !h.account.reaches(h.dir, postgres, "--version") {
		return unreachableHome(h.account, h.dir)
	}
	return nil
}

func unreachableBinary(acct account, postgres string) error {
	return &AccessError{Path: postgres, Reason: fmt.Sprintf("user %s, who must run the server for root, cannot execute it", acct),
		Hint: "install PostgreSQL where every user can run it, or set " + BinEnv}
}

func unreachableHome(acct account, dir string) error {
	reason := fmt.Sprintf("user %s, who must run the server for root, cannot reach it", acct)
	if by := blockedBy(dir); by != "" {
		reason += " (blocked by the permissions of " + by + ")"
	}
	return &AccessError{Path: dir, Reason: reason, Hint: "choose a --data-dir that this user can reach, such as /var/lib/strata"}
}
