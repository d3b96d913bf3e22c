package serve_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/alecthomas/kong"

	"strata/cmd/strata/internal/serve"
	"strata/internal/nodecompare"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/readapi"
)

// poorNode is a node of which all accounts are empty.
func poorNode(t *testing.T) (url string, requests *atomic.Int64) {
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v2/info":
			_, _ = fmt.Fprint(w, `{"network_id":1,"stacks_tip_height":1000000,"burn_block_height":1000000,"server_version":"node","is_fully_synced":true}`)
		case strings.HasPrefix(r.URL.Path, "/v2/accounts/"):
			requests.Add(1)
			_, _ = fmt.Fprint(w, `{"balance":"0x0","locked":"0x0","unlock_height":0,"nonce":0}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// TestCompare compares with the nodes of a server by default. What differs keeps all processes of its database from being ready for
// money, also after a restart, until it is accepted, and again when it changes.
func TestCompare(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	url := pgtest.URL(t)
	conn := pgtest.Connect(t, url)
	node, requests := poorNode(t)
	flags := []string{"--database-url", url, "--nodes", node}
	chain := synthchain.New(synthchain.Everything(5, synthchain.V40))
	posted := 0
	post := func(p *process, events int) {
		t.Helper()
		for range events {
			event := chain.Next()
			if got := p.post(event.Path, event.Body); got.Status != http.StatusOK {
				t.Fatalf("%s: got %d %s", event.Path, got.Status, got.Body)
			}
			posted++
		}
		p.caughtUp(int64(posted))
	}
	money := func(p *process) (status int, differing, accepted int) {
		t.Helper()
		got := p.get("/readyz?for=money")
		var ready struct {
			Checks struct{ Node *nodecompare.Known }
		}
		must.Do(t, json.Unmarshal(got.Body, &ready))
		if k := ready.Checks.Node; k != nil {
			differing, accepted = k.DifferingAccounts, k.AcceptedAccounts
		}
		return got.Status, differing, accepted
	}
	acceptAll := func() {
		t.Helper()
		known, err := nodecompare.Read(t.Context(), conn, 10000)
		if err != nil || known == nil {
			t.Fatalf("got %v (%v)", known, err)
		}
		for _, d := range known.Differences {
			must.Get(nodecompare.Accept(t.Context(), conn, d.Account, "the node is poor"))(t)
		}
	}

	p := serveHere(t, flags...)
	if status, differing, _ := money(p); differing != 0 || status != http.StatusServiceUnavailable {
		t.Errorf("before the first block: got %d, %d accounts", status, differing)
	}
	post(p, 30)
	eventually.Holds(t, "accounts differ", func() bool {
		status, differing, _ := money(p)
		return status == http.StatusServiceUnavailable && differing > 5
	})
	eventually.Holds(t, "all accounts that blocks touched were compared", func() (all bool) {
		must.Do(t, conn.QueryRow(t.Context(), `
			SELECT c.index_block_hash IS NOT DISTINCT FROM p.index_block_hash FROM log.comparison c, strata.projection p JOIN strata.active USING (name, version) WHERE name = 'balances'`).Scan(&all))
		return all
	})
	p.stop()
	_, found, _ := money(serveHere(t, "--database-url", url, "--roles", "api"))

	var lines logbuffer.Buffer
	p = serveAndLog(t, slog.New(slog.NewTextHandler(&lines, nil)), "--database-url", url, "--nodes", node, "--roles", "projector,api")
	if status, differing, accepted := money(p); status != http.StatusServiceUnavailable || differing != found || accepted != 0 {
		t.Errorf("after a restart: got %d, %d accounts, %d accepted, want %d", status, differing, accepted, found)
	}
	if !lines.HasLine("level=WARN", "the role compare is not among --roles") {
		t.Errorf("got %s, want a warning about the role that is missing", lines.String())
	}
	acceptAll()
	if status, differing, accepted := money(p); status != http.StatusOK || differing != 0 || accepted != found {
		t.Errorf("accepted: got %d, %d accounts, %d accepted, want 200, 0 and %d", status, differing, accepted, found)
	}
	if got := string(p.get("/extended/v1/status").Body); !strings.Contains(got, fmt.Sprintf(`"accepted_accounts":%d`, found)) || !strings.Contains(got, `"reason":"the node is poor"`) {
		t.Errorf("got the status %s, want what was accepted", got)
	}
	p.stop()

	before := requests.Load()
	p = serveHere(t, flags...)
	post(p, 10)
	eventually.Holds(t, "differences that have changed are not accepted", func() bool {
		status, differing, _ := money(p)
		return status == http.StatusServiceUnavailable && differing > 0
	})
	if requests.Load() == before {
		t.Error("the node was asked for nothing")
	}
}

// TestCheckCompare refuses settings that are wrong, and runs without a node unless the role is all that a process has.
func TestCheckCompare(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ args, want string }{
		{"--roles=compare", "the role compare needs a node"},
	} {
		var cli struct {
			Serve serve.Command `cmd:""`
		}
		parser := must.Get(kong.New(&cli))(t)
		must.Get(parser.Parse([]string{"serve", "--data-dir", t.TempDir(), tc.args}))(t)
		err := cli.Serve.Serve(t.Context(), readapi.Version{Tag: "test"}, slog.New(slog.DiscardHandler), func(string, string) {})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.args, err, tc.want)
		}
	}
}
