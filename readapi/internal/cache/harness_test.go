package cache_test

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	testmetric "strata/internal/testkit/metric"
	"strata/internal/testkit/must"
	"strata/readapi/internal/cache"
)

// text is the value of the tests.
type text struct{ string }

const header = "text:"

func (v *text) Weight() int                  { return 16 + len(v.string) }
func (v *text) AppendBinary(b []byte) []byte { return append(append(b, header...), v.string...) }

func parseText(_ cache.Key, b []byte) (*text, error) {
	body, ok := strings.CutPrefix(string(b), header)
	if !ok {
		return nil, errors.New("not a text")
	}
	return &text{body}, nil
}

// number makes distinct keys.
var number atomic.Uint64

// newKey returns a key that no other test has.
func newKey() (key cache.Key) {
	binary.BigEndian.PutUint64(key[:], number.Add(1))
	key[15] = 1
	return key
}

func newKeys() cache.Keys { return cache.Keys{Lasting: newKey(), Current: newKey()} }

// maker counts how often it makes.
type maker struct {
	count atomic.Int64
	take  time.Duration
}

// make makes the text under the given key.
func (m *maker) make(key cache.Key, body string) func(context.Context) (cache.Made[*text], error) {
	return func(ctx context.Context) (cache.Made[*text], error) {
		m.count.Add(1)
		select {
		case <-time.After(m.take):
		case <-ctx.Done():
			return cache.Made[*text]{}, ctx.Err()
		}
		return cache.Made[*text]{Key: key, Value: &text{body}, Keep: true}, nil
	}
}

// open returns a client as Open makes it, closed when the test ends.
func open(t testing.TB, url string) *cache.Client {
	t.Helper()
	client := must.Get(cache.Open(url))(t)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// openPatient returns a client that waits longer than a busy machine takes.
func openPatient(t testing.TB, url string) *cache.Client {
	t.Helper()
	mark := "?"
	if strings.Contains(url, "?") {
		mark = "&"
	}
	return open(t, url+mark+"dial_timeout=10s&read_timeout=10s&write_timeout=10s&pool_timeout=10s")
}

// start returns a cache, closed when the test ends, before the client.
func start(t testing.TB, config cache.Config[*text]) *cache.Cache[*text] {
	t.Helper()
	config.Parse = parseText
	c := cache.New(config)
	t.Cleanup(c.Close)
	return c
}

// mustDo returns what Do returns, without an error.
func mustDo(t testing.TB, c *cache.Cache[*text], keys cache.Keys, make func(context.Context) (cache.Made[*text], error)) string {
	t.Helper()
	value := must.Get(c.Do(t.Context(), keys, make))(t)
	return value.string
}

// journal keeps log records.
type journal struct {
	mu      sync.Mutex
	records []slog.Record
}

func (*journal) Enabled(context.Context, slog.Level) bool { return true }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler     { return j }
func (j *journal) WithGroup(string) slog.Handler          { return j }

func (j *journal) Handle(_ context.Context, r slog.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records = append(j.records, r)
	return nil
}

// messages returns those of a level.
func (j *journal) messages(level slog.Level) (messages []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.records {
		if r.Level == level {
			message := r.Message
			r.Attrs(func(a slog.Attr) bool {
				message += " " + a.String()
				return true
			})
			messages = append(messages, message)
		}
	}
	return messages
}

// metric returns the sum of a metric's values whose labels hold all the given values.
func metric(t testing.TB, registry *prometheus.Registry, name string, labels ...string) (sum float64) {
	t.Helper()
	var pairs []string
	for _, value := range labels {
		pairs = append(pairs, "", value)
	}
	sum, _ = testmetric.Sum(t, registry, "strata_cache_"+name, pairs...)
	return sum
}
