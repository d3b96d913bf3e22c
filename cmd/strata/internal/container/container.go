// Package container understands the environment variables of the container of stacks-blockchain-api, so that strata can
// take its place in a developer network without a change of the network's settings.
package container

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// The defaults of stacks-blockchain-api, for variables that come without their siblings.
const (
	databasePort = "5490"
	databaseName = "stacks_blockchain_api"
	databaseUser = "postgres"
	eventHost    = "127.0.0.1"
	eventPort    = "3700"
	apiHost      = "0.0.0.0"
	apiPort      = "3999"
	rpcHost      = "127.0.0.1"
	rpcPort      = "20443"
)

// Variables are the environment variables of the container. Settings that strata's own flags or variables set win over
// them; a variable without a value counts as not set. It implements kong.Resolver.
type Variables struct {
	lookup func(name string) (string, bool)
	taken  map[string]string // setting by variable
}

// New returns the variables that lookup, such as os.LookupEnv, finds.
func New(lookup func(name string) (string, bool)) *Variables {
	return &Variables{lookup: lookup, taken: map[string]string{}}
}

// setting is how the value of a setting of strata serve follows from variables. value returns an empty text if none of
// them is set, and otherwise also the variables that it read.
type setting struct {
	flag  string
	value func(v *Variables) (value string, from []string)
}

// settings are the settings that follow from variables of the container.
var settings = []setting{
	{"database-url", func(v *Variables) (string, []string) {
		if value, from := v.database("PG_PRIMARY_"); value != "" {
			return value, from
		}
		return v.database("PG_")
	}},
	{"database-read-url", func(v *Variables) (string, []string) {
		if primary, _ := v.database("PG_PRIMARY_"); primary != "" {
			return v.database("PG_")
		}
		return "", nil
	}},
	{"observer-addr", address("STACKS_CORE_EVENT", eventHost, eventPort)},
	{"api-addr", address("STACKS_BLOCKCHAIN_API", apiHost, apiPort)},
	{"nodes", func(v *Variables) (string, []string) {
		node, from := address("STACKS_CORE_PROXY", v.get("STACKS_CORE_RPC_HOST", rpcHost), v.get("STACKS_CORE_RPC_PORT", rpcPort))(v)
		if node == "" {
			node, from = address("STACKS_CORE_RPC", rpcHost, rpcPort)(v)
		}
		if node == "" {
			return "", nil
		}
		return "http://" + node, from
	}},
	{"chain-id", func(v *Variables) (string, []string) {
		return v.get("STACKS_CHAIN_ID", ""), []string{"STACKS_CHAIN_ID"}
	}},
	{"network", func(v *Variables) (string, []string) {
		id, err := strconv.ParseUint(v.get("STACKS_CHAIN_ID", ""), 0, 32)
		switch {
		case err != nil:
			return "", nil // --chain-id reports it
		case id == 1:
			return "mainnet", []string{"STACKS_CHAIN_ID"}
		}
		return "testnet", []string{"STACKS_CHAIN_ID"}
	}},
	{"roles", func(v *Variables) (string, []string) {
		roles := map[string]string{"default": "observer,projector,metadata,api,compare,subscriptions", "readonly": "api", "writeonly": "observer,projector,metadata,compare,subscriptions"}
		return roles[v.get("STACKS_API_MODE", "")], []string{"STACKS_API_MODE"}
	}},
	{"faucet-private-key", func(v *Variables) (string, []string) {
		return v.get("FAUCET_PRIVATE_KEY", ""), []string{"FAUCET_PRIVATE_KEY"}
	}},
}

// get returns the value of a variable, or the default if it is not set.
func (v *Variables) get(name, otherwise string) string {
	if value, ok := v.lookup(name); ok && value != "" {
		return value
	}
	return otherwise
}

// set returns those of the variables that are set.
func (v *Variables) set(names ...string) (set []string) {
	for _, name := range names {
		if v.get(name, "") != "" {
			set = append(set, name)
		}
	}
	return set
}

// address returns a value of the form host:port, from the variables prefix_HOST and prefix_PORT.
func address(prefix, host, port string) func(v *Variables) (string, []string) {
	return func(v *Variables) (string, []string) {
		from := v.set(prefix+"_HOST", prefix+"_PORT")
		if len(from) == 0 {
			return "", nil
		}
		return net.JoinHostPort(v.get(prefix+"_HOST", host), v.get(prefix+"_PORT", port)), from
	}
}

// database returns the URL of the database that the variables with a prefix name: the one of prefix CONNECTION_URI, or
// one built of the parts, of which the host is needed.
func (v *Variables) database(prefix string) (string, []string) {
	if uri := v.get(prefix+"CONNECTION_URI", ""); uri != "" {
		return uri, []string{prefix + "CONNECTION_URI"}
	}
	host := v.get(prefix+"HOST", "")
	if host == "" {
		return "", nil
	}
	u := url.URL{
		Scheme: "postgres", Host: net.JoinHostPort(host, v.get(prefix+"PORT", databasePort)), Path: "/" + v.get(prefix+"DATABASE", databaseName),
		User: url.User(v.get(prefix+"USER", databaseUser)), RawQuery: "sslmode=disable",
	}
	if password := v.get(prefix+"PASSWORD", ""); password != "" {
		u.User = url.UserPassword(u.User.Username(), password)
	}
	if secure, _ := strconv.ParseBool(v.get(prefix+"SSL", "")); secure {
		u.RawQuery = "sslmode=require"
	}
	return u.String(), v.set(prefix+"HOST", prefix+"PORT", prefix+"USER", prefix+"PASSWORD", prefix+"DATABASE", prefix+"SSL")
}

// Validate implements kong.Resolver.
func (v *Variables) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: it returns the value of a flag of strata serve that neither the command line nor a
// variable of strata sets.
func (v *Variables) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if parent.Command == nil || parent.Command.Name != "serve" {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, ok := v.lookup(name); ok {
			return nil, nil
		}
	}
	for _, s := range settings {
		if s.flag != flag.Name {
			continue
		}
		value, from := s.value(v)
		if value == "" {
			return nil, nil
		}
		for _, name := range from {
			v.taken[name] = strings.TrimPrefix(v.taken[name]+" --"+s.flag, " ")
		}
		return value, nil
	}
	return nil, nil
}

// Log writes one line that names the variables of the container that were taken, with the settings that they became.
// It writes nothing if there are none. Values are left out: some are secrets.
func (v *Variables) Log(ctx context.Context, logger *slog.Logger) {
	if len(v.taken) == 0 {
		return
	}
	names := make([]string, 0, len(v.taken))
	for name := range v.taken {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = name + " → " + v.taken[name]
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "took settings from variables of stacks-blockchain-api (strata's own flags and variables win)",
		slog.String("variables", strings.Join(names, ", ")))
}
