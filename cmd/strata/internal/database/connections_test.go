package database

import (
	"testing"

	"strata/internal/testkit/must"
)

// The operator's word on the number of connections counts, wherever it stands.
func TestConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		url         string
		connections int
		want        func(int32) bool
	}{
		"nothing said":     {"postgres://localhost/x", 0, func(n int32) bool { return n == 11 }},
		"few in the URL":   {"postgres://localhost/x?pool_max_conns=3", 0, func(n int32) bool { return n == 3 }},
		"few in a DSN":     {"host=localhost pool_max_conns=5", 0, func(n int32) bool { return n == 5 }},
		"the flag":         {"postgres://localhost/x", 7, func(n int32) bool { return n == 7 }},
		"the flag decides": {"postgres://localhost/x?pool_max_conns=3", 99, func(n int32) bool { return n == 99 }},
	} {
		config := must.Get(poolConfig(c.url, c.connections, 11))(t)
		if !c.want(config.MaxConns) {
			t.Errorf("%s: got %d connections", name, config.MaxConns)
		}
		if config.ConnConfig.RuntimeParams["search_path"] != "" || config.ConnConfig.RuntimeParams["pool_max_conns"] != "" {
			t.Errorf("%s: got parameters %v", name, config.ConnConfig.RuntimeParams)
		}
	}
}

// A database with few connections has room for a server and two commands.
func TestShare(t *testing.T) {
	t.Parallel()
	for clients, want := range map[int][2]int{0: {24, 9}, 10: {4, 4}, 37: {7, 7}, 97: {19, 9}, 497: {24, 9}} {
		e := endpoint{clients: clients}
		if server, command := e.share(serverConnections), e.share(commandConnections); server != want[0] || command != want[1] {
			t.Errorf("of %d connections: got %d for a server and %d for a command, want %v", clients, server, command, want)
		}
	}
}
