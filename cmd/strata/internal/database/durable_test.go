package database

import (
	"log/slog"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// The tests' Postgres runs with fsync off, so it must be refused unless somebody says that this is right.
func TestUnsafeDatabase(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	db := must.Get((&Flags{DatabaseURL: pgtest.URL(t)}).Create(t.Context(), logger))(t)
	pgtest.AtEnd(t, func() { db.Close(logger) })
	err := WriterFlags{}.Check(t.Context(), db)
	if err == nil || !strings.Contains(err.Error(), "fsync = off") || !strings.Contains(err.Error(), "--allow-unsafe-database") {
		t.Errorf("got %v, want a refusal that names the setting and the flag", err)
	}
	t.Logf("fault: a database that may lose what it has acknowledged was refused: %v", err)
	if err := (WriterFlags{AllowUnsafeDatabase: true}).Check(t.Context(), db); err != nil {
		t.Errorf("with the flag: %v", err)
	}
	for setting, want := range map[string]string{"search_path": "", "application_name": "strata", "idle_in_transaction_session_timeout": "5min"} {
		if got := pgtest.Value[string](t, db.Pool, `SELECT current_setting($1)`, setting); got != want && got != `""` {
			t.Errorf("%s: got %q, want %q", setting, got, want)
		}
	}
}
