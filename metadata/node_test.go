package metadata_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/short"
)

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "no")
	}
}

// When the first node fails, the second one gets the request.
func TestFailover(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		failure fetch.Failure
		status  int
		last    bool // it counts as the answer
	}{
		"error of the server": {status(500), "", 500, false},
		"unknown block":       {status(404), "", 404, false},
		"too many requests":   {status(429), "", 429, false},
		"bad request":         {status(400), "", 400, true},
		"redirect":            {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "", 302, true},
		"slow":                {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, fetch.FailureTimeout, 0, false},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		}, fetch.FailureConnection, 200, false},
		"too large": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20+1)) }, fetch.FailureTooLarge, 200, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := openLog(t, databases.New(t))
			bad, good := newNode(t, c.handler), newNode(t, nil)
			raise(t, log.Pool(), "ft_v1", row{want: contractRead("a", "b")})
			settings := config(log, bad.URL, good.URL)
			if c.failure == fetch.FailureTimeout {
				settings.NodeTimeout = 2 * time.Second
			}
			got := run(t, settings).awaitReport(t).Exchanges
			first := got[0]
			if first.Gateway != bad.URL || first.Status != c.status || first.Failure != c.failure || (first.Error != "") != (c.failure != "") {
				t.Errorf("got %+v first", first)
			}
			if c.failure != "" && first.Body != nil {
				t.Errorf("got a body of %d bytes with the failure", len(first.Body))
			}
			var calls []string
			for _, e := range got {
				calls = append(calls, fmt.Sprintf("%d %v", e.Call, e.Gateway == good.URL))
			}
			want := "0 false,0 true,1 true"
			if c.last {
				want = "0 false,1 false"
			}
			if got := strings.Join(calls, ","); got != want {
				t.Errorf("got calls %s, want %s", got, want)
			}
		})
	}
}

// If the only node fails at one call, the others are made all the same. A node that fails at two in a row
// gets no more.
func TestOneCallFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		failing, want string // the functions, and the calls made
	}{
		{"a", "a b c d"}, {"b", "a b c d"}, {"d", "a b c d"}, {"a c", "a b c d"}, {"a b", "a b"}, {"b c d", "a b c"}, {"a b c d", "a b"},
	} {
		for name, handler := range map[string]http.HandlerFunc{
			"status": status(500), "slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		} {
			t.Run(tc.failing+" "+name, func(t *testing.T) {
				t.Parallel()
				log := openLog(t, databases.New(t))
				node := newNode(t, func(w http.ResponseWriter, r *http.Request) {
					if function := path.Base(r.URL.Path); strings.Contains(tc.failing, function) {
						handler(w, r)
						return
					}
					_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
				})
				raise(t, log.Pool(), "ft_v1", row{want: contractRead("a", "b", "c", "d")})
				settings := config(log, node.URL)
				if name == "slow" {
					settings.NodeTimeout = time.Second
				}
				var calls []string
				for _, e := range run(t, settings).awaitReport(t).Exchanges {
					function := string("abcd"[e.Call])
					if failed := e.Failure != "" || e.Status != http.StatusOK; failed != strings.Contains(tc.failing, function) {
						t.Errorf("%s: got %+v", function, e)
					}
					calls = append(calls, function)
				}
				if got := strings.Join(calls, " "); got != tc.want {
					t.Errorf("got calls %s, want %s", got, tc.want)
				}
			})
		}
	}
}

// While the only node is down, few wants are recorded as failed, and the others wait. Ejection and readmission are
// logged once.
func TestAnOutageOfTheNode(t *testing.T) {
	short.Skip(t, "waits for probes of a node")
	t.Parallel()
	log := openLog(t, databases.New(t))
	var down atomic.Bool
	down.Store(true)
	node := newNode(t, func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			panic(http.ErrAbortHandler) // cuts the connection
		}
		_, _ = io.WriteString(w, `{}`)
	})
	const wants = 100
	for i := range wants {
		raise(t, log.Pool(), "ft_v1", row{want: contractRead(fmt.Sprintf("get-%d", i))})
	}
	c := config(log, node.URL)
	logged := &logbuffer.Buffer{}
	c.Logger = slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelInfo}))
	r := run(t, c)
	eventually.Holds(t, "there is a report on the failing node", func() bool { return len(reports(t, log)) > 0 })
	eventually.Holds(t, "the node is ejected", func() bool { return logged.HasLine("node ejected") })
	before := len(node.requests())
	eventually.Holds(t, "the node is probed, again and again", func() bool { return len(node.requests()) >= before+2 })
	failed := reports(t, log)
	if len(failed) > wants/2 {
		t.Errorf("%d of %d wants were recorded as failed in an outage", len(failed), wants)
	}
	for _, r := range failed {
		if e, ok := r.Last(); !ok || e.Failure != fetch.FailureConnection || e.Status != 0 || e.Gateway != node.URL {
			t.Errorf("got %+v", r)
		}
	}
	down.Store(false)
	r.awaitReports(t, wants)
	for _, text := range []string{"node ejected", "node readmitted"} {
		if got := strings.Count(logged.String(), text); got != 1 {
			t.Errorf("%q was logged %d times, want once", text, got)
		}
	}
}

// An attempt is cut short by AttemptTimeout, and its report says so.
func TestAttemptTimeout(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("a", "b")})
	c := config(log, node.URL)
	c.AttemptTimeout, c.NodeTimeout = 300*time.Millisecond, time.Minute
	r := run(t, c).awaitReport(t)
	if len(r.Exchanges) != 1 || r.Exchanges[0].Failure != fetch.FailureTimeout {
		t.Errorf("got %+v", r)
	}
	if took := r.FinishedAt.Sub(r.StartedAt); took >= c.NodeTimeout {
		t.Errorf("the attempt took %s", took)
	}
}

func TestInvalidContractID(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	want := contractRead("a")
	want.Contract = "nonsense"
	raise(t, log.Pool(), "ft_v1", row{want: want})
	if e, ok := run(t, config(log, node.URL)).awaitReport(t).Last(); !ok || e.Failure != fetch.FailureURI {
		t.Errorf("got %+v", e)
	}
	if got := node.requests(); len(got) != 0 {
		t.Errorf("the node got %v, want no request", got)
	}
}
