package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"strata/cmd/strata/internal/serve"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/serverrig"
	"strata/internal/testkit/short"
	"strata/readapi"
	"strata/rig/replay"
)

// TestReplicas runs the roles on servers of their own, with a primary that is written and two replicas that are read. A replica
// that lags or dies is left out and comes back, without an error for readers; a request that asks for a position gets it from
// the primary; and when the primary dies, nothing that was acknowledged is lost, because commits are synchronous.
func TestReplicas(t *testing.T) {
	t.Parallel()
	short.Skip(t, "it runs three servers of Postgres and four of Strata")
	primary := pgtest.Dedicated(t)
	serveHere(t, "--roles", "observer,projector", "--database-url", primary.URL()).stop() // it creates the log
	all := map[string]*pgtest.Replica{}
	var replicas []*pgtest.Replica
	var urls []string
	for range 2 {
		r := primary.Replica(t)
		replicas, urls = append(replicas, r), append(urls, r.URL())
		all[serverName(t, r.URL())] = r
	}
	anywhere := several(t, primary.URL(), urls...)
	writer := serveHere(t, "--roles", "observer,projector", "--database-url", anywhere)
	reads := []string{"--roles", "api", "--database-url", anywhere, "--database-read-url", strings.Join(urls, ";"), "--public-internals"}
	reader := serveHere(t, reads...)
	serveHere(t, reads...)

	made := synthchain.New(synthchain.Everything(4, synthchain.V40))
	posted := int64(0)
	post := func(n int) {
		t.Helper()
		for range n {
			p := made.Next()
			eventually.Holds(t, "an event is acknowledged", func() bool { return writer.post(p.Path, p.Body).Status == http.StatusOK })
			posted++
		}
	}
	post(40)
	reader.caughtUp(posted)
	chosen := reader.chosen()
	if all[chosen] == nil {
		t.Fatalf("reads go to %s, want a replica of %v", chosen, urls)
	}

	// It lags. A position that it does not have comes from the primary, and soon all reads go to the other replica.
	all[chosen].Pause(t)
	post(5)
	began := time.Now()
	got := reader.get(fmt.Sprintf("/extended/v2/blocks?limit=1&min_position=%d", posted))
	if chosen != reader.chosen() {
		t.Log("reads had gone elsewhere before the answer")
	}
	if got.Status != http.StatusOK || position(t, got) < posted {
		t.Errorf("with min_position=%d: got %d at %d after %s", posted, got.Status, position(t, got), time.Since(began))
	}
	lagged := chosen
	eventually.Holds(t, "reads go elsewhere", func() bool { post(1); return reader.chosen() != lagged })
	if chosen = reader.chosen(); all[chosen] == nil {
		t.Errorf("reads went to %s, want the other replica", chosen)
	}
	reader.caughtUp(posted)
	all[lagged].Resume(t)
	eventually.Holds(t, "the replica that lagged is good again", func() bool { return reader.metric("strata_read_database_up", lagged) == "1" })

	// It dies. No reader sees that.
	stop := reader.readAlways()
	all[chosen].Kill(t)
	eventually.Holds(t, "reads go elsewhere", func() bool { return reader.chosen() == lagged })
	post(5)
	reader.caughtUp(posted)
	stop()
	all[chosen].Start(t)
	eventually.Holds(t, "the replica that died is good again", func() bool { return reader.metric("strata_read_database_up", chosen) == "1" })

	// Both die: the primary is read.
	for _, r := range replicas {
		r.Kill(t)
	}
	eventually.Holds(t, "the primary is read", func() bool { return strings.Contains(reader.chosen(), "(primary)") })
	post(1)
	reader.caughtUp(posted)
	for _, r := range replicas {
		r.Start(t)
	}
	eventually.Holds(t, "a replica is read", func() bool { return all[reader.chosen()] != nil })

	// The primary dies under load, with commits that wait for a replica. The replica that has most is promoted.
	primary.Set(t, "synchronous_standby_names", "ANY 1 (*)")
	acknowledged, end := writer.postAlways()
	eventually.Holds(t, "events are acknowledged", func() bool { return acknowledged.Load() > 30 })
	primary.Kill(t)
	slices.SortFunc(replicas, func(a, b *pgtest.Replica) int { return int(b.Received(t) - a.Received(t)) })
	replicas[0].Promote(t)
	replicas[1].Follow(t, replicas[0].Server)
	before := acknowledged.Load()
	eventually.Holds(t, "events are acknowledged again", func() bool { return acknowledged.Load() > before+5 })
	bodiesOfAll := end()
	stored := bodies(t, replicas[0].URL())
	for _, body := range bodiesOfAll {
		if !slices.Contains(stored, body) {
			t.Errorf("%s was acknowledged, and is lost", body)
		}
	}
	posted = int64(len(stored))
	post(10)
	reader.caughtUp(posted)
	if tip, want := reader.status().ChainTip.IndexBlockHash, made.Expected().Tip.IndexHash.String(); tip != want {
		t.Errorf("got the tip %s, want %s", tip, want)
	}
}

