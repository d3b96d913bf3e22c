package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore/transparency"
	"strata/readapi"
)

// auditFlags say how others can check the log.
type auditFlags struct {
	LogOrigin             string        `env:"STRATA_LOG_ORIGIN" placeholder:"NAME" help:"Name of the log in its checkpoints, such as example.org/stacks; empty: strata/ and the archive's id."`
	LogKey                string        `type:"path" env:"STRATA_LOG_KEY" placeholder:"FILE" help:"Key that signs checkpoints, made if the file is not there; empty: one in the data directory."`
	LogWitnesses          []string      `env:"STRATA_LOG_WITNESSES" placeholder:"KEY,..." help:"Verifier keys of the witnesses whose cosignatures are taken."`
	LogCheckpointInterval time.Duration `default:"10s" env:"STRATA_LOG_CHECKPOINT_INTERVAL" help:"Least time between two checkpoints."`
}

// openLog makes the log as a transparency log. Signing asks for the key, which is then made if there is none. reads is where
// answers are read from.
func (f *auditFlags) openLog(ctx context.Context, pool, reads *pgxpool.Pool, dataDir string, signing bool, logger *slog.Logger) (*transparency.Log, error) {
	config := transparency.Config{Pool: pool, Reads: reads, Logger: logger, Witnesses: f.LogWitnesses, Interval: f.LogCheckpointInterval}
	if signing {
		key, file, err := f.openKey(ctx, pool, dataDir)
		if err != nil {
			return nil, fmt.Errorf("--log-key, --log-origin: %w", err)
		}
		config.Key, config.TakeOver, config.MemoryFile = key, f.LogKey != "", file+".checkpoint"
	}
	log, err := transparency.New(config)
	if err != nil {
		return nil, fmt.Errorf("--log-witnesses: %w", err)
	}
	return log, nil
}

// openKey reads or makes the key, and says where it is. Each archive has a key of its own: that of one which was thrown
// away can't sign the next.
func (f *auditFlags) openKey(ctx context.Context, pool *pgxpool.Pool, dataDir string) (key *transparency.Key, file string, err error) {
	origin, err := transparency.DefaultOrigin(ctx, pool)
	if err != nil {
		return nil, "", err
	}
	if file = f.LogKey; file == "" {
		file = filepath.Join(dataDir, "log-"+filepath.Base(origin)+".key")
	}
	if f.LogOrigin != "" {
		origin = f.LogOrigin
	} else if found, err := transparency.ReadKey(file); err == nil {
		origin = found.Origin()
	}
	key, err = transparency.OpenKey(file, origin)
	return key, file, err
}

// shownLog shows a log to the API.
type shownLog struct{ *transparency.Log }

// ProveInclusion implements readapi.TransparencyLog.
func (l shownLog) ProveInclusion(ctx context.Context, seq, size int64) (*readapi.LogInclusion, error) {
	proof, err := l.Log.ProveInclusion(ctx, seq, size)
	return (*readapi.LogInclusion)(proof), err
}

// ProveConsistency implements readapi.TransparencyLog.
func (l shownLog) ProveConsistency(ctx context.Context, from, to int64) (*readapi.LogConsistency, error) {
	proof, err := l.Log.ProveConsistency(ctx, from, to)
	return (*readapi.LogConsistency)(proof), err
}

// logKeyCommand prints the key that checkpoints are checked with.
type logKeyCommand struct {
	databaseFlags `embed:"" group:"Database:"`
	auditFlags    `embed:"" group:"Audit:"`
}

// Run prints the key.
func (c *logKeyCommand) Run(ctx context.Context, globals *Globals) error {
	key, err := c.verifierKey(ctx, globals.logger())
	if err != nil {
		return err
	}
	fmt.Println(key)
	return nil
}

// verifierKey is that of the newest checkpoint. When nothing was signed yet it is that of the key here, which is made if
// there is none.
func (c *logKeyCommand) verifierKey(ctx context.Context, logger *slog.Logger) (string, error) {
	db, err := c.open(ctx, logger)
	if err != nil {
		return "", err
	}
	defer db.close(logger)
	log, err := c.openLog(ctx, db.pool, nil, c.DataDir, false, logger)
	if err != nil {
		return "", err
	}
	key, err := log.VerifierKey(ctx)
	var unsigned *transparency.RefusalError
	if !errors.As(err, &unsigned) {
		return key, err
	}
	if log, err = c.openLog(ctx, db.pool, nil, c.DataDir, true, logger); err != nil {
		return "", err
	}
	return log.VerifierKey(ctx)
}
