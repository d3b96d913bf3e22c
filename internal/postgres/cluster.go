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
	server server

	mu    sync.Mutex
	users *filelock.Lock // nil after Stop
}

// Start returns the cluster of cfg.DataDir, made, started or found running as the case may be, once it accepts
// connections. Crash recovery may take long: ctx bounds the wait, and only that; the server outlives ctx.
//
// Errors that the operator can do something about are a *NoBinariesError, *VersionError, *AccessError or
// *ServerError.
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
	defer gate.Release() //nolint:errcheck // closing gives the lock back whatever it returns

	users, err := r.home.lock("users")
	if err != nil {
		return nil, err
	}
	// Held by one alone only while the gate is, so it is free or shared.
	if err := users.Shared(ctx); err != nil {
		return nil, errors.Join(err, users.Release())
	}
	c := &Cluster{runner: r, users: users}
	if err := c.bringUp(ctx); err != nil {
		return nil, errors.Join(err, c.giveUp(ctx), users.Release())
	}
	return c, nil
}

// giveUpTimeout bounds how long a failed Start waits for its server to be gone.
const giveUpTimeout = 10 * time.Second

// giveUp stops the server after a Start that failed, or was cancelled, unless others use it.
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
	pgdata := filepath.Join(link, "data")
	major, err := pgVersion(pgdata)
	if err != nil && !errors.Is(err, os.ErrPermission) { // whose home it is, open says better
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

// lock opens a lock file of the home. It belongs to the account, so that the cluster's users may be root and the
// account by turns.
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

// URL is the application's connection string (postgres://…, understood by pgx and libpq).
func (c *Cluster) URL() string { return c.server.url(AppUser, AppDatabase) }

// AdminURL is the superuser's connection string, to the same database.
func (c *Cluster) AdminURL() string { return c.server.url(AdminUser, AppDatabase) }

// Pid is the process id of the server that Start found or started.
func (c *Cluster) Pid() int { return c.server.pid }

// Stop ends this process's use of the cluster. The last user's Stop shuts the server down, cutting what sessions
// there are, and returns when it is gone; where ctx ends first the shutdown goes on and an error says so. It may be
// called again, also at the same time; after an error the next call tries again.
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
	defer gate.Release() //nolint:errcheck // closing gives the lock back whatever it returns
	last, err := c.users.TryExclusive()
	if err != nil {
		return err
	}
	if last {
		if err := c.runner.stop(ctx); err != nil {
			return errors.Join(err, c.users.Shared(ctx)) // nobody else can hold it: the gate is ours
		}
	} else {
		c.runner.log.InfoContext(ctx, "private PostgreSQL left running for its other users",
			slog.Int("pid", c.server.pid))
	}
	users := c.users
	c.users = nil
	return users.Release()
}
