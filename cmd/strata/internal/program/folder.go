package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"strata/internal/pause"
	"strata/internal/postgres/filelock"
)

// KeepFolder creates a folder and calls write for it: once, or, if every is above 0, at that interval until ctx is done, whatever
// fails. No other process
// keeps the folder meanwhile. what names what is in it.
func KeepFolder(ctx context.Context, dir, what string, every time.Duration, logger *slog.Logger, write func(context.Context) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := filelock.Open(filepath.Join(dir, ".lock"))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	if alone, err := lock.TryExclusive(); err != nil || !alone {
		return errors.Join(fmt.Errorf("another process writes %s in %s", what, dir), err)
	}
	for {
		err := write(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && every <= 0:
			return fmt.Errorf("write %s in %s: %w", what, dir, err)
		case err != nil:
			logger.LogAttrs(ctx, slog.LevelWarn, "can't write "+what+"; trying again", slog.Any("error", err))
		case every <= 0:
			return nil
		}
		pause.For(ctx, every)
	}
}
