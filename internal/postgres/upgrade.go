package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"strata/internal/diskspace"
	"strata/internal/postgres/filelock"
)

// Upgrade is a move of a cluster to another major version, with pg_upgrade.
type Upgrade struct {
	// DataDir is strata's data directory.
	DataDir string
	// To is the major version to move to; 0 for the newest that is installed.
	To int
	// Link makes both clusters share their files, which is fast and takes no space. The old one can't be started any more once
	// the new one has been.
	Link bool
	// Log is the logger; nil for none.
	Log *slog.Logger
	// SameVersion permits the version that the cluster has. For tests, which may have only one.
	SameVersion bool

	// at is called with the name of each step, before it. Tests fail there.
	at func(step string) error
}

// Upgraded is what an upgrade has done.
type Upgraded struct {
	From, To int           // major versions; the same if there was nothing to do
	Bin      string        // the folder of the new version's programs
	Kept     string        // the folder of the old cluster; empty if there was nothing to do
	Linked   bool          // the old cluster must not be started
	Lost     []string      // settings of ALTER SYSTEM that the new version does not have
	Took     time.Duration // in all
}

// keptPrefix starts the names of old clusters in the home. Their version follows.
const keptPrefix = "data.pg"

// Run moves the cluster. If an earlier Run was interrupted, this one goes on, or begins anew where that can't be. When it
// returns an error before the switch, the cluster is as it was.
//
// Errors that the operator can fix are an *InUseError, *ServerError or *AccessError, and those that say what to install.
func (u Upgrade) Run(ctx context.Context) (*Upgraded, error) {
	started := time.Now()
	if u.Log == nil {
		u.Log = slog.New(slog.DiscardHandler)
	}
	if u.at == nil {
		u.at = func(string) error { return nil }
	}
	dir, err := existingHome(u.DataDir)
	if err != nil {
		return nil, err
	}
	installed := newFinder().all(ctx)
	r, release, err := u.enter(ctx, dir, installed)
	if err != nil {
		return nil, err
	}
	defer release()
	state, err := readState(dir)
	if err != nil {
		return nil, err
	}
	var lost []string
	if state == nil || state.Phase == upgrading {
		if state != nil {
			u.Log.InfoContext(ctx, "an earlier upgrade of PostgreSQL was interrupted; beginning anew")
			if err := r.undo(ctx); err != nil {
				return nil, err
			}
		}
		from, err := pgVersion(r.home.data())
		if err != nil {
			return nil, err
		}
		older, newer, err := pickVersions(installed, r.home.data(), from, u.To)
		if err != nil {
			return nil, err
		}
		if older.major == newer.major && !u.SameVersion {
			return &Upgraded{From: from, To: from, Bin: newer.dir, Took: time.Since(started)}, nil
		}
		r.bin = newer
		state = &upgradeState{Phase: upgrading, From: from, To: newer.major, Link: u.Link, Kept: r.home.freeName(from)}
		if lost, err = u.convert(ctx, r, older, *state); err != nil {
			return nil, err
		}
		state.Phase = switching
	} else if r.bin, err = bestOf(installed, state.To); err != nil {
		return nil, err
	}
	if err := u.finish(ctx, r, *state); err != nil {
		return nil, err
	}
	return &Upgraded{
		From: state.From, To: state.To, Bin: r.bin.dir, Kept: filepath.Join(r.home.dir, state.Kept),
		Linked: state.Link, Lost: lost, Took: time.Since(started),
	}, nil
}

// Abort undoes an upgrade that was interrupted. It reports whether there was one to undo; one whose new cluster is complete
// already is only to be finished.
func (u Upgrade) Abort(ctx context.Context) (undone bool, err error) {
	if u.Log == nil {
		u.Log = slog.New(slog.DiscardHandler)
	}
	dir, err := existingHome(u.DataDir)
	if err != nil {
		return false, err
	}
	r, release, err := u.enter(ctx, dir, newFinder().all(ctx))
	if err != nil {
		return false, err
	}
	defer release()
	state, err := readState(dir)
	switch {
	case err != nil || state == nil:
		return false, err
	case state.Phase != upgrading:
		return false, fmt.Errorf("the upgrade of %s to PostgreSQL %d is complete but for its end: run strata upgrade-postgres to finish it", dir, state.To)
	}
	return true, r.undo(ctx)
}

