package serve_test

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"strata/cmd/strata/internal/serve"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/readapi"
)

// The disk of a Postgres that the server has not started is watched if the server is told where it is.
func TestDiskFolder(t *testing.T) {
	short.Skip(t, "waits until a disk is full")
	t.Parallel()
	url, more := pgtest.URL(t), "1000000000000000000" // than any disk has
	watching := serveHere(t, "--database-url", url, "--disk-folder", t.TempDir(), "--disk-floor", more, "--public-internals")
	got := watching.post("/attachments/new", []byte(`[]`))
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("an event, below the floor: got %d %s", got.Status, got.Body)
	}
	if got := watching.get("/readyz"); !strings.Contains(string(got.Body), "--disk-floor") {
		t.Errorf("readyz does not say that the disk is almost full: got %d %s", got.Status, got.Body)
	}
	if got := serveHere(t, "--database-url", url, "--disk-floor", more).post("/attachments/new", []byte(`[]`)); got.Status != http.StatusOK {
		t.Errorf("an event, when no disk is watched: got %d %s", got.Status, got.Body)
	}

	var cli struct {
		Serve serve.Command `cmd:""`
	}
	parser := must.Get(kong.New(&cli))(t)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	must.Get(parser.Parse([]string{
		"serve", "--roles", "api", "--api-addr", "127.0.0.1:0", "--admin-addr", "", "--database-url", url, "--disk-folder", nowhere,
	}))(t)
	err := cli.Serve.Serve(t.Context(), readapi.Version{}, slog.New(slog.DiscardHandler), func(string, string) {})
	if err == nil || !strings.Contains(err.Error(), "--disk-folder") || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("got %v, want an error that names the folder", err)
	}
}
