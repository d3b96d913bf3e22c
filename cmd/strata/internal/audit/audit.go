// Package audit opens the event log as a transparency log, for the commands that sign it, serve its proofs or name its key.
package audit

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/transparency"
)

// Flags configure the transparency log: its name, its key and its witnesses.
type Flags struct {
	LogOrigin             string        `env:"STRATA_LOG_ORIGIN" placeholder:"NAME" help:"Name of the log in its checkpoints, such as example.org/stacks (empty = strata/ and the archive's id)."`
	LogKey                string        `type:"path" env:"STRATA_LOG_KEY" placeholder:"FILE" help:"File of the key that signs checkpoints, created if missing (empty = a file in the data directory)."`
	LogWitnesses          []string      `env:"STRATA_LOG_WITNESSES" placeholder:"KEY,..." help:"Verifier keys of the witnesses whose cosignatures to accept (empty = none)."`
	LogCheckpointInterval time.Duration `default:"10s" env:"STRATA_LOG_CHECKPOINT_INTERVAL" help:"Minimum time between two checkpoints."`
}

// OpenLog opens the event log as a transparency log. With signing it reads the key, and creates one if there is none.
// reads is the pool from which proofs and checkpoints are read; nil means the log's.
func (f *Flags) OpenLog(ctx context.Context, events *eventstore.Log, reads *pgxpool.Pool, dataDir string, signing bool, logger *slog.Logger) (*transparency.Log, error) {
	config := transparency.Config{
		Pool: events.Pool(), Reads: reads, Logger: logger, Witnesses: f.LogWitnesses, Interval: f.LogCheckpointInterval, Listener: events.Listener(),
	}
	if signing {
		key, file, err := f.openKey(ctx, events.Pool(), dataDir)
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

// openKey reads or creates the signing key, and returns it with the name of its file. The default name contains the
// archive's id, so that the key of a discarded archive never signs the next one.
func (f *Flags) openKey(ctx context.Context, pool *pgxpool.Pool, dataDir string) (key *transparency.Key, file string, err error) {
	origin, err := transparency.DefaultOrigin(ctx, pool)
	if err != nil {
		return nil, "", err
	}
	if file = f.LogKey; file == "" {
		file = filepath.Join(dataDir, "log-"+filepath.Base(origin)+".key")
	}
	if f.LogOrigin != "" {
		origin = f.LogOrigin
	} else if existing, err := transparency.ReadKey(file); err == nil {
		origin = existing.Origin()
	}
	key, err = transparency.OpenKey(file, origin)
	return key, file, err
}
