package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/transparency"
)

// KeyCommand prints the verifier key of the log's checkpoints.
type KeyCommand struct {
	Database database.Flags `embed:"" group:"Database:"`
	Audit    Flags          `embed:"" group:"Audit:"`
}

// Run prints the key.
func (c *KeyCommand) Run(ctx context.Context, globals *program.Globals) error {
	key, err := c.verifierKey(ctx, globals.Logger())
	if err != nil {
		return err
	}
	fmt.Println(key)
	return nil
}

// verifierKey returns the verifier key of the newest checkpoint. If there is no checkpoint yet, it returns that of the
// signing key on this machine, which it creates if there is none.
func (c *KeyCommand) verifierKey(ctx context.Context, logger *slog.Logger) (string, error) {
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return "", err
	}
	defer db.Close(logger)
	log, err := c.Audit.OpenLog(ctx, db.Log, nil, c.Database.DataDir, false, logger)
	if err != nil {
		return "", err
	}
	key, err := log.VerifierKey(ctx)
	var unsigned *transparency.RefusalError
	if !errors.As(err, &unsigned) {
		return key, err
	}
	if log, err = c.Audit.OpenLog(ctx, db.Log, nil, c.Database.DataDir, true, logger); err != nil {
		return "", err
	}
	return log.VerifierKey(ctx)
}
