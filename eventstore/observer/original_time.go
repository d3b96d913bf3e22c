package observer

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// timestampHeader is the header in which a forwarder gives the time at which an event was first received.
const timestampHeader = "X-Original-Timestamp"

// originalTime returns the time in the header, or fallback if the header is absent or invalid.
func (o *Observer) originalTime(r *http.Request, fallback time.Time) time.Time {
	text := r.Header.Get(timestampHeader)
	if text == "" {
		return fallback
	}
	t, ok := parseOriginalTime(text)
	if !ok {
		o.config.Logger.LogAttrs(r.Context(), slog.LevelWarn, "invalid "+timestampHeader+"; storing the time of receipt instead",
			slog.String("value", text), slog.String("path", storedPath(r.URL)))
		return fallback
	}
	return t
}

// parseOriginalTime parses milliseconds since 1970, or RFC 3339. It accepts the years 1 to 9999, which an export can write.
func parseOriginalTime(text string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		ms, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return time.Time{}, false
		}
		t = time.UnixMilli(ms)
	}
	t = t.UTC()
	return t, t.Year() >= 1 && t.Year() <= 9999
}
