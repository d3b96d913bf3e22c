package fanout_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"strata/internal/testkit/eventually"
)

// cluster is three servers of NATS with JetStream, in this process. Any of them can be killed and started again.
type cluster struct {
	t       *testing.T
	options []*server.Options
	servers []*server.Server
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	const size = 3
	c := &cluster{t: t, options: make([]*server.Options, size), servers: make([]*server.Server, size)}
	var routes []*url.URL
	for i := range c.options {
		routing := freePort(t)
		c.options[i] = &server.Options{
			ServerName: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: freePort(t), JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "strata", Host: "127.0.0.1", Port: routing},
			// A message counts once it is in the files of two servers; these are not synced, as the machine does not fail.
			SyncInterval: time.Minute,
		}
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: fmt.Sprintf("127.0.0.1:%d", routing)})
	}
	for i := range c.options {
		c.options[i].Routes = routes
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.servers {
			c.kill(i)
		}
	})
	eventually.Holds(t, "the cluster has a leader", func() bool {
		for _, s := range c.servers {
			if s.JetStreamIsLeader() {
				return true
			}
		}
		return false
	})
	return c
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// start starts a server, and returns when it takes connections.
func (c *cluster) start(i int) {
	c.t.Helper()
	s, err := server.NewServer(c.options[i].Clone())
	if err != nil {
		c.t.Fatal(err)
	}
	c.servers[i] = s
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		c.t.Fatalf("server %d of NATS does not start", i)
	}
}

// kill ends a server.
func (c *cluster) kill(i int) {
	c.servers[i].Shutdown()
	c.servers[i].WaitForShutdown()
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
		current := len(info.Cluster.Replicas) == len(c.servers)-1
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
	for _, o := range c.options {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	return strings.Join(all, ",")
}
