package observer_test

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/eventstore/observer"
	"strata/internal/accesslog"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// A panic costs the sender its answer, and nobody else anything. It is counted and logged.
func TestPanicIsCounted(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	var broken atomic.Bool
	broken.Store(true)
	var out lockedBuffer
	h := start(t, observer.Config{Registry: registry, Logger: slog.New(slog.NewTextHandler(&out, nil)), Full: func() bool {
		if broken.Load() {
			panic("a bug")
		}
		return false
	}})
	conn := h.dial()
	must.Get(conn.Write(nodeRequest("/new_block", []byte("{}"))))(t)
	if got, err := io.ReadAll(conn); err != nil || len(got) > 0 {
		t.Errorf("got %q and %v, want the connection to end", got, err)
	}
	if got := testutil.ToFloat64(accesslog.Panics(registry)); got != 1 {
		t.Errorf("%v panics are counted, want 1", got)
	}
	eventually.Holds(t, "the panic is logged", func() bool {
		return strings.Contains(out.String(), "level=WARN") && strings.Contains(out.String(), "a bug")
	})
	broken.Store(false)
	h.wantStored(h.send(nodeRequest("/new_block", []byte("{}"))))
}

// lockedBuffer is a log that is written and read at the same time.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
