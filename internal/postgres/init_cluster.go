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
	// AppUser is the application's role. It can log in, owns the database and is no superuser.
	AppUser = "strata"
	// AppDatabase is the application's database.
	AppDatabase = "strata"
	// AdminUser is the cluster's superuser.
	AdminUser = "postgres"
)

// unfinishedPrefix starts the names of folders in which initdb works. The caller of initdb holds the cluster's lock, so
// folders that a later holder of the lock finds were left by a killed process.
const unfinishedPrefix = "data.new-"

// removePatience is the time that an initdb gets to end after its parent was killed.
const removePatience = 10 * time.Second

// removeUnfinished removes a folder in which initdb may still work. initdb outlives its killed parent for a moment, and
// may create files while removeUnfinished removes others.
func removeUnfinished(ctx context.Context, dir string) error {
	again := backoff.NewExponentialBackOff(backoff.WithInitialInterval(20*time.Millisecond), backoff.WithMaxElapsedTime(removePatience))
	return backoff.Retry(func() error { return os.RemoveAll(dir) }, backoff.WithContext(again, ctx))
}

// initCluster creates PGDATA if it is missing. The folder gets its name only when it is complete.
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
		return fmt.Errorf("create the folder of the private PostgreSQL: %w", err)
	}
	if err := h.fillCluster(ctx, bin, tmp, fsync); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err := os.Rename(tmp, h.data()); err != nil {
		return errors.Join(fmt.Errorf("rename the new cluster: %w", err), os.RemoveAll(tmp))
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
		"--locale=C", // the same text order on every machine, and the fastest
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

// serverEnv returns this process's environment without variables that influence the server (PGDATA, PGPORT, …), and
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