// RemoveKept removes the clusters that earlier upgrades have kept, and returns their folders.
func (u Upgrade) RemoveKept(ctx context.Context) (removed []string, err error) {
	dir, err := existingHome(u.DataDir)
	if err != nil {
		return nil, err
	}
	gate, err := filelock.Open(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer gate.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	if err := gate.Exclusive(ctx); err != nil {
		return nil, err
	}
	if state, err := readState(dir); err != nil || state != nil {
		if err == nil {
			err = &UnfinishedError{Dir: dir, From: state.From, To: state.To}
		}
		return nil, err
	}
	kept, err := filepath.Glob(filepath.Join(dir, keptPrefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("look for old clusters in %s: %w", dir, err)
	}
	for _, folder := range kept {
		if err := os.RemoveAll(folder); err != nil {
			return removed, fmt.Errorf("remove the old cluster: %w", err)
		}
		removed = append(removed, folder)
	}
	return removed, nil
}

// existingHome returns the folder of the cluster of a data directory that has one.
func existingHome(dataDir string) (string, error) {
	exists, err := Exists(dataDir)
	if err == nil && !exists {
		err = fmt.Errorf("there is no private PostgreSQL in %s (--data-dir)", dataDir)
	}
	if err != nil {
		return "", err
	}
	link, err := homeLink(dataDir)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", fmt.Errorf("private PostgreSQL: %w", err)
	}
	return dir, nil
}

// enter locks the cluster against all other processes, and stops a server that nobody uses.
func (u Upgrade) enter(ctx context.Context, dir string, installed []binaries) (r runner, release func(), err error) {
	newest, err := bestOf(installed, 0)
	if err != nil {
		return r, nil, err
	}
	h, err := opener{systemDir: systemStateDir, log: u.Log}.open(ctx, u.DataDir, newest.postgres())
	if err != nil {
		return r, nil, err
	}
	r = runner{home: h, bin: newest, cfg: Config{DataDir: u.DataDir, Log: u.Log}, log: u.Log}
	var held []*filelock.Lock
	unlock := func() {
		for _, lock := range held {
			_ = lock.Release() // closing releases the lock even if it returns an error
		}
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	for _, name := range []string{"lock", "users"} {
		lock, err := h.lock(name)
		if err != nil {
			return r, nil, err
		}
		held = append(held, lock)
		free, err := lock.TryExclusive()
		if err != nil {
			return r, nil, err
		}
		if !free {
			return r, nil, &InUseError{Dir: dir, Holders: holders(filepath.Join(dir, name))}
		}
	}
	return r, unlock, r.stop(ctx)
}

// bestOf returns an installation of a major version, or one of the newest if it is 0.
func bestOf(installed []binaries, major int) (best binaries, err error) {
	for _, b := range installed {
		if b.major > best.major && (major == 0 || b.major == major) {
			best = b
		}
	}
	if best.major != 0 {
		return best, nil
	}
	if major == 0 {
		_, err := newFinder().find(context.Background(), 0, "")
		return best, err
	}
	return best, fmt.Errorf("PostgreSQL %d, to which the cluster is being upgraded, is not installed any more: install it, or name its folder in %s", major, BinEnv)
}

// freeName returns a name for the old cluster that nothing in the home has.
func (h home) freeName(major int) string {
	name := fmt.Sprintf("%s%d", keptPrefix, major)
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(h.dir, name)); err != nil {
			return name
		}
		name = fmt.Sprintf("%s%d-%d", keptPrefix, major, n)
	}
}

