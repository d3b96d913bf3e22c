package redistest_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"strata/internal/testkit/must"
	"strata/internal/testkit/redistest"
)

func TestServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := redistest.New(t)
	client := redistest.Client(t, server)
	must.Do(t, client.Set(ctx, "key", "value", 0).Err())
	if got, err := client.Get(ctx, "key").Result(); err != nil || got != "value" {
		t.Fatalf("GET key: %q, %v", got, err)
	}

	server.Stop()
	server.Stop() // a second stop does nothing
	if listens(server.Addr()) {
		t.Fatalf("a process still listens on %s after Stop", server.Addr())
	}

	server.Start()
	server.Start()
	if err := client.Get(ctx, "key").Err(); !errors.Is(err, redis.Nil) {
		t.Fatalf("GET key after a restart: %v, want %v", err, redis.Nil)
	}
	if want := "redis://" + server.Addr(); server.URL() != want {
		t.Errorf("URL %s, want %s", server.URL(), want)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	client := redistest.Client(t, server)
	must.Do(t, client.Ping(t.Context()).Err())
	server.Pause()
	impatient := redis.NewClient(&redis.Options{Addr: server.Addr(), ReadTimeout: 50 * time.Millisecond, MaxRetries: -1})
	t.Cleanup(func() { _ = impatient.Close() })
	var timeout net.Error
	if err := impatient.Ping(t.Context()).Err(); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Fatalf("PING of a paused server: %v, want a timeout", err)
	}
	server.Resume()
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatalf("PING after Resume: %v", err)
	}
}

// listens reports whether a process accepts connections at an address.
func listens(address string) bool {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	_ = connection.Close() // nothing was sent
	return true
}

// TestPausedServerEnds pauses the server of a subtest, which must end with the subtest.
func TestPausedServerEnds(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("paused", func(t *testing.T) {
		server := redistest.New(t)
		address = server.Addr()
		server.Pause()
	})
	if listens(address) {
		t.Fatalf("the paused server on %s has outlived its test", address)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	server := redistest.New(t, "--maxmemory", "2mb", "--maxmemory-policy", "noeviction")
	client := redistest.Client(t, server)
	var err error
	for range 100 {
		if err = client.RPush(t.Context(), "list", strings.Repeat("x", 100_000)).Err(); err != nil {
			break
		}
	}
	if !redis.IsOOMError(err) {
		t.Fatalf("10 MB into a server with 2 MB: %v, want an OOM error", err)
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	server := redistest.New(t, "--requirepass", "secret")
	if err := redistest.Client(t, server).Ping(t.Context()).Err(); !redis.IsAuthError(err) {
		t.Fatalf("PING without a password: %v, want an authentication error", err)
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	server := redistest.NewCluster(t)
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{server.Addr()}})
	t.Cleanup(func() { _ = client.Close() })
	for _, key := range []string{"a", "b", "c", "d"} { // keys in several slots
		if err := client.Set(t.Context(), key, key, 0).Err(); err != nil {
			t.Fatalf("SET %s: %v", key, err)
		}
	}
	if !strings.HasSuffix(server.URL(), "?cluster=true") {
		t.Errorf("URL %s does not mark a cluster", server.URL())
	}
}

func TestSentinel(t *testing.T) {
	t.Parallel()
	sentinel := redistest.NewSentinel(t)
	options := must.Get(redis.ParseFailoverURL(sentinel.URL()))(t)
	client := redis.NewFailoverClient(options)
	t.Cleanup(func() { _ = client.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must.Do(t, client.Set(ctx, "key", "value", 0).Err())
	if got, err := redistest.Client(t, sentinel.Master).Get(ctx, "key").Result(); err != nil || got != "value" {
		t.Fatalf("GET key from the master: %q, %v", got, err)
	}
}
