package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// stateFile tells, in the home, how far an upgrade is. It exists only while one is under way, or after one was interrupted.
const stateFile = "upgrade.json"

// nextFolder is the new cluster, in the home, until it takes the place of the old one.
const nextFolder = "data.next"

// phase is what an upgrade does. Each phase can be repeated or undone from whatever a killed one has left.
type phase string

const (
	// upgrading: the cluster is in its place, and data.next is being made. It can be undone.
	upgrading phase = "upgrading"
	// switching: data.next is complete, and takes the place of the cluster.
	switching phase = "switching"
	// analyzing: the new cluster is in its place and may be used; it lacks statistics.
	analyzing phase = "analyzing"
)

// upgradeState is the contents of stateFile.
type upgradeState struct {
	Phase phase  `json:"phase"`
	From  int    `json:"from"` // major versions
	To    int    `json:"to"`
	Link  bool   `json:"link"`
	Kept  string `json:"kept"` // the name that the old cluster gets in the home
}

func (h home) next() string { return filepath.Join(h.dir, nextFolder) }

// readState returns the state of the upgrade in a home; nil if there is none.
func readState(dir string) (*upgradeState, error) {
	path := filepath.Join(dir, stateFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var s upgradeState
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("read how far the upgrade of PostgreSQL is, %s: %w", path, err)
	}
	return &s, nil
}

// writeState writes the state so that a crash of the machine leaves either the old or the new one.
func (h home) writeState(s upgradeState) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(h.dir, stateFile)
	tmp := path + ".new"
	file, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = file.Write(append(text, '\n'))
		err = errors.Join(err, file.Sync(), file.Close())
	}
	if err == nil {
		err = h.account.own(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fmt.Errorf("write how far the upgrade of PostgreSQL is: %w", err)
	}
	return syncDir(h.dir)
}

func (h home) removeState() error {
	if err := os.Remove(filepath.Join(h.dir, stateFile)); err != nil {
		return fmt.Errorf("end the upgrade of PostgreSQL: %w", err)
	}
	return syncDir(h.dir)
}

// unfinished reports whether the cluster in a home can't be used because of an upgrade.
func unfinished(dir string) bool { return refuseUnfinished(dir) != nil }

// refuseUnfinished returns an *UnfinishedError if the cluster in a home can't be used because of an upgrade. What it may not
// read, such as the folder of another user, counts as usable: whoever opens it has a better error.
func refuseUnfinished(dir string) error {
	s, err := readState(dir)
	if errors.Is(err, os.ErrPermission) {
		return nil
	}
	if err == nil && s != nil && s.Phase != analyzing {
		return &UnfinishedError{Dir: dir, From: s.From, To: s.To}
	}
	return err
}

// childPatience is the time that what a killed pg_upgrade has started gets to end.
const childPatience = 10 * time.Second

// undo takes back what the phase upgrading has done, whether it failed or was killed. The caller holds the cluster's lock.
func (r runner) undo(ctx context.Context) error {
	if err := r.endServers(ctx); err != nil {
		return err
	}
	// With --link, pg_upgrade makes the old cluster unusable before it links its files, so that nobody starts both. Here the new
	// one, which has not been started since, is removed.
	control := filepath.Join(r.home.data(), "global", "pg_control")
	if _, err := os.Lstat(control); errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(control+".old", control); err != nil {
			return fmt.Errorf("make the old cluster usable again: %w", err)
		}
	}
	if err := removeUnfinished(ctx, r.home.next()); err != nil {
		return fmt.Errorf("remove the new cluster: %w", err)
	}
	if err := removeUnfinished(ctx, r.home.workDir()); err != nil {
		return fmt.Errorf("remove the folder of pg_upgrade: %w", err)
	}
	return r.home.removeState()
}

// endServers stops the servers that a killed pg_upgrade has left, and makes sure that none of its processes runs.
func (r runner) endServers(ctx context.Context) error {
	lock, err := r.home.lock(childLock)
	if err != nil {
		return err
	}
	defer lock.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	wait := backoff.NewExponentialBackOff(backoff.WithInitialInterval(20*time.Millisecond), backoff.WithMaxElapsedTime(childPatience))
	return backoff.Retry(func() error {
		for _, pgdata := range []string{r.home.data(), r.home.next()} {
			if pm, running, err := runningServer(pgdata); err != nil || running {
				if err == nil {
					err = terminate(ctx, pgdata, pm.pid)
				}
				if err != nil {
					return err
				}
			}
		}
		free, err := lock.TryExclusive()
		if err == nil && !free {
			r.home.endOrphan()
			err = &InUseError{Dir: r.home.dir, Holders: []string{"an earlier pg_upgrade"}}
		}
		return err
	}, backoff.WithContext(wait, ctx))
}

// switchOver puts the new cluster in the place of the old one. It can be repeated.
func (r runner) switchOver(s upgradeState) error {
	h := r.home
	if _, err := os.Stat(h.next()); err == nil {
		kept := filepath.Join(h.dir, s.Kept)
		if _, err := os.Stat(h.data()); err == nil {
			if err := os.Rename(h.data(), kept); err != nil {
				return fmt.Errorf("put the old cluster aside: %w", err)
			}
		}
		if err := os.Rename(h.next(), h.data()); err != nil {
			return fmt.Errorf("put the new cluster in its place: %w", err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("put the new cluster in its place: %w", err)
	}
	return syncDir(h.dir)
}
