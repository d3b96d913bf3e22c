package topic

import (
	"context"
	"errors"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill"
)

// quiet lowers the level of watermill's own messages by one: its information is about internals, and it retries after its
// errors.
var quiet = map[slog.Level]slog.Level{
	slog.LevelInfo:  slog.LevelDebug,
	slog.LevelDebug: slog.LevelDebug - 4,
	slog.LevelError: slog.LevelWarn,
}

// WatermillLogger returns a logger for the internals of watermill.
func WatermillLogger(logger *slog.Logger) watermill.LoggerAdapter {
	return adapter{watermill.NewSlogLoggerWithLevelMapping(logger, quiet)}
}

// adapter logs context.Canceled as information, not as an error: the query was interrupted on purpose.
type adapter struct {
	watermill.LoggerAdapter
}

func (a adapter) Error(message string, err error, fields watermill.LogFields) {
	if errors.Is(err, context.Canceled) {
		a.Info(message, fields.Add(watermill.LogFields{"error": err}))
		return
	}
	a.LoggerAdapter.Error(message, err, fields)
}

func (a adapter) With(fields watermill.LogFields) watermill.LoggerAdapter {
	return adapter{a.LoggerAdapter.With(fields)}
}
