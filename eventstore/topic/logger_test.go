package topic_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/ThreeDotsLabs/watermill"

	"strata/eventstore/topic"
)

func TestWatermillLoggerLevels(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a failure":        {errors.New("no connection"), "level=WARN"},
		"cancelled":        {fmt.Errorf("timeout: %w", context.Canceled), "level=DEBUG"},
		"out of time":      {context.DeadlineExceeded, "level=WARN"},
		"without an error": {nil, "level=WARN"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
			topic.WatermillLogger(logger).With(watermill.LogFields{"topic": "x"}).Error("could not commit", c.err, nil)
			line := out.String()
			for _, want := range []string{c.want, "could not commit", "topic=x"} {
				if !strings.Contains(line, want) {
					t.Errorf("got %q, want %q in it", line, want)
				}
			}
			if c.err != nil && !strings.Contains(line, c.err.Error()) {
				t.Errorf("got %q, which does not say why", line)
			}
		})
	}
}