// convert makes the new cluster in data.next. If that fails, it removes what it has made.
func (u Upgrade) convert(ctx context.Context, r runner, older binaries, state upgradeState) (lost []string, err error) {
	if err := u.room(r.home); err != nil {
		return nil, err
	}
	if err := r.home.writeState(state); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.undo(context.WithoutCancel(ctx)))
		}
	}()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"recover", func() error { return r.shutDownCleanly(ctx, older) }},
		{"initdb", func() error { return r.initNext(ctx) }},
		{"check", func() error { return r.pgUpgrade(ctx, older, state.Link, true) }},
		{"convert", func() error { return r.pgUpgrade(ctx, older, state.Link, false) }},
		{"settings", func() (err error) {
			lost, err = r.carrySettings(ctx)
			return err
		}},
		{"switch", func() error {
			state.Phase = switching
			return r.home.writeState(state)
		}},
	} {
		u.Log.InfoContext(ctx, "upgrading PostgreSQL", slog.String("step", step.name), slog.Int("from", state.From), slog.Int("to", state.To))
		if err := u.at(step.name); err != nil {
			return nil, err
		}
		if err := step.do(); err != nil {
			return nil, err
		}
	}
	return lost, nil
}

// finish switches to the new cluster, which is complete, and gives it statistics.
func (u Upgrade) finish(ctx context.Context, r runner, state upgradeState) error {
	if state.Phase == switching {
		if err := r.switchOver(state); err != nil {
			return err
		}
		if err := u.at("switched"); err != nil {
			return err
		}
		state.Phase = analyzing
		if err := r.home.writeState(state); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(r.home.workDir()); err != nil {
		return fmt.Errorf("remove the folder of pg_upgrade: %w", err)
	}
	if err := u.at("analyze"); err != nil {
		return err
	}
	u.Log.InfoContext(ctx, "upgrading PostgreSQL", slog.String("step", "analyze"))
	s, err := r.run(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(s.refresh(ctx, u.Log), r.stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return r.home.removeState()
}

// room returns an error if the disk has no room for a second copy of the cluster.
func (u Upgrade) room(h home) error {
	if u.Link {
		return nil
	}
	var need int64
	err := filepath.WalkDir(h.data(), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			need += info.Size()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("measure the cluster: %w", err)
	}
	if free, known := diskspace.Free(h.dir); known && free < need {
		return fmt.Errorf("a copy of %s takes %d MB, and its disk has %d MB free: make room, or share the files with --link", h.data(), need/1e6, free/1e6)
	}
	return nil
}

// shutDownCleanly starts and stops the old cluster, because pg_upgrade refuses one that was not shut down cleanly.
func (r runner) shutDownCleanly(ctx context.Context, older binaries) error {
	r.bin = older
	_, err := r.run(ctx)
	return errors.Join(err, r.stop(context.WithoutCancel(ctx)))
}

// initNext creates the new, empty cluster as every private cluster is created.
func (r runner) initNext(ctx context.Context) error {
	if err := os.Mkdir(r.home.next(), 0o700); err != nil {
		return fmt.Errorf("create the folder of the new cluster: %w", err)
	}
	return r.home.fillCluster(ctx, r.bin, r.home.next(), true)
}

// String describes what was done, and what to do with the old cluster, in a few lines.
func (u *Upgraded) String() string {
	if u.Kept == "" {
		return fmt.Sprintf("The cluster is of PostgreSQL %d, the newest that is installed (%s): nothing to do.", u.To, u.Bin)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Upgraded from PostgreSQL %d to %d in %s.\n", u.From, u.To, u.Took.Round(time.Second/10))
	if len(u.Lost) > 0 {
		fmt.Fprintf(&b, "PostgreSQL %d does not have these settings of ALTER SYSTEM: %s.\n", u.To, strings.Join(u.Lost, ", "))
	}
	if u.Linked {
		fmt.Fprintf(&b, "The old cluster in %s shares its files with the new one: never start it.\n", u.Kept)
	} else {
		fmt.Fprintf(&b, "The old cluster is kept in %s.\n", u.Kept)
	}
	fmt.Fprintf(&b, "Remove it when all is well: strata upgrade-postgres --remove-old")
	return b.String()
}
