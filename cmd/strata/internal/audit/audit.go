// Package audit opens the event log as a transparency log, for the commands that sign it, serve its proofs or name its key.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/eventstore/transparency/witness"
)

// Flags configure the transparency log: its name, its key and its witnesses.
type Flags struct {
	LogOrigin      string   `env:"STRATA_LOG_ORIGIN" placeholder:"NAME" help:"Name of the log in its checkpoints, such as example.org/stacks (empty = strata/ and the archive's id)."`
	LogKey         string   `type:"path" env:"STRATA_LOG_KEY" placeholder:"FILE" help:"File of the key that signs checkpoints, created if missing (empty = a file in the data directory)."`
	LogWitnesses   []string `env:"STRATA_LOG_WITNESSES" placeholder:"KEY,..." help:"Verifier keys of the witnesses whose cosignatures to accept (empty = none)."`
	LogWitnessURLs []string `name:"log-witness-urls" env:"STRATA_LOG_WITNESS_URLS" placeholder:"URL,..." help:"Addresses of witnesses to ask to cosign each new checkpoint (C2SP tlog-witness); --log-witnesses has their keys (empty = ask none)."`
}

// OpenLog opens the event log as a transparency log. With signing it reads the key, and creates one if there is none.
// reads is the pool from which proofs and checkpoints are read; nil means the log's.
func (f *Flags) OpenLog(ctx context.Context, events *eventstore.Log, reads *pgxpool.Pool, dataDir string, signing bool, logger *slog.Logger) (*transparency.Log, error) {
	config := transparency.Config{
		Pool: events.Pool(), Reads: reads, Logger: logger, Witnesses: f.LogWitnesses, Listener: events.Listener(),
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

// Witnesses returns what asks the witnesses to cosign the log; nil if none is to be asked.
func (f *Flags) Witnesses(log *transparency.Log, logger *slog.Logger) (*witness.Asker, error) {
	if len(f.LogWitnessURLs) == 0 {
		return nil, nil
	}
	if len(f.LogWitnesses) == 0 {
		return nil, errors.New("--log-witness-urls: name the keys of the witnesses with --log-witnesses, because signatures of others are not kept")
	}
	asker, err := witness.New(witness.Config{Log: log, URLs: f.LogWitnessURLs, Logger: logger})
	if err != nil {
		return nil, fmt.Errorf("--log-witness-urls: %w", err)
	}
	return asker, nil
}

// openKey reads or creates the signing key, and returns it with the name of its file. The default name contains the
// archive's id, so that the key of a discarded archive never signs the next one.
func (f *Flags) openKey(ctx context.Context, pool *pgxpool.Pool, dataDir string) (key *transparency.Key, file string, err error) {
	origin, err := transparency.DefaultOrigin(ctx, pool)
	if err != nil {
		return nil, "", err
	}
	if file = f.LogKey; file == "" {
		file = keyFile(dataDir, origin)
	}
	if f.LogOrigin != "" {
		origin = f.LogOrigin
	} else if existing, err := transparency.ReadKey(file); err == nil {
		origin = existing.Origin()
	}
	key, err = transparency.OpenKey(file, origin)
	return key, file, err
}

// keyFile returns the default name of the file of the key of the log with this default origin.
func keyFile(dataDir, origin string) string {
	return filepath.Join(dataDir, "log-"+filepath.Base(origin)+".key")
}

// OnThisMachine returns the verifier keys of the log whose files are on this machine, and the files of the checkpoints
// beside them: that of --log-key, here key, and the one in the data directory. Without these files it returns nothing.
func OnThisMachine(ctx context.Context, pool *pgxpool.Pool, dataDir, key string) (keys, checkpoints []string, err error) {
	origin, err := transparency.DefaultOrigin(ctx, pool)
	if err != nil {
		return nil, nil, err
	}
	for _, file := range []string{key, keyFile(dataDir, origin)} {
		if file == "" {
			continue
		}
		read, err := transparency.ReadKey(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(keys, read.VerifierKey()) {
			keys = append(keys, read.VerifierKey())
		}
		if _, err := os.Stat(file + ".checkpoint"); err == nil {
			checkpoints = append(checkpoints, file+".checkpoint")
		}
	}
	return keys, checkpoints, nil
}
