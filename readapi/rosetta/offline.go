package rosetta

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"strata/readapi/internal/answer"
)

// Offline returns a handler of the operations that need neither a database nor a node, in both dialects: to construct
// and sign transactions where nothing else can be reached. Other operations are not there.
func Offline(config Config, logger *slog.Logger) http.Handler {
	s := &service{config: config}
	mux := http.NewServeMux()
	for prefix, d := range config.dialects() {
		c := &call{s, d}
		for _, p := range c.endpoints() {
			if p.offline {
				mux.HandleFunc("POST "+prefix+p.path, func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, p, logger) })
			}
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if len(r.URL.Path) > 1 {
			r.URL.Path = strings.TrimRight(r.URL.Path, "/")
		}
		mux.ServeHTTP(w, r)
	})
}

// serve answers a request of a process without a database.
func (c *call) serve(w http.ResponseWriter, r *http.Request, p endpoint, logger *slog.Logger) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMax))
	if err != nil {
		http.Error(w, http.StatusText(http.StatusRequestEntityTooLarge), http.StatusRequestEntityTooLarge)
		return
	}
	built := c.respond(r.Context(), p, body)
	built.Serve(w, r, answer.Moment{})
	logger.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelDebug, "request", slog.String("path", r.URL.Path))
}

// AtRoot returns a handler that serves the mesh dialect at the root, as stacks-mesh-api does: all serves it under its
// path.
func AtRoot(all http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := *r
		target := *r.URL
		target.Path, target.RawPath = MeshPath+target.Path, ""
		inner.URL, inner.RequestURI = &target, target.RequestURI()
		all.ServeHTTP(w, &inner)
	})
}
