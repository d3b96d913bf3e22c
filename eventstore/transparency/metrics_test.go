package transparency_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/eventstore/transparency"
	"strata/internal/testkit/metric"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := newKey(t)
	registry := prometheus.NewRegistry()
	l := w.open(transparency.Config{Key: key})
	l.Instrument(registry)
	want := func(when, metrics string) {
		t.Helper()
		err := testutil.GatherAndCompare(registry, strings.NewReader(metrics), "strata_log_checkpoint_events", "strata_log_checkpoints_signed_total", "strata_log_signing_failures_total")
		if err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	metrics := func(events, signed, rollback, otherKey string) string {
		return `# HELP strata_log_checkpoint_events Events in the newest checkpoint, whoever signed it.
# TYPE strata_log_checkpoint_events gauge
strata_log_checkpoint_events ` + events + `
# HELP strata_log_checkpoints_signed_total Checkpoints that this process has signed.
# TYPE strata_log_checkpoints_signed_total counter
strata_log_checkpoints_signed_total ` + signed + `
# HELP strata_log_signing_failures_total Attempts to sign that failed: rollback (the log does not extend what was signed), mismatch (its rows are not those that were appended), other_key, or error.
# TYPE strata_log_signing_failures_total counter
strata_log_signing_failures_total{reason="error"} 0
strata_log_signing_failures_total{reason="mismatch"} 0
strata_log_signing_failures_total{reason="other_key"} ` + otherKey + `
strata_log_signing_failures_total{reason="rollback"} ` + rollback + "\n"
	}
	want("at the start", metrics("0", "0", "0", "0"))
	begin := time.Now().Unix()
	w.grow("x", 5)
	w.sign(l, true)
	w.sign(l, false)
	want("signed", metrics("5", "1", "0", "0"))
	signedAt, _ := metric.Sum(t, registry, "strata_log_checkpoint_timestamp_seconds")
	if end := time.Now().Unix() + 1; signedAt < float64(begin) || signedAt > float64(end) {
		t.Errorf("signed at %f, want between %d and %d", signedAt, begin, end)
	}

	// Another process, that has a key of its own and may not use it, and one that starts later.
	other, err := transparency.OpenKey(filepath.Join(t.TempDir(), "key"), origin)
	if err != nil {
		t.Fatal(err)
	}
	registry = prometheus.NewRegistry()
	stranger := w.open(transparency.Config{Key: other})
	stranger.Instrument(registry)
	if _, err := stranger.Sign(t.Context()); err == nil {
		t.Error("another key has signed")
	}
	want("with another key", metrics("5", "0", "0", "1"))
	registry = prometheus.NewRegistry()
	later := w.open(transparency.Config{Key: key})
	later.Instrument(registry)
	w.sign(later, false)
	want("started later", metrics("5", "0", "0", "0"))
	w.truncate(3)
	if _, err := later.Sign(t.Context()); err == nil {
		t.Error("a log that was cut off was signed")
	}
	want("cut off", metrics("5", "0", "1", "0"))
}
