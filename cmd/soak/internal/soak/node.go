package soak

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"strata/internal/testkit/outside"
	"strata/internal/testkit/serverrig"
)

// node is the RPC server of a made-up Stacks node, which can be down, failing or slow.
type node struct {
	address string
	world   *outside.World // answers calls of contracts
	tip     *atomic.Int64  // the newest block of the feed
	mood    atomic.Int32

	mu     sync.Mutex
	server *http.Server  // nil while it is down
	served chan struct{} // closed when the server no longer listens
}

const (
	well int32 = iota
	failing
	slow
)

func newNode(tip *atomic.Int64, world *outside.World) (*node, error) {
	address, err := serverrig.FreeAddress()
	if err != nil {
		return nil, err
	}
	n := &node{address: address, tip: tip, world: world}
	return n, n.up()
}

// up lets the node listen.
func (n *node) up() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server != nil {
		return nil
	}
	listener, err := net.Listen("tcp", n.address)
	if err != nil {
		return fmt.Errorf("a made-up node: %w", err)
	}
	n.server, n.served = &http.Server{Handler: n, ReadHeaderTimeout: time.Minute}, make(chan struct{})
	go func(s *http.Server, served chan struct{}) {
		defer close(served)
		_ = s.Serve(listener) // it ends with Close
	}(n.server, n.served)
	return nil
}

// down closes the listener and all connections, and returns when the address is free.
func (n *node) down() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server != nil {
		_ = n.server.Close()
		<-n.served
		n.server = nil
	}
}

// ServeHTTP implements http.Handler.
func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch n.mood.Load() {
	case failing:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case slow:
		time.Sleep(time.Second)
	}
	height := n.tip.Load()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Canonical-Stacks-Tip-Height", fmt.Sprint(height))
	switch {
	case strings.HasPrefix(r.URL.Path, "/v2/contracts/call-read/"):
		n.world.ServeHTTP(w, r)
		return
	case strings.HasPrefix(r.URL.Path, "/v2/contracts/interface/"), strings.HasPrefix(r.URL.Path, "/v2/attachments/"):
		w.WriteHeader(http.StatusNotFound)
		return
	case r.URL.Path == "/v2/info":
		_, _ = fmt.Fprintf(w, `{"network_id":1,"server_version":"node","burn_block_height":900000,"stacks_tip_height":%d,`+
			`"stacks_tip":"%064x","stacks_tip_consensus_hash":"%040x","is_fully_synced":true}`, height, height, height)
		return
	}
	_, _ = io.WriteString(w, `{"balance":"0x000000000000000000000000000003e8","locked":"0x00000000000000000000000000000000","unlock_height":0,"nonce":7}`)
}
