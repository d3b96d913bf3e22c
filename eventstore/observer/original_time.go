package observer

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// timestampHeader carries when an event was first received, from whoever passes it on.
const timestampHeader = "X-Original-Timestamp"

// originalTime is the time in the header, or the given one where there is none that can be read.
func (o *Observer) originalTime(r *http.Request, otherwise time.Time) time.Time {
	text := r.Header.Get(timestampHeader)
	if text == "" {
		return otherwise
	}
	t, ok := parseOriginalTime(text)
	if !ok {
		o.config.Logger.LogAttrs(r.Context(), slog.LevelWarn, "unreadable "+timestampHeader+"; the time of receipt was stored instead",
			slog.String("value", text), slog.String("path", storedPath(r.URL)))
		return otherwise
	}
	return t
}

// parseOriginalTime reads milliseconds since 1970 or RFC 3339, of the years 1 to 9999, which every export can write.
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