// process is a server of its own in this process.
type process struct {
	t             *testing.T
	api, observer string // URLs; empty without the role
	stop          func()
}

// serveHere starts a server on free ports, and returns when it listens. It is stopped at the end of the test.
func serveHere(t *testing.T, args ...string) *process {
	t.Helper()
	return serveAndLog(t, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), args...)
}

// serveAndLog is serveHere with a logger.
func serveAndLog(t *testing.T, logger *slog.Logger, args ...string) *process {
	t.Helper()
	var cli struct {
		Serve serve.Command `cmd:""`
	}
	parser := must.Get(kong.New(&cli))(t)
	all := []string{
		"serve", "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0", "--admin-addr", "", "--allow-unsafe-database", "--data-dir", t.TempDir(),
	}
	must.Get(parser.Parse(append(all, args...)))(t)
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{t: t}
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- cli.Serve.Serve(ctx, readapi.Version{Tag: "test"}, logger, func(api, observer string) {
			p.api, p.observer = "http://"+api, "http://"+observer
			close(ready)
		})
	}()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := eventually.Receive(t, "the server ends", ended); err != nil {
			t.Errorf("strata serve %v: %v", args, err)
		}
	})
	pgtest.AtEnd(t, p.stop)
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		t.Fatalf("strata serve %v ended: %v", args, err)
	}
	return p
}

func (s *process) do(method, url string, body []byte) serverrig.Reply {
	s.t.Helper()
	got, err := serverrig.Ask(context.Background(), 2*time.Minute, method, url, http.Header{"Content-Type": {"application/json"}}, body)
	if err != nil {
		s.t.Error(err)
	}
	return got
}

func (s *process) get(path string) serverrig.Reply { return s.do(http.MethodGet, s.api+path, nil) }

func (s *process) post(path string, body []byte) serverrig.Reply {
	return s.do(http.MethodPost, s.observer+path, body)
}

// status is what /extended/v1/status says.
type status struct {
	ChainTip struct {
		IndexBlockHash string `json:"index_block_hash"`
	} `json:"chain_tip"`
	Strata struct {
		LogSize     int64 `json:"log_size"`
		Projections []struct{ Lag int64 }
	} `json:"strata"`
}

func (s *process) status() (now status) {
	s.t.Helper()
	if got := s.get("/extended/v1/status"); got.Status == http.StatusOK {
		if err := json.Unmarshal(got.Body, &now); err != nil {
			s.t.Error(err)
		}
	}
	return now
}

// caughtUp waits until the read tables reflect the first size events of the log.
func (s *process) caughtUp(size int64) {
	s.t.Helper()
	eventually.Holds(s.t, "the read tables catch up", func() bool {
		now := s.status()
		behind := now.Strata.LogSize < size || len(now.Strata.Projections) == 0
		for _, p := range now.Strata.Projections {
			behind = behind || p.Lag > 0
		}
		return !behind
	})
}

