package topic

import (
	"context"
	"errors"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill"
)

// quiet lowers watermill's own messages by one level: what it calls information is about its machinery, and what it
// calls an error is tried again.
var quiet = map[slog.Level]slog.Level{
	slog.LevelInfo:  slog.LevelDebug,
	slog.LevelDebug: slog.LevelDebug - 4,
	slog.LevelError: slog.LevelWarn,
}

// WatermillLogger is a logger for watermill's own machinery.
func WatermillLogger(logger *slog.Logger) watermill.LoggerAdapter {
	return adapter{watermill.NewSlogLoggerWithLevelMapping(logger, quiet)}
}

// adapter knows which errors are none: a query that is cut off because its context was cancelled did as it was told.
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
