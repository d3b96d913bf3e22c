package proxy

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"strata/domain/hash"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
)

var txid = strings.Repeat("5a", 32)

func accept(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	status(200, `"`+txid+`"`)(w, r)
}

func rejected(reason string) http.HandlerFunc {
	return status(400, fmt.Sprintf(`{"error":"transaction rejected","reason":%q,"txid":%q}`, reason, txid))
}

func (t *testProxy) send(tb testing.TB) reply {
	tb.Helper()
	return t.do(tb, http.MethodPost, "/v2/transactions", "\x00\x01transaction", "Content-Type", "application/octet-stream")
}

func TestBroadcast(t *testing.T) {
	tests := []struct {
		name        string
		first, next http.HandlerFunc
		behind      bool // whether the first node is behind
		status      int
		says        string
		requests    int64 // at the second
	}{
		{"accepted", accept, accept, false, 200, txid, 0},
		{"cut", cut, accept, false, 200, txid, 1},
		{"failed", status(500, "x"), accept, false, 200, txid, 1},
		{"server failure", rejected("ServerFailureDatabase"), accept, false, 200, txid, 1},
		{"refused", rejected("FeeTooLow"), accept, false, 400, "FeeTooLow", 0},
		{"no transaction", status(400, "Failed to deserialize"), accept, false, 400, "deserialize", 0},
		{"bad nonce", rejected("BadNonce"), accept, false, 400, "BadNonce", 0},
		{"bad nonce, but behind", rejected("BadNonce"), accept, true, 200, txid, 1},
		{"bad nonce, and the next says so too", rejected("BadNonce"), rejected("NotEnoughFunds"), true, 400, "NotEnoughFunds", 1},
		{"bad nonce, and the next fails", rejected("BadNonce"), status(500, "x"), true, 400, "BadNonce", 1},
		{"too low, but behind", rejected("FeeTooLow"), accept, true, 400, "FeeTooLow", 0},
		{"all fail", cut, status(500, "both"), false, 500, "both", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first, second := newNode(t, 100), newNode(t, 100)
			first.respond(tt.first)
			second.respond(tt.next)
			p := startProxy(t, Config{}, first, second)
			if tt.behind {
				second.height.Store(102) // the first is within the limit
				eventually.Holds(t, "the tip is known", func() bool { return p.pool.Tip().Height == 102 })
			}
			// The second node is busier, so the first is tried first.
			other, _ := p.pool.NodeByName(second.name)
			seat, ok := p.pool.TrySeat(other, heavyEndpoint)
			if !ok {
				t.Fatal("no seat")
			}
			defer seat.Leave(0)
			p.send(t).want(t, tt.status, tt.says)
			if n := second.requests.Load(); n != tt.requests || first.requests.Load() == 0 {
				t.Errorf("%d requests at the first node, %d at the second; want some and %d", first.requests.Load(), n, tt.requests)
			}
		})
	}
}

// A refusal by a node that is behind stands if no other node decides: it is logged as a decision, not as a failure.
func TestRefusalStands(t *testing.T) {
	for _, tt := range []struct {
		name        string
		first, next http.HandlerFunc
		stands      bool
		want        string
	}{
		{"no other answer", rejected("NoSuchContract"), cut, true, "NoSuchContract"},
		{"the other fails", rejected("NoSuchContract"), status(500, "x"), true, "NoSuchContract"},
		{"both fail", rejected("ServerFailureDatabase"), status(500, "x"), false, "ServerFailureDatabase"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, second := newNode(t, 100), newNode(t, 100)
			first.respond(tt.first)
			second.respond(tt.next)
			log := &logbuffer.Buffer{}
			p := startProxy(t, Config{Logger: slog.New(slog.NewTextHandler(log, nil))}, first, second)
			second.height.Store(102)
			eventually.Holds(t, "the tip is known", func() bool { return p.pool.Tip().Height == 102 })
			p.send(t).want(t, 400, tt.want)
			if stands := log.HasLine("level=INFO", "transaction sent to a node", "reason="+tt.want, "node="+first.name); stands != tt.stands {
				t.Errorf("logged as a decision: %t, want %t", stands, tt.stands)
			}
			if warned := log.HasLine("level=WARN", "no node accepted or refused the transaction"); warned == tt.stands {
				t.Errorf("warned: %t, want %t", warned, !tt.stands)
			}
		})
	}
}

