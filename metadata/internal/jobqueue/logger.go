// Package jobqueue has what the role tells River, its queue of jobs: where its tables are, which lines to log, and that a job is
// settled; and how many jobs there are, and make requests at a time.
package jobqueue

import (
	"context"
	"log/slog"
)

// Logger returns the logger of the job queue. Its own INFO lines are about the queue's inner life, so they appear
// only at level DEBUG.
func Logger(logger *slog.Logger) *slog.Logger {
	if logger.Enabled(context.Background(), slog.LevelDebug) {
		return logger
	}
	return slog.New(warnings{logger.Handler()})
}

// warnings is a handler that drops lines below WARN.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
