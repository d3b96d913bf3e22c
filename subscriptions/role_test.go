package subscriptions

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/chain"
	"strata/projections/version"
	"strata/rig/replay"
	"strata/rig/subscriber"
	"strata/subscriptions/filter"
)

// world is a log that grows, and a role beside it.
type world struct {
	*testing.T
	log    *eventstore.Log
	source *synthchain.Chain
	chain  projections.Projection[projections.LogItem]
	role   *Role
	stop   func()
}

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	config := synthchain.Everything(seed, synthchain.V40)
	config.Network, config.SigningSample, config.Accounts, config.Maturity = synthchain.Mainnet, 100_000, 10, 6
	config.ForkProbability, config.MaxForkDepth, config.BitcoinReorgProbability = 0.25, 5, 0.05
	return &world{T: t, log: replay.NewLogApart(t), source: synthchain.New(config), chain: must.Get(chain.New(chain.Recommended, nil))(t)}
}

// grow appends posts, and lets the chain fold them.
func (w *world) grow(n int) {
	w.Helper()
	replay.Append(w, w.log, replay.Take(n, w.source.Next)...)
	replay.Run(w, w.log, w.chain)
}

// start starts a role, as in a new process.
func (w *world) start() *Role {
	w.Helper()
	r := must.Get(New(Config{Log: w.log, Allowed: []string{"127.0.0.0/8"}}))(w)
	r.deliveries.delays = slices.Repeat([]time.Duration{time.Millisecond}, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	w.role = r
	w.stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	pgtest.AtEnd(w, w.stop)
	return r
}

func (w *world) subscribe(text, url string, start *Start) *Subscription {
	w.Helper()
	in := &createInput{}
	in.Body.Name, in.Body.Filter, in.Body.URL, in.Body.Start = "test", json.RawMessage(text), url, start
	return must.Get(w.role.create(w.Context(), in))(w)
}

// quiet waits until a subscription has been looked at to the end, and delivered.
func (w *world) quiet(id string) *Subscription {
	w.Helper()
	var s *Subscription
	eventually.Holds(w, "everything is looked at and delivered", func() bool {
		s = must.Get(w.role.shown(w.Context(), uuid.MustParse(id)))(w)
		return s.LagSteps == 0 && (s.Pending == 0 || s.URL == "")
	})
	return s
}

// want returns what blocks have for a filter that are above the tip of a place, or became canonical after it.
func (w *world) want(text string, after place) (blocks []string, all map[string]string) {
	w.Helper()
	f := must.Get(filter.Compile([]byte(text)))(w)
	c := must.Get(w.role.chain(w.Context()))(w)
	all = map[string]string{}
	for _, row := range replay.Texts(w, w.log.Pool(), fmt.Sprintf(`SELECT block_seq FROM %s WHERE height > %d OR source_seq > %d ORDER BY height`,
		c.Table("canonical"), after.height, after.logSeq)) {
		var seq int64
		must.Get(fmt.Sscan(row, &seq))(w)
		b := must.Get(w.role.blocksAt(w.Context(), []int64{seq}))(w)[seq]
		if found := matches(f, b); len(found) > 0 {
			blocks = append(blocks, b.IndexBlockHash.String())
			all[b.IndexBlockHash.String()] = listed(w, found)
		}
	}
	return blocks, all
}

// listed returns matches as subscriber.Folded has them.
func listed(t testing.TB, found []Match) string {
	var all []json.RawMessage
	for _, m := range found {
		all = append(all, must.Get(encode(m))(t))
	}
	return fmt.Sprintf("%s", all)
}

// endpoint is a receiver that misbehaves: it refuses, and loses answers to what it has taken.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	t      *testing.T
	random *rand.Rand
	secret string
	faults int // of ten requests
	got    subscriber.Folded
	seen   map[string][]byte // by id
	wrong  []string
	loses  int
}

