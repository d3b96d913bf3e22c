package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"strata/domain/hash"
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
		behind      bool // the first is
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
			first.does(tt.first)
			second.does(tt.next)
			p := startProxy(t, Config{}, first, second)
			if tt.behind {
				second.height.Store(102) // the first is within the limit
				waitFor(t, "the tip is known", func() bool { return p.pool.Tip().Height == 102 })
			}
			// Whatever is busier is asked later.
			other, _ := p.pool.Named(second.name)
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

// The node that has the transaction is asked about it, and then the others.
func TestFollowTransaction(t *testing.T) {
	nodes := []*fakeNode{newNode(t, 100), newNode(t, 100), newNode(t, 100)}
	for _, n := range nodes {
		n.does(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				accept(w, r)
				return
			}
			http.NotFound(w, r)
		})
	}
	p := startProxy(t, Config{}, nodes...)
	took := p.send(t).node()
	for _, n := range nodes {
		if n.name == took {
			n.does(status(200, `{"status":"Mempool"}`))
		}
	}
	for range 10 {
		for _, target := range []string{"/v2/transactions/unconfirmed/", "/v3/transaction/"} {
			got := p.get(t, target+txid)
			got.want(t, 200, "Mempool")
			if got.node() != took || got.header.Get("X-Strata-Tries") != "1" {
				t.Fatalf("%s was asked, tries %s; %s took it", got.node(), got.header.Get("X-Strata-Tries"), took)
			}
		}
	}
	// One that nobody has taken here may be in any mempool.
	other := strings.Repeat("77", 32)
	for range 5 {
		p.get(t, "/v2/transactions/unconfirmed/"+other).want(t, 200, "Mempool")
	}
	if id, _ := hash.Parse32(txid); p.follow.nodes(id.String()) == 0 {
		t.Error("the transaction is not remembered under 0x…")
	}
}

// All nodes get the transaction, and nobody waits for the slow ones.
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
	quick.does(serve(false))
	slow.does(serve(true))
	broken.does(cut)
	slow.syncing.Store(true) // so that quick is the first
	broken.syncing.Store(true)
	p := startProxy(t, Config{Multicast: true}, quick, slow, broken)
	p.untilState(t, slow, "syncing")
	p.untilState(t, broken, "syncing")
	start := time.Now()
	p.send(t).want(t, 200, txid)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the client waited %v for the others", took)
	}
	for range 2 {
		if body := <-bodies; body != "\x00\x01transaction" {
			t.Errorf("a node got %q", body)
		}
	}
	waitFor(t, "the third was asked", func() bool { return broken.requests.Load() > 0 })
	close(release)
	id, _ := hash.Parse32(txid)
	waitFor(t, "both are remembered", func() bool { return p.follow.nodes(id.String()) == 3 })
}

// If the first node fails, the client has the answer of another that got the transaction.
func TestMulticastFirstFails(t *testing.T) {
	for _, first := range []http.HandlerFunc{cut, status(500, "x"), rejected("ServerFailureOther")} {
		bad, good := newNode(t, 100), newNode(t, 100)
		bad.does(first)
		good.does(accept)
		p := startProxy(t, Config{Multicast: true}, bad, good)
		for range 5 {
			p.send(t).want(t, 200, txid)
		}
	}
}

// A transaction that is on its way gets there, whether or not the client waits for it.
func TestBroadcastWithoutClient(t *testing.T) {
	node := newNode(t, 100)
	started, release := make(chan struct{}), make(chan struct{})
	node.does(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-release
		accept(w, r)
	})
	p := startProxy(t, Config{}, node)
	connection, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(connection, "POST /v2/transactions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\ntx")
	<-started
	_ = connection.Close()
	close(release)
	id, _ := hash.Parse32(txid)
	waitFor(t, "the transaction is known to be there", func() bool { return p.follow.nodes(id.String()) == 1 })
}