// Requests about a transaction go to the node that accepted it. If the proxy knows no such node, they go to all in
// turn.
func TestPreferHolders(t *testing.T) {
	nodes := []*fakeNode{newNode(t, 100), newNode(t, 100), newNode(t, 100)}
	for _, n := range nodes {
		n.respond(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				accept(w, r)
				return
			}
			http.NotFound(w, r)
		})
	}
	p := startProxy(t, Config{}, nodes...)
	holder := p.send(t).node()
	for _, n := range nodes {
		if n.name == holder {
			n.respond(status(200, `{"status":"Mempool"}`))
		}
	}
	for range 10 {
		for _, target := range []string{"/v2/transactions/unconfirmed/", "/v3/transaction/"} {
			got := p.get(t, target+txid)
			got.want(t, 200, "Mempool")
			if got.node() != holder || got.header.Get("X-Strata-Tries") != "1" {
				t.Fatalf("%s answered after %s tries; %s has the transaction", got.node(), got.header.Get("X-Strata-Tries"), holder)
			}
		}
	}
	// A transaction that was not sent through the proxy may be in any mempool.
	other := strings.Repeat("77", 32)
	for range 5 {
		p.get(t, "/v2/transactions/unconfirmed/"+other).want(t, 200, "Mempool")
	}
	if id, _ := hash.Parse32(txid); p.holders.nodes(id.String()) == 0 {
		t.Error("the transaction is not remembered under 0x…")
	}
}

// All nodes get the transaction, and the client does not wait for the slow ones.
func TestMulticast(t *testing.T) {
	quick, slow, broken := newNode(t, 100), newNode(t, 100), newNode(t, 100)
	release := make(chan struct{})
	bodies := make(chan string, 3)
	serve := func(wait bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			bodies <- string(body)
			if wait {
				<-release
			}
			status(200, `"`+txid+`"`)(w, r)
		}
	}
	quick.respond(serve(false))
	slow.respond(serve(true))
	broken.respond(cut)
	slow.syncing.Store(true) // so that quick comes first
	broken.syncing.Store(true)
	// A client that waited for the slow one would wait forever.
	p := startProxy(t, Config{Multicast: true, Timeouts: Timeouts{Light: time.Hour, Medium: time.Hour, Heavy: time.Hour}}, quick, slow, broken)
	p.untilState(t, slow, "syncing")
	p.untilState(t, broken, "syncing")
	p.send(t).want(t, 200, txid)
	for range 2 {
		if body := <-bodies; body != "\x00\x01transaction" {
			t.Errorf("a node got %q", body)
		}
	}
	eventually.Holds(t, "the third node got the transaction", func() bool { return broken.requests.Load() > 0 })
	close(release)
	id, _ := hash.Parse32(txid)
	eventually.Holds(t, "both holders are remembered", func() bool { return p.holders.nodes(id.String()) == 3 })
}

// If the first node fails, the client gets the answer of another node that got the transaction.
func TestMulticastFirstFails(t *testing.T) {
	for _, first := range []http.HandlerFunc{cut, status(500, "x"), rejected("ServerFailureOther")} {
		bad, good := newNode(t, 100), newNode(t, 100)
		bad.respond(first)
		good.respond(accept)
		p := startProxy(t, Config{Multicast: true}, bad, good)
		for range 5 {
			p.send(t).want(t, 200, txid)
		}
	}
}

// A broadcast goes on when the client leaves.
func TestBroadcastWithoutClient(t *testing.T) {
	node := newNode(t, 100)
	started, release := make(chan struct{}), make(chan struct{})
	node.respond(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-release
		accept(w, r)
	})
	p := startProxy(t, Config{}, node)
	connection := p.dial(t)
	_, _ = io.WriteString(connection, "POST /v2/transactions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\ntx")
	<-started
	_ = connection.Close()
	close(release)
	id, _ := hash.Parse32(txid)
	eventually.Holds(t, "the node is remembered as a holder", func() bool { return p.holders.nodes(id.String()) == 1 })
}
