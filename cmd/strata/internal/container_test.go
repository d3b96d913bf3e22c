package internal_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"strata/cmd/strata/internal/container"
	"strata/internal/testkit/must"
)

// containerCommands has flags of strata serve, and a command beside it with one of them.
type containerCommands struct {
	Serve struct {
		DatabaseURL      string   `env:"CONTAINER_TEST_DATABASE_URL"`
		DatabaseReadURL  string   `env:"CONTAINER_TEST_DATABASE_READ_URL"`
		ObserverAddr     string   `default:"127.0.0.1:3700" env:"CONTAINER_TEST_OBSERVER_ADDR"`
		APIAddr          string   `name:"api-addr" default:"127.0.0.1:3999" env:"CONTAINER_TEST_API_ADDR"`
		Nodes            []string `env:"CONTAINER_TEST_NODES"`
		ChainID          string   `name:"chain-id" env:"CONTAINER_TEST_CHAIN_ID"`
		Network          string   `default:"mainnet" env:"CONTAINER_TEST_NETWORK"`
		Roles            []string `default:"observer,projector,metadata,api" env:"CONTAINER_TEST_ROLES"`
		FaucetPrivateKey []string `env:"CONTAINER_TEST_FAUCET_PRIVATE_KEY"`
	} `cmd:""`
	Import struct {
		DatabaseURL string `env:"CONTAINER_TEST_DATABASE_URL"`
	} `cmd:""`
}

// parseInContainer parses a command line beside variables, and returns the log line as well.
func parseInContainer(t *testing.T, variables map[string]string, args ...string) (parsed containerCommands, logged string) {
	t.Helper()
	v := container.New(func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	})
	parser := must.Get(kong.New(&parsed, kong.Resolvers(v)))(t)
	must.Get(parser.Parse(args))(t)
	var line bytes.Buffer
	v.Log(t.Context(), slog.New(slog.NewTextHandler(&line, nil)))
	return parsed, line.String()
}

func TestDeveloperNetwork(t *testing.T) {
	t.Parallel()
	got, line := parseInContainer(t, map[string]string{
		"PG_HOST": "postgres", "PG_PORT": "5432", "PG_USER": "api", "PG_PASSWORD": "p@ss/word", "PG_DATABASE": "blockchain", "PG_SCHEMA": "public",
		"STACKS_CORE_EVENT_HOST": "0.0.0.0", "STACKS_CORE_EVENT_PORT": "3700", "STACKS_BLOCKCHAIN_API_PORT": "4000", "STACKS_BLOCKCHAIN_API_HOST": "",
		"STACKS_CORE_RPC_HOST": "stacks-node", "STACKS_CHAIN_ID": "0x80000123", "FAUCET_PRIVATE_KEY": "c0ffee,beef", "STACKS_API_MODE": "writeonly",
	}, "serve")
	serve := got.Serve
	for what, pair := range map[string][2]string{
		"database": {serve.DatabaseURL, "postgres://api:p%40ss%2Fword@postgres:5432/blockchain?sslmode=disable"},
		"replica":  {serve.DatabaseReadURL, ""}, "observer": {serve.ObserverAddr, "0.0.0.0:3700"}, "API": {serve.APIAddr, "0.0.0.0:4000"},
		"nodes": {strings.Join(serve.Nodes, ","), "http://stacks-node:20443"}, "chain": {serve.ChainID, "0x80000123"}, "network": {serve.Network, "testnet"},
		"roles": {strings.Join(serve.Roles, ","), "observer,projector,metadata,compare,subscriptions"}, "faucet": {strings.Join(serve.FaucetPrivateKey, ","), "c0ffee,beef"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", what, pair[0], pair[1])
		}
	}
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, "PG_PASSWORD → --database-url") || !strings.Contains(line, "STACKS_CHAIN_ID → --") ||
		strings.Contains(line, "c0ffee") || strings.Contains(line, "word@") {
		t.Errorf("got the log line %q", line)
	}
}

// The primary is what strata writes to, and the database beside it what the API reads.
func TestPrimaryAndReplica(t *testing.T) {
	t.Parallel()
	got, _ := parseInContainer(t, map[string]string{
		"PG_CONNECTION_URI": "postgres://reader@replica/x", "PG_PRIMARY_HOST": "primary", "PG_PRIMARY_SSL": "true",
		"STACKS_CORE_RPC_PORT": "30443", "STACKS_CORE_PROXY_HOST": "balancer", "STACKS_CHAIN_ID": "1",
	}, "serve")
	if got.Serve.DatabaseReadURL != "postgres://reader@replica/x" || got.Serve.DatabaseURL != "postgres://postgres@primary:5490/stacks_blockchain_api?sslmode=require" {
		t.Errorf("got %q and %q", got.Serve.DatabaseURL, got.Serve.DatabaseReadURL)
	}
	if nodes := strings.Join(got.Serve.Nodes, ","); nodes != "http://balancer:30443" || got.Serve.Network != "mainnet" {
		t.Errorf("got the nodes %q of %s", nodes, got.Serve.Network)
	}
}

// Strata's own flags and variables win, and no other command listens to the container's.
func TestOwnSettingsWin(t *testing.T) {
	t.Parallel()
	variables := map[string]string{
		"PG_HOST": "postgres", "STACKS_CORE_EVENT_HOST": "0.0.0.0", "STACKS_BLOCKCHAIN_API_HOST": "0.0.0.0", "CONTAINER_TEST_API_ADDR": "127.0.0.1:1",
	}
	got, line := parseInContainer(t, variables, "serve", "--observer-addr", "127.0.0.1:2")
	if got.Serve.ObserverAddr != "127.0.0.1:2" || strings.Contains(line, "STACKS_CORE_EVENT_HOST") || strings.Contains(line, "STACKS_BLOCKCHAIN_API_HOST") {
		t.Errorf("got %q and %q", got.Serve.ObserverAddr, line)
	}
	if got.Serve.APIAddr != "127.0.0.1:3999" { // the variable of strata is set only for the resolver here, not for kong
		t.Errorf("got %q", got.Serve.APIAddr)
	}
	if got, line := parseInContainer(t, variables, "import"); got.Import.DatabaseURL != "" || line != "" {
		t.Errorf("import took %q: %q", got.Import.DatabaseURL, line)
	}
	if _, line := parseInContainer(t, nil, "serve"); line != "" {
		t.Errorf("without variables: got %q", line)
	}
}
