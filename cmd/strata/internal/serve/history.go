package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"strata/cmd/strata/internal/folding"
	"strata/eventstore"
	"strata/eventstore/history"
	"strata/internal/pause"
)

// historyFlags configure the history that the server begins from, and the one that it serves.
type historyFlags struct {
	Bootstrap         string `env:"STRATA_BOOTSTRAP" placeholder:"URL" help:"History to begin from where the log is empty, and to take blocks from that it lacks later: a folder, or the address of one at an HTTP server, such as that of another Strata with /history/v1 (empty = none)."`
	BootstrapKey      string `env:"STRATA_BOOTSTRAP_KEY" placeholder:"KEY" help:"Verifier key of the publisher of that history, as strata log-key prints it there."`
	BootstrapUnsigned bool   `env:"STRATA_BOOTSTRAP_UNSIGNED" help:"Accept that history, which anybody may have signed."`
	HistoryDir        string `type:"path" env:"STRATA_HISTORY_DIR" placeholder:"PATH" help:"Folder into which strata history publish writes, to be served at /history/v1 of the API (empty = none)."`
}

// bootstrap brings the history into an empty log, or the rest of it. Nodes wait meanwhile, and repeat what they post.
func (c *Command) bootstrap(ctx context.Context, log *eventstore.Log, logger *slog.Logger) error {
	if !c.has(RoleObserver) && !c.has(RoleMetadata) {
		return nil
	}
	if c.Bootstrap == "" {
		return history.CheckWhole(ctx, log)
	}
	unfinished, err := history.Unfinished(ctx, log)
	if err != nil {
		return err
	}
	if size, err := log.Size(ctx); err != nil || size > 0 && unfinished == "" {
		return err
	}
	opened, err := c.openHistory(ctx)
	if err == nil {
		logger.LogAttrs(ctx, slog.LevelInfo, "bringing a history into the log", slog.String("from", c.Bootstrap), slog.Int64("events", opened.Log.Last))
		err = folding.Bring(ctx, log, opened, folding.BringOptions{DataDir: c.Database.DataDir, Logger: logger})
	}
	if err != nil {
		return fmt.Errorf("--bootstrap: %w", err)
	}
	return nil
}

// mendInterval is how often mend looks. A history has new blocks once Bitcoin blocks have followed them, so it is late anyway.
const mendInterval = 5 * time.Minute

// mend appends the blocks that the log lacks as soon as the history has them, until ctx is done.
func (c *Command) mend(ctx context.Context, log *eventstore.Log, logger *slog.Logger) {
	m := folding.Mender{Log: log, Open: c.openHistory, Download: filepath.Join(c.Database.DataDir, "bootstrap-download"), Logger: logger}
	for pause.For(ctx, mendInterval); ctx.Err() == nil; pause.For(ctx, mendInterval) {
		if err := m.Mend(ctx); err != nil && ctx.Err() == nil {
			logger.LogAttrs(ctx, slog.LevelWarn, "can't take missing blocks from the history; trying again", slog.String("from", c.Bootstrap), slog.Any("error", err))
		}
	}
}

func (c *Command) openHistory(ctx context.Context) (*history.Opened, error) {
	return history.OpenAt(ctx, c.Bootstrap, history.Trust{Key: c.BootstrapKey, Unsigned: c.BootstrapUnsigned})
}

// withHistory serves the published history beside other answers.
func (f *historyFlags) withHistory(others http.Handler) http.Handler {
	if f.HistoryDir == "" {
		return others
	}
	own := http.StripPrefix(historyPath, history.Handler(f.HistoryDir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, historyPath) {
			own.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// historyPath begins the paths of the published history.
const historyPath = "/history/v1/"
