package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	// AppUser is the role of the application: it may log in, owns the database and is no superuser.
	AppUser = "strata"
	// AppDatabase is the application's database.
	AppDatabase = "strata"
	// AdminUser is the cluster's superuser.
	AdminUser = "postgres"
)

// unfinishedPrefix begins the names of folders in which initdb works. The lock is held while one is in use, so
// those that are found at the beginning were left by a process that was killed.
const unfinishedPrefix = "data.new-"

// removePatience is how long an initdb that lost its parent may go on.
const removePatience = 10 * time.Second

// removeUnfinished removes a folder in which an initdb may still be at work: it outlives the process that was killed for
// a moment, and makes files while others are removed.
func removeUnfinished(ctx context.Context, dir string) error {
	again := backoff.NewExponentialBackOff(backoff.WithInitialInterval(20*time.Millisecond), backoff.WithMaxElapsedTime(removePatience))
	return backoff.Retry(func() error { return os.RemoveAll(dir) }, backoff.WithContext(again, ctx))
}

// initCluster makes PGDATA if it is missing. It appears under its name only when it is whole.
func (h home) initCluster(ctx context.Context, bin binaries, fsync bool) error {
	if _, err := os.Stat(filepath.Join(h.data(), "PG_VERSION")); err == nil {
		return nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("private PostgreSQL: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(h.dir, unfinishedPrefix+"*"))
	if err != nil {
		return fmt.Errorf("look for what an earlier initdb left: %w", err)
	}
	for _, dir := range left {
		if err := removeUnfinished(ctx, dir); err != nil {
			return fmt.Errorf("remove what an earlier initdb left: %w", err)
		}
	}
	tmp, err := os.MkdirTemp(h.dir, unfinishedPrefix)
	if err != nil {
		return fmt.Errorf("make the folder of the private PostgreSQL: %w", err)
	}
	if err := h.fillCluster(ctx, bin, tmp, fsync); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err := os.Rename(tmp, h.data()); err != nil {
		return errors.Join(fmt.Errorf("put the new cluster in its place: %w", err), os.RemoveAll(tmp))
	}
	return syncDir(h.dir)
}

func (h home) fillCluster(ctx context.Context, bin binaries, dir string, fsync bool) error {
	if err := h.account.own(dir); err != nil {
		return fmt.Errorf("give the cluster's folder to user %s: %w", h.account, err)
	}
	args := []string{
		"--pgdata=" + dir,
		"--username=" + AdminUser,
		"--auth-local=trust", // the socket's folder has mode 0700
		"--auth-host=reject",
		"--encoding=UTF8",
		"--locale=C", // one order of text on every machine, and the fastest
		"--data-checksums",
		"--no-instructions",
	}
	if !fsync {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, bin.initdb(), args...)
	cmd.SysProcAttr = h.account.attr()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = h.dir
	cmd.Env = serverEnv()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return &ServerError{Op: "initdb", Dir: h.dir, Output: lastLines(out.Bytes()), Err: err}
	}
	return includeSettings(dir)
}

// includeSettings makes the server read settingsFile after everything else in postgresql.conf.
func includeSettings(pgdata string) error {
	conf, err := os.OpenFile(filepath.Join(pgdata, "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("extend the cluster's configuration: %w", err)
	}
	_, err = fmt.Fprintf(conf, "\ninclude_if_exists = '%s'\n", settingsFile)
	if err = errors.Join(err, conf.Sync(), conf.Close()); err != nil {
		return fmt.Errorf("extend the cluster's configuration: %w", err)
	}
	return nil
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("flush %s: %w", path, err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("flush %s: %w", path, err)
	}
	return nil
}

// serverEnv is this process's environment without what would change the server's mind (PGDATA, PGPORT, …) and
// with a locale that exists everywhere.
func serverEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "PG") || strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANG") {
			continue
		}
		env = append(env, kv)
	}
	return append(env, "LC_ALL=C")
}