func newEndpoint(t *testing.T, seed uint64, faults int) *endpoint {
	e := &endpoint{t: t, random: rand.New(rand.NewPCG(seed, 1)), faults: faults, seen: map[string][]byte{}}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, err := io.ReadAll(r.Body)
	if err != nil { // the process ended amid it
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id := r.Header.Get(standardwebhooks.HeaderWebhookID)
	fault := e.random.IntN(10) < e.faults
	if fault && e.random.IntN(2) == 0 {
		w.WriteHeader([]int{500, 503, 429, 302, 404}[e.random.IntN(5)])
		return
	}
	if e.secret != "" {
		if err := must.Get(standardwebhooks.NewWebhook(e.secret))(e.t).Verify(text, r.Header); err != nil {
			e.wrong = append(e.wrong, err.Error())
		}
	}
	switch before := e.seen[id]; {
	case before != nil && !bytes.Equal(before, text):
		e.wrong = append(e.wrong, fmt.Sprintf("%s has other bytes now", id))
	case before == nil:
		e.seen[id] = text
		if err := e.got.Take(id, text); err != nil {
			e.wrong = append(e.wrong, err.Error())
		}
	}
	if fault { // the answer is lost
		e.loses++
		panic(http.ErrAbortHandler)
	}
}

const (
	everything = `{"any": [{"kind": ["block", "transaction"]}, {"kind": "print"}]}`
	transfers  = `{"kind": ["stx_transfer", "ft_transfer"], "amount": {"min": "1000"}}`
	prints     = `{"all": [{"kind": "print"}, {"not": {"kind": "print", "topic": "x"}}]}`
)

// Whoever folds the messages that were acknowledged has what the canonical chain has, whatever endpoints, processes and the chain do.
func TestFold(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 50+seed)
			random := rand.New(rand.NewPCG(seed, 2))
			w.grow(120)
			w.start()
			type one struct {
				*Subscription
				filter string
				after  place
				e      *endpoint
				pulled *subscriber.Folded
			}
			var all []*one
			subscribe := func(text string, start *Start) {
				o := &one{filter: text, after: must.Get(w.role.start(t.Context(), must.Get(w.role.chain(t.Context()))(t), start))(t)}
				if random.IntN(3) == 0 {
					o.pulled = &subscriber.Folded{}
					o.Subscription = w.subscribe(text, "", start)
				} else {
					o.e = newEndpoint(t, seed+uint64(len(all)), random.IntN(6))
					o.Subscription = w.subscribe(text, o.e.URL+"/hook", start)
					o.e.mu.Lock()
					o.e.secret = o.Secret
					o.e.mu.Unlock()
				}
				all = append(all, o)
			}
			zero, ten := int64(0), int64(10)
			for _, text := range []string{everything, transfers, prints} {
				subscribe(text, &Start{Height: &zero})
				subscribe(text, nil)
			}
			pull := func(o *one) {
				for {
					got := must.Get(w.role.pull(t.Context(), &pullInput{ID: o.ID, After: o.pulled.Sequence, Limit: 1 + random.IntN(20)}))(t)
					for _, m := range got.Results {
						if err := o.pulled.Take(m.ID, m.Body); err != nil {
							t.Fatal(err)
						}
					}
					if len(got.Results) == 0 {
						return
					}
				}
			}
			for range 8 {
				w.grow(30)
				switch random.IntN(4) {
				case 0: // the process is replaced
					w.stop()
					w.start()
				case 1:
					subscribe(everything, &Start{Height: &ten})
				case 2:
					o := all[random.IntN(len(all))]
					id := &idInput{ID: o.ID}
					must.Get(w.role.changed(t.Context(), id, w.role.pause(t.Context(), uuid.MustParse(o.ID), "test")))(t)
					w.grow(10)
					must.Get(w.role.changed(t.Context(), id, w.role.resume(t.Context(), uuid.MustParse(o.ID))))(t)
				}
				for _, o := range all {
					if o.pulled != nil && random.IntN(2) == 0 {
						pull(o)
					}
				}
			}
			rollbacks := 0
			for _, o := range all {
				w.quiet(o.ID)
				got := o.pulled
				if got != nil {
					pull(o)
				} else {
					o.e.mu.Lock()
					got = &o.e.got
					if len(o.e.wrong) > 0 {
						t.Errorf("%s from %d: %v", o.filter, o.after.height, o.e.wrong)
					}
					o.e.mu.Unlock()
				}
				blocks, want := w.want(o.filter, o.after)
				if !slices.Equal(got.Blocks, blocks) || !maps.Equal(got.Matches, want) {
					t.Errorf("%s from %d: %d messages lead to %d blocks, want %d", o.filter, o.after.height, got.Sequence, len(got.Blocks), len(blocks))
				}
				rollbacks += int(got.Sequence) - len(got.Blocks)
			}
			if rollbacks == 0 {
				t.Error("there was no rollback")
			}
		})
	}
}

