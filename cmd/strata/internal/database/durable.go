package database

import (
	"context"
	"fmt"
)

// WriterFlags are for commands that append to the log.
type WriterFlags struct {
	AllowUnsafeDatabase bool `env:"STRATA_ALLOW_UNSAFE_DATABASE" help:"Append to a log whose Postgres runs with fsync or full_page_writes off, and so loses or damages acknowledged events in a crash of the machine. For tests only."`
}

// Check returns an error if the server's settings would lose events that were acknowledged.
func (f WriterFlags) Check(ctx context.Context, db *DB) error {
	if f.AllowUnsafeDatabase {
		return nil
	}
	for _, setting := range []string{"fsync", "full_page_writes"} {
		var value string
		if err := db.Pool.QueryRow(ctx, `SELECT current_setting($1)`, setting).Scan(&value); err != nil {
			return fmt.Errorf("read whether the database keeps what it has acknowledged: %w", err)
		}
		if value == "off" {
			return fmt.Errorf("the database runs with %[1]s = off, so a crash of its machine loses or damages events that nodes were told are safe\n"+
				"set %[1]s = on in postgresql.conf and reload, or accept that with --allow-unsafe-database", setting)
		}
	}
	return nil
}
