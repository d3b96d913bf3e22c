package observer

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"
)

// statusTimeout bounds the query of the log's size.
const statusTimeout = 2 * time.Second

func isStatusPath(path string) bool { return path == "/" || path == "/status" }

// status answers whether the log can be read, and how many events it has.
func (o *Observer) status(r *http.Request) answer {
	ctx, cancel := context.WithTimeout(r.Context(), statusTimeout)
	defer cancel()
	size, err := o.config.Log.Size(ctx)
	if err != nil {
		o.config.Logger.LogAttrs(ctx, slog.LevelWarn, "the observer is not ready", slog.Any("error", err))
		a := unavailable("the log can't be read now")
		a.body = []byte(`{"status":"unavailable"}`)
		return a
	}
	body, err := json.Marshal(struct {
		Status string `json:"status"`
		Events int64  `json:"events"`
	}{"ready", size})
	if err != nil {
		return refuse(http.StatusInternalServerError, "the status can't be written")
	}
	return answer{code: http.StatusOK, body: body}
}