// An endpoint that hangs, or fails, keeps nobody else waiting; 410 ends deliveries, and so do days of failures, and nothing is lost.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.grow(60)
	r := w.start()
	r.deliveries.delays = []time.Duration{time.Millisecond, time.Millisecond}
	hang := make(chan struct{})
	gone, failing := http.StatusGone, http.StatusInternalServerError
	var mu sync.Mutex
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer slow.Close()
	defer close(hang)
	status := func(code *int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			w.WriteHeader(*code)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	zero := &Start{Height: new(int64)}
	stuck := w.subscribe(everything, slow.URL, zero)
	ended := w.subscribe(everything, status(&gone), zero)
	broken := w.subscribe(everything, status(&failing), zero)
	good := newEndpoint(t, 1, 0)
	well := w.subscribe(everything, good.URL, zero)
	if got := w.quiet(well.ID); got.Messages == 0 || got.State != "healthy" {
		t.Errorf("got %+v", got)
	}
	if got := must.Get(r.shown(t.Context(), uuid.MustParse(stuck.ID)))(t); got.Delivered != 0 {
		t.Errorf("a message was acknowledged by nobody: %+v", got)
	}
	for _, s := range []*Subscription{ended, broken} {
		eventually.Holds(t, "it is paused", func() bool { return must.Get(r.shown(t.Context(), uuid.MustParse(s.ID)))(t).State == "paused" })
	}
	if got := must.Get(r.shown(t.Context(), uuid.MustParse(broken.ID)))(t); got.Delivered != 0 || !strings.Contains(got.Reason, "500") || got.Messages == 0 {
		t.Errorf("got %+v", got)
	}
	attempts := must.Get(r.attempts(t.Context(), &idInput{ID: broken.ID}))(t)
	if len(attempts.Results) != 3 || attempts.Results[0].Status != failing || attempts.Results[0].Error == "" {
		t.Errorf("got %+v", attempts)
	}
	mu.Lock()
	failing = http.StatusNoContent
	mu.Unlock()
	must.Do(t, r.resume(t.Context(), uuid.MustParse(broken.ID)))
	if got := w.quiet(broken.ID); got.Delivered == 0 || got.Delivered != got.Messages {
		t.Errorf("after it was mended: %+v", got)
	}
}

// Addresses that are not public get nothing, unless they are allowed.
func TestDestinations(t *testing.T) {
	t.Parallel()
	r := &Role{allowed: []string{"hooks.example.org", "127.0.0.1"}}
	for url, ok := range map[string]bool{
		"": true, "https://example.org/x": true, "http://example.org/x": false, "http://hooks.example.org": true, "http://127.0.0.1:1/x": true, "http://127.0.0.2/": false,
		"ftp://example.org": false, "https://": false, "https://a:b@example.org": false, "/x": false, "https://example.org/#x": false,
	} {
		if err := r.checkURL(url); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
	}
	e := newEndpoint(t, 1, 0)
	d := &deliveries{client: newClient(nil, nil)}
	a := d.attempt(t.Context(), &delivery{url: e.URL, secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}, 1, []byte("{}"))
	if a.status != 0 || !strings.Contains(a.err, "not a public address") || len(e.seen) > 0 {
		t.Errorf("got %+v", a)
	}
}

// What an endpoint answers can be written down, whatever bytes it has.
func TestOddAnswer(t *testing.T) {
	t.Parallel()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = l.Close() }()
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.1 500 \xff\xfe\r\nContent-Length: 3\r\nConnection: close\r\n\r\n\x00\xffx")
			_ = c.Close()
		}
	}()
	w := newWorld(t, 6)
	w.grow(20)
	w.start().deliveries.delays = nil
	s := w.subscribe(everything, "http://"+l.Addr().String(), &Start{Height: new(int64)})
	eventually.Holds(t, "it is paused", func() bool { return must.Get(w.role.shown(t.Context(), uuid.MustParse(s.ID)))(t).State == "paused" })
	if got := must.Get(w.role.attempts(t.Context(), &idInput{ID: s.ID}))(t); got.Results[0].Status != 500 || got.Results[0].Answer != "\uFFFD\uFFFDx" {
		t.Errorf("got %+v", got)
	}
}

