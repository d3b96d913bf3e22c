package internal_test

import (
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"strata/internal/connlimit"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// serveLimited accepts connections until the test ends, and sends those that were accepted on the channel.
func serveLimited(t *testing.T, config connlimit.Config) (address string, accepted chan net.Conn) {
	t.Helper()
	inner := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = inner.Close() })
	limited := connlimit.Listener(inner, config)
	accepted = make(chan net.Conn, 10)
	go func() {
		for {
			c, err := limited.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	return inner.Addr().String(), accepted
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", address))(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestConnectionLimits(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]connlimit.Config{
		"in all":     {Total: 2},
		"per client": {Total: 100, PerClient: 2},
	} {
		var refused atomic.Int64
		config.Refused = func() { refused.Add(1) }
		address, accepted := serveLimited(t, config)
		dial(t, address)
		first := eventually.Receive(t, "the first is accepted", accepted)
		dial(t, address)
		eventually.Receive(t, "the second is accepted", accepted)
		if n, err := dial(t, address).Read(make([]byte, 1)); err == nil || n > 0 {
			t.Errorf("%s: the third connection is open", name)
		}
		eventually.Holds(t, "the third is counted", func() bool { return refused.Load() == 1 })
		_ = first.Close()
		_ = first.Close() // counts once
		dial(t, address)
		eventually.Receive(t, "the fourth is accepted", accepted)
		if _, err := dial(t, address).Read(make([]byte, 1)); err == nil || len(accepted) > 0 {
			t.Errorf("%s: closing one connection made room for two", name)
		}
	}
}

func TestExemptFromConnectionLimits(t *testing.T) {
	t.Parallel()
	address, accepted := serveLimited(t, connlimit.Config{PerClient: 1, Exempt: netip.Addr.IsLoopback})
	for range 3 {
		client := dial(t, address)
		server := eventually.Receive(t, "it is accepted", accepted)
		go func() { _, _ = io.WriteString(server, "x") }()
		if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
			t.Error(err)
		}
	}
}
