package jobqueue_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"strata/metadata/internal/jobqueue"
)

// The job queue's own INFO lines are off, unless somebody looks for faults.
func TestLogger(t *testing.T) {
	t.Parallel()
	for level, want := range map[slog.Level]string{slog.LevelInfo: "warn", slog.LevelDebug: "info warn", slog.LevelError: ""} {
		var said bytes.Buffer
		logger := jobqueue.Logger(slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: level}))).With(slog.Int("a", 1)).WithGroup("g")
		logger.InfoContext(t.Context(), "info")
		logger.WarnContext(t.Context(), "warn")
		var got []string
		for line := range strings.Lines(said.String()) {
			_, text, _ := strings.Cut(line, "msg=")
			got = append(got, strings.Fields(text)[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", level, got, want)
		}
	}
}
