package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"strata/internal/postgres/filelock"
)

// Cluster is a running private PostgreSQL that this process uses.
type Cluster struct {
	runner runner

	mu     sync.Mutex
	server server
	users  *filelock.Lock // nil after Stop
}

// Start returns the cluster of cfg.DataDir as soon as it accepts connections. It creates the cluster and starts the
// server if necessary. Crash recovery may take long; ctx only bounds the wait, and the server outlives it.
//
// Errors that the operator can fix are a *NoBinariesError, *VersionError, *AccessError, *UnfinishedError or *ServerError.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r, err := prepare(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	gate, err := r.home.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer gate.Release() //nolint:errcheck // closing releases the lock even if it returns an error

	users, err := r.home.lock("users")
	if err != nil {
		return nil, err
	}
	// A process holds this lock exclusively only while it holds the gate, so it is free or shared now.
	if err := users.Shared(ctx); err != nil {
		return nil, errors.Join(err, users.Release())
	}
	c := &Cluster{runner: r, users: users}
	if err := c.bringUp(ctx); err != nil {
		return nil, errors.Join(err, c.giveUp(ctx), users.Release())
	}
	return c, nil
}

// giveUpTimeout bounds the time that a failed Start waits for its server to stop.
const giveUpTimeout = 10 * time.Second

// giveUp stops the server after a failed or cancelled Start, unless other processes use it.
func (c *Cluster) giveUp(ctx context.Context) error {
	if last, err := c.users.TryExclusive(); err != nil || !last {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTimeout)
	defer cancel()
	return c.runner.stop(ctx)
}

// prepare finds the binaries and the home.
func prepare(ctx context.Context, cfg Config, log *slog.Logger) (runner, error) {
	link, err := homeLink(cfg.DataDir)
	if err != nil {
		return runner{}, err
	}
	if err := refuseUnfinished(link); err != nil {
		return runner{}, err
	}
	pgdata := filepath.Join(link, "data")
	major, err := pgVersion(pgdata)
	if err != nil && !errors.Is(err, os.ErrPermission) { // open has a better error, which names the owner of the home
		return runner{}, err
	}
	bin, err := newFinder().find(ctx, major, pgdata)
	if err != nil {
		return runner{}, err
	}
	h, err := opener{systemDir: systemStateDir, log: log}.open(ctx, cfg.DataDir, bin.postgres())
	if err != nil {
		return runner{}, err
	}
	return runner{home: h, bin: bin, cfg: cfg, log: log}, nil
}

// lock opens a lock file of the home. The file belongs to the account, so that both root and the account can use the
// cluster.
func (h home) lock(name string) (*filelock.Lock, error) {
	path := filepath.Join(h.dir, name)
	l, err := filelock.Open(path)
	if err != nil {
		return nil, err
	}
	if err := h.account.own(path); err != nil {
		return nil, errors.Join(fmt.Errorf("give %s to user %s: %w", path, h.account, err), l.Release())
	}
	return l, nil
}

// enter takes the lock under which the cluster is started and stopped.
func (h home) enter(ctx context.Context) (*filelock.Lock, error) {
	gate, err := h.lock("lock")
	if err != nil {
		return nil, err
	}
	if err := gate.Exclusive(ctx); err != nil {
		return nil, errors.Join(err, gate.Release())
	}
	return gate, nil
}

func (c *Cluster) bringUp(ctx context.Context) error {
	if err := c.runner.home.initCluster(ctx, c.runner.bin, !c.runner.cfg.NoFsync); err != nil {
		return err
	}
	var err error
	if c.server, err = c.runner.run(ctx); err != nil {
		return err
	}
	return c.server.bootstrap(ctx)
}

// URL returns the application's connection string (postgres://…), for pgx and libpq.
func (c *Cluster) URL() string { return c.running().url(AppUser, AppDatabase) }

// AdminURL returns the superuser's connection string to the same database.
func (c *Cluster) AdminURL() string { return c.running().url(AdminUser, AppDatabase) }

// Pid returns the process id of the server that Start or Keep found or started.
func (c *Cluster) Pid() int { return c.running().pid }

func (c *Cluster) running() server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// Stop ends this process's use of the cluster. For the last user, Stop shuts the server down, which ends its sessions,
// and returns when it is gone; if ctx ends first, Stop returns an error and the shutdown continues. Stop may be called
// several times, also concurrently; after an error the next call tries again.
func (c *Cluster) Stop(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == nil {
		return nil
	}
	gate, err := c.runner.home.enter(ctx)
	if err != nil {
		return err
	}
	defer gate.Release() //nolint:errcheck // closing releases the lock even if it returns an error
	last, err := c.users.TryExclusive()
	if err != nil {
		return err
	}
	if last {
		if err := c.runner.stop(ctx); err != nil {
			return errors.Join(err, c.users.Shared(ctx)) // does not wait: this process holds the gate
		}
	} else {
		c.runner.log.InfoContext(ctx, "private PostgreSQL left running for its other users",
			slog.Int("pid", c.server.pid))
	}
	users := c.users
	c.users = nil
	return users.Release()
}
