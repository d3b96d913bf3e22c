package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Programs that pg_upgrade needs of each version.
var (
	oldTools = []string{"pg_controldata", "pg_ctl", "pg_resetwal"}
	newTools = []string{"pg_controldata", "pg_ctl", "pg_dump", "pg_dumpall", "pg_resetwal", "pg_restore", "pg_upgrade", "psql", "vacuumdb"}
)

// childLock is the name of the file that pg_upgrade and all that it starts keep locked. It has the id of pg_upgrade's process.
const childLock = "upgrade.lock"

// workDir is the folder that pg_upgrade works in, and where versions before 15 leave their logs.
func (h home) workDir() string { return filepath.Join(h.dir, "upgrade") }

// lacks returns the programs that an installation lacks.
func (b binaries) lacks(tools []string) (missing []string) {
	for _, tool := range tools {
		if !executable(filepath.Join(b.dir, tool)) {
			missing = append(missing, tool)
		}
	}
	return missing
}

// pickVersions returns the installations to upgrade with, from the version of the cluster to version to, or to the newest if to
// is 0. The error says what to install.
func pickVersions(installed []binaries, pgdata string, from, to int) (older, newer binaries, err error) {
	if to == 0 {
		to = from
		for _, b := range installed {
			to = max(to, b.major)
		}
	}
	if to < from {
		return older, newer, fmt.Errorf("%s is of PostgreSQL %d, and pg_upgrade doesn't go back to %d: restore a backup of the log with that version instead", pgdata, from, to)
	}
	var found []string
	for _, b := range installed {
		found = append(found, b.String())
	}
	pick := func(major int, tools []string) (binaries, error) {
		var incomplete error
		for _, b := range installed {
			if b.major != major {
				continue
			}
			missing := b.lacks(tools)
			if len(missing) == 0 {
				return b, nil
			}
			if incomplete == nil {
				incomplete = fmt.Errorf("PostgreSQL %s lacks %s, which the upgrade needs: %s, with all its programs",
					b, strings.Join(missing, ", "), installVersion(runtime.GOOS, osRelease(), major))
			}
		}
		if incomplete != nil {
			return binaries{}, incomplete
		}
		list := "none"
		if len(found) > 0 {
			list = strings.Join(found, ", ")
		}
		return binaries{}, fmt.Errorf("the upgrade of %s from PostgreSQL %d to %d needs both installed, and %d is not (found: %s): %s, or name its folder in %s",
			pgdata, from, to, major, list, installVersion(runtime.GOOS, osRelease(), major), BinEnv)
	}
	if older, err = pick(from, oldTools); err != nil {
		return older, newer, err
	}
	newer, err = pick(to, newTools)
	return older, newer, err
}

// upgradeArgs returns the arguments of pg_upgrade. With check, it only checks.
func (h home) upgradeArgs(older, newer binaries, socket string, link, check bool) []string {
	args := []string{
		"--old-bindir=" + older.dir, "--new-bindir=" + newer.dir,
		"--old-datadir=" + h.data(), "--new-datadir=" + h.next(),
		"--socketdir=" + socket, "--old-port=" + strconv.Itoa(port), "--new-port=" + strconv.Itoa(port),
		"--username=" + AdminUser,
		"--jobs=" + strconv.Itoa(runtime.NumCPU()),
	}
	if link {
		args = append(args, "--link")
	}
	if check {
		args = append(args, "--check")
	}
	return args
}

// pgUpgrade runs pg_upgrade. Its processes hold a lock until the last one has ended, also if this process is killed.
func (r runner) pgUpgrade(ctx context.Context, older binaries, link, check bool) error {
	h := r.home
	socket, err := h.socketDir()
	if err != nil {
		return err
	}
	if err := os.Mkdir(h.workDir(), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("create the folder of pg_upgrade: %w", err)
	}
	if err := h.account.own(h.workDir()); err != nil {
		return err
	}
	lock, err := h.lock(childLock)
	if err != nil {
		return err
	}
	defer lock.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	// A server that an earlier pg_upgrade, such as the check, has stopped has removed its pid file, for which pg_upgrade waits,
	// a moment before it ends and its lock is free.
	free, cancel := context.WithTimeout(ctx, childPatience)
	defer cancel()
	if err := lock.Exclusive(free); err != nil {
		if free.Err() != nil && ctx.Err() == nil {
			err = &InUseError{Dir: h.dir, Holders: []string{"an earlier pg_upgrade"}}
		}
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(r.bin.dir, "pg_upgrade"), h.upgradeArgs(older, r.bin, socket, link, check)...)
	lock.Pass(cmd)
	cmd.SysProcAttr = h.account.attr()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = h.workDir()
	cmd.Env = serverEnv()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Start()
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(h.dir, childLock), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600), cmd.Wait())
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		op := "pg_upgrade"
		if check {
			op = "pg_upgrade --check"
		}
		return &ServerError{Op: op, Dir: h.dir, Output: h.upgradeFailure(out.Bytes()), Err: err}
	}
	return nil
}

// endOrphan kills a pg_upgrade that has outlived the process that started it, with what it runs except servers.
func (h home) endOrphan() {
	text, err := os.ReadFile(filepath.Join(h.dir, childLock))
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(string(text)); err == nil && pid > 1 && runs(pid, "pg_upgrade") {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // the caller looks whether it has ended
	}
}

// carrySettings copies what ALTER SYSTEM has set in the old cluster to the new one, and returns the names of settings that the
// new version does not accept.
func (r runner) carrySettings(ctx context.Context) (lost []string, err error) {
	const name = "postgresql.auto.conf"
	text, err := os.ReadFile(filepath.Join(r.home.data(), name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings of the old cluster: %w", err)
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		setting, value, found := strings.Cut(strings.TrimSpace(line), "=")
		setting = strings.TrimSpace(setting)
		if found && !strings.HasPrefix(setting, "#") && !r.accepts(ctx, r.home.next(), setting, unquote(strings.TrimSpace(value))) {
			lost = append(lost, setting)
			continue
		}
		kept = append(kept, line)
	}
	path := filepath.Join(r.home.next(), name)
	err = os.WriteFile(path, []byte(strings.Join(kept, "")), 0o600)
	if err == nil {
		err = r.home.account.own(path)
	}
	if err != nil {
		return nil, fmt.Errorf("write the settings of the new cluster: %w", err)
	}
	slices.Sort(lost)
	return slices.Compact(lost), nil
}

// unquote returns the value of a setting as ALTER SYSTEM writes it: in single quotes, which are doubled within, as are
// backslashes.
func unquote(value string) string {
	if len(value) < 2 || value[0] != '\'' || value[len(value)-1] != '\'' {
		return value
	}
	return strings.NewReplacer(`''`, `'`, `\\`, `\`).Replace(value[1 : len(value)-1])
}