// Vectors of Standard Webhooks 1.0.0, from two independent implementations.
func TestSign(t *testing.T) {
	t.Parallel()
	const text = `{"type":"stacks.block.apply","timestamp":"2026-01-02T03:04:05Z","data":{"position":42}}`
	for secret, want := range map[string]string{
		"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=": "v1,3/gRcNP9MyN8iYy4kiXh0jcKfLVvAcFGrFhGTn8qBSo=",
		"whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno":             "v1,zh6eLmuV+kxbhas8Qf7in0n1bWiJIg1Lvh9S3Lb5tn0=",
	} {
		if got := must.Get(sign(secret, "msg_strata_0001", time.Unix(1767323045, 0), []byte(text)))(t); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Attempts are made for three days, ever less often, and when the endpoint asks for it.
func TestDelays(t *testing.T) {
	t.Parallel()
	var total time.Duration
	for n := 1; n <= len(delays); n++ {
		wait, ok := delayed(delays, n, 0, 0)
		most, _ := delayed(delays, n, 0, 1)
		if !ok || most > wait*12/10+1 || most < wait {
			t.Errorf("after %d failures: %v to %v, %t", n, wait, most, ok)
		}
		total += wait
	}
	if _, ok := delayed(delays, len(delays)+1, 0, 0); ok || total < 72*time.Hour || total > 80*time.Hour {
		t.Errorf("%v in all", total)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "-5": 0, "x": 0, "999999999": retryAfterMost, now.Add(time.Hour).Format(http.TimeFormat): time.Hour, now.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("Retry-After: %s is %v, want %v", header, got, want)
		}
	}
	if wait, _ := delayed(delays, 1, time.Hour, 0); wait != time.Hour {
		t.Errorf("an hour was asked for, and it is %v", wait)
	}
}

// checkWhole checks that an endpoint has everything of the canonical chain.
func (w *world) checkWhole(e *endpoint) {
	w.Helper()
	blocks, want := w.want(everything, place{height: -1})
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.wrong) > 0 || !slices.Equal(e.got.Blocks, blocks) || !maps.Equal(e.got.Matches, want) {
		w.Errorf("%v: %d blocks, want %d", e.wrong, len(e.got.Blocks), len(blocks))
	}
}

// Of two processes one matches; the other one takes over when that ends, or stands still.
func TestTakeover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.grow(40)
	first := w.start()
	stopFirst := w.stop
	e := newEndpoint(t, 1, 0)
	s := w.subscribe(everything, e.URL, &Start{Height: new(int64)})
	w.quiet(s.ID)
	second := w.start()
	if err := second.hold(t.Context()); err != errNotHolder { //nolint:errorlint // it is returned as it is
		t.Errorf("both hold the row: %v", err)
	}
	stopFirst()
	w.grow(40)
	w.quiet(s.ID)

	// One that stood still writes nothing once another has taken its place.
	h := &holder{Role: first}
	if err := h.write(t.Context(), nil); err != errNotHolder { //nolint:errorlint // it is returned as it is
		t.Errorf("the first one still writes: %v", err)
	}
	w.checkWhole(e)
}

// Subscriptions go on when the chain is rebuilt.
func TestRebuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.grow(80)
	w.start()
	e := newEndpoint(t, 1, 0)
	s := w.subscribe(everything, e.URL, &Start{Height: new(int64)})
	late := w.subscribe(transfers, "", nil)
	w.quiet(s.ID)
	must.Do(t, w.role.pause(t.Context(), uuid.MustParse(late.ID), "test"))
	lines := projections.Lines{projections.Chain(w.chain)}
	built := must.Get(version.Rebuild(t.Context(), w.log.Pool(), lines, version.RebuildOptions{Name: "chain"}))(t)
	stop := replay.Start(t, w.log, w.chain)
	eventually.Holds(t, "the rebuilt chain is active", func() bool {
		_, err := version.Activate(t.Context(), w.log.Pool(), lines, built)
		return err == nil
	})
	stop()
	must.Do(t, w.role.resume(t.Context(), uuid.MustParse(late.ID)))
	w.grow(40)
	w.quiet(s.ID)
	w.quiet(late.ID)
	w.checkWhole(e)
}

// A dry run has what a subscription gets; and what is not there is said.
func TestDryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	w.grow(80)
	w.start()
	in := &dryRunInput{}
	in.Body.Filter, in.Body.Start = json.RawMessage(transfers), Start{Height: new(int64)}
	dry := must.Get(w.role.dryRun(t.Context(), in))(t)
	blocks, _ := w.want(transfers, place{height: -1})
	if dry.Messages != int64(len(blocks)) || dry.Next != nil || dry.Matches < dry.Messages || int64(len(dry.Samples)) != min(dry.Matches, drySamples) {
		t.Errorf("got %+v, want %d messages", dry, len(blocks))
	}
	high := int64(1 << 40)
	in.Body.Start = Start{Height: &high}
	if _, err := w.role.dryRun(t.Context(), in); err == nil || !strings.Contains(err.Error(), "no canonical block") {
		t.Errorf("got %v", err)
	}
	if _, err := w.role.shown(t.Context(), uuid.New()); err != ErrNotFound { //nolint:errorlint // it is returned as it is
		t.Errorf("got %v", err)
	}
	s := w.subscribe(everything, "", &Start{Height: new(int64)})
	w.quiet(s.ID)
	if _, err := w.role.pull(t.Context(), &pullInput{ID: s.ID, After: 1 << 40, Limit: 1}); err == nil {
		t.Error("a message that is not there was acknowledged")
	}
}
