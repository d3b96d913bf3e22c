package fanout_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// cluster is three servers of NATS with JetStream, each a process of its own. Any of them can be killed and started again.
type cluster struct {
	t     *testing.T
	nodes []node
	kills []func() // of those that run
}

// node is what a server of a cluster is told.
type node struct {
	Name          string
	Port, Routing int
	Dir           string
	Routes        []int // the routing ports of all
}

// nodeVariable is the variable that makes the test program run as a server of a cluster: it has the node, as JSON.
const nodeVariable = "STRATA_TEST_NATS_NODE"

// runNode runs a server until whoever has started it has ended.
func runNode(text string) {
	var n node
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		panic(err)
	}
	options := &server.Options{
		ServerName: n.Name, Host: "127.0.0.1", Port: n.Port, JetStream: true, StoreDir: n.Dir, NoLog: true, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "strata", Host: "127.0.0.1", Port: n.Routing},
		// A message counts once it is in the files of two servers; these are not synced, as the machine does not fail.
		SyncInterval: time.Minute,
	}
	for _, port := range n.Routes {
		options.Routes = append(options.Routes, &url.URL{Scheme: "nats-route", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	s, err := server.NewServer(options)
	if err != nil {
		panic(err)
	}
	go s.Start()
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	const size = 3
	c := &cluster{t: t, nodes: make([]node, size), kills: make([]func(), size)}
	var routes []int
	for range size {
		routes = append(routes, freePort(t))
	}
	for i := range c.nodes {
		c.nodes[i] = node{Name: fmt.Sprintf("n%d", i), Port: freePort(t), Routing: routes[i], Dir: t.TempDir(), Routes: routes}
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.nodes {
			c.kill(i)
		}
	})
	conn := connect(t, c)
	js := must.Get(jetstream.New(conn))(t)
	eventually.Holds(t, "the cluster has a leader", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := js.AccountInfo(ctx)
		return err == nil
	})
	return c
}

func freePort(t *testing.T) int {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// start starts a server, and returns when it takes connections.
func (c *cluster) start(i int) {
	c.t.Helper()
	self := must.Get(os.Executable())(c.t)
	text := must.Get(json.Marshal(c.nodes[i]))(c.t)
	cmd := exec.Command(self)
	cmd.Env, cmd.Stderr = append(os.Environ(), nodeVariable+"="+string(text)), c.t.Output()
	life := must.Get(cmd.StdinPipe())(c.t)
	must.Do(c.t, cmd.Start())
	c.kills[i] = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = life.Close()
	})
	eventually.Holds(c.t, "a server of NATS takes connections", func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", c.nodes[i].Port))
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	})
}

// kill ends a server at once (SIGKILL), whatever it is doing.
func (c *cluster) kill(i int) {
	if c.kills[i] != nil {
		c.kills[i]()
	}
}

// healthy waits until all servers have all messages of a stream, so that any of them may fail, and returns the one that leads it.
func (c *cluster) healthy(js jetstream.JetStream, stream string) (leader int) {
	c.t.Helper()
	said := ""
	c.t.Cleanup(func() {
		if c.t.Failed() {
			c.t.Logf("the cluster: %s", said)
		}
	})
	eventually.Holds(c.t, "the stream is healthy", func() bool {
		ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Second)
		defer cancel()
		s, err := js.Stream(ctx, stream)
		if err != nil {
			said = err.Error()
			return false
		}
		info := s.CachedInfo()
		said = fmt.Sprintf("leader %s of %d messages", info.Cluster.Leader, info.State.Msgs)
		current := len(info.Cluster.Replicas) == len(c.nodes)-1
		for _, r := range info.Cluster.Replicas {
			current = current && r.Current && !r.Offline
			said += fmt.Sprintf(", %s current %t offline %t lag %d", r.Name, r.Current, r.Offline, r.Lag)
		}
		if info.Cluster.Leader == "" || !current {
			return false
		}
		_, err = fmt.Sscanf(info.Cluster.Leader, "n%d", &leader)
		return err == nil
	})
	return leader
}

func (c *cluster) urls() string {
	var all []string
	for _, n := range c.nodes {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", n.Port))
	}
	return strings.Join(all, ",")
}