// bodies returns the bodies in the log of a database.
func bodies(t *testing.T, url string) (texts []string) {
	t.Helper()
	for _, body := range replay.Bodies(t, pgtest.Connect(t, url)) {
		texts = append(texts, string(body))
	}
	return texts
}

// several returns a URL for whichever of these servers can be written to.
func several(t *testing.T, first string, others ...string) string {
	t.Helper()
	hosts, ports := []string{}, []string{}
	parsed := must.Get(url.Parse(first))(t)
	for _, text := range append([]string{first}, others...) {
		u := must.Get(url.Parse(text))(t)
		hosts, ports = append(hosts, u.Query().Get("host")), append(ports, u.Query().Get("port"))
	}
	query := parsed.Query()
	query.Set("host", strings.Join(hosts, ","))
	query.Set("port", strings.Join(ports, ","))
	query.Set("target_session_attrs", "read-write")
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

// serverName is how metrics call a server.
func serverName(t *testing.T, text string) string {
	t.Helper()
	u := must.Get(url.Parse(text))(t)
	return fmt.Sprintf("%s:%s%s", u.Query().Get("host"), u.Query().Get("port"), u.Path)
}

// chosen is the database that reads go to; empty while it is not known.
func (s *process) chosen() string {
	s.t.Helper()
	for line := range strings.Lines(string(s.get("/metrics").Body)) {
		if rest, ok := strings.CutPrefix(line, `strata_read_database_chosen{server="`); ok {
			if name, value, _ := strings.Cut(rest, `"} `); strings.TrimSpace(value) == "1" {
				return name
			}
		}
	}
	return ""
}

// metric is the value of a metric with a label server.
func (s *process) metric(name, server string) string {
	s.t.Helper()
	for line := range strings.Lines(string(s.get("/metrics").Body)) {
		if rest, ok := strings.CutPrefix(line, name+`{server="`+server+`"} `); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

var logPosition = regexp.MustCompile(`log=(\d+)`)

// position is the position of the log that an answer shows.
func position(t testing.TB, got serverrig.Reply) int64 {
	t.Helper()
	match := logPosition.FindStringSubmatch(got.Header.Get("Strata-Position"))
	if match == nil {
		return -1
	}
	return must.Get(strconv.ParseInt(match[1], 10, 64))(t)
}

// readAlways reads what is not cached until stop is called. Every answer is to be 200.
func (s *process) readAlways() (stop func()) {
	var wait sync.WaitGroup
	end := make(chan struct{})
	for reader := range 2 {
		wait.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-end:
					return
				default:
				}
				path := fmt.Sprintf("/extended/v2/blocks?limit=%d&offset=%d", 1+i%20, i%7)
				if got := s.get(path); got.Status != http.StatusOK || position(s.t, got) < 0 {
					s.t.Errorf("reader %d, %s: got %d %s", reader, path, got.Status, got.Body)
					return
				}
			}
		})
	}
	return func() {
		close(end)
		wait.Wait()
	}
}

// postAlways posts until end is called, which returns the bodies that were acknowledged.
func (s *process) postAlways() (acknowledged *atomic.Int64, end func() []string) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var kept []string
	acknowledged = &atomic.Int64{}
	stop := make(chan struct{})
	for poster := range 3 {
		wait.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				body := fmt.Sprintf(`["%d of poster %d"]`, i, poster)
				if s.post("/attachments/new", []byte(body)).Status == http.StatusOK {
					mu.Lock()
					kept = append(kept, body)
					mu.Unlock()
					acknowledged.Add(1)
				}
			}
		})
	}
	return acknowledged, func() []string {
		close(stop)
		wait.Wait()
		return kept
	}
}
