package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"strata/domain/transaction"
	"strata/eventstore"
	"strata/eventstore/network"
	"strata/internal/edge"
	"strata/internal/pause"
)

// networkFoundError says which network the log is of, when the process has begun to answer for another one.
type networkFoundError struct{ network transaction.Network }

func (e *networkFoundError) Error() string { return "the log is of " + e.network.String() }

// identifyNetwork finds out which network the log is of, and writes that beside the log: the settings say it, or the log, or
// a node. If none does, the process answers for mainnet until the first block tells.
func (c *Command) identifyNetwork(ctx context.Context, log *eventstore.Log, logger *slog.Logger) error {
	c.unknown = false
	if c.PartialHistory {
		changed, err := network.BeginAnywhere(ctx, log)
		if err != nil {
			return err
		}
		if changed {
			logger.LogAttrs(ctx, slog.LevelWarn, "from now on the chain may begin with any block (--partial-history); every answer says at which height it does")
		}
	}
	c.deriveNetwork()
	if c.Network == "" {
		n, known, err := network.Find(ctx, log)
		if err != nil {
			return err
		}
		if !known {
			n, known = c.askNodes(ctx, logger)
		}
		if !known {
			c.Network, c.unknown = transaction.Mainnet.Name(), true
			logger.LogAttrs(ctx, slog.LevelInfo, "the network is not known yet: neither the settings nor the log nor a node say it; the first block will (--network, --nodes)")
			return nil
		}
		c.Network, c.ChainID = n.Name(), chainID(n.ChainID)
	}
	return network.Settle(ctx, log, network.New(c.Network, c.ChainID.of(c.Network)))
}

// deriveNetwork derives --network from --chain-id, if only that is set.
func (c *Command) deriveNetwork() {
	if c.Network == "" && c.ChainID != 0 {
		c.Network = networkOf(uint32(c.ChainID)).Name()
	}
}

// networkOf returns the network with a chain id. Only mainnet has addresses of its own.
func networkOf(id uint32) transaction.Network {
	n := transaction.Testnet
	if id == transaction.Mainnet.ChainID {
		n = transaction.Mainnet
	}
	n.ChainID = id
	return n
}

// nodeClient asks nodes of which network they are.
var nodeClient = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: edge.Dial(&net.Dialer{}), ForceAttemptHTTP2: true, DisableKeepAlives: true}}

// nodeInfoTimeout is the maximum time that a node has to say which network it is of.
const nodeInfoTimeout = 2 * time.Second

// askNodes returns the network of the first node that says it.
func (c *Command) askNodes(ctx context.Context, logger *slog.Logger) (n transaction.Network, known bool) {
	for _, url := range c.nodeURLs() {
		id, err := askNetwork(ctx, url)
		if err == nil && id != 0 {
			return networkOf(id), true
		}
		logger.LogAttrs(ctx, slog.LevelWarn, "a node does not say which network it is of", slog.String("url", url), slog.Any("error", err))
	}
	return n, false
}

// askNetwork returns the chain id of a node.
func askNetwork(ctx context.Context, url string) (id uint32, err error) {
	ctx, cancel := context.WithTimeout(ctx, nodeInfoTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v2/info", http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := nodeClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	var info struct {
		NetworkID uint32 `json:"network_id"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&info)
	return info.NetworkID, err
}

// awaitInterval is how often awaitNetwork looks.
const awaitInterval = time.Second

// awaitNetwork waits until the network of the log is known. It returns a *networkFoundError if it is another one than
// mainnet, for which the process answers meanwhile.
func (c *Command) awaitNetwork(ctx context.Context, log *eventstore.Log) error {
	for ctx.Err() == nil {
		n, known, err := network.Pinned(ctx, log)
		if err == nil && known {
			if n == transaction.Mainnet {
				return nil
			}
			return &networkFoundError{n}
		}
		pause.For(ctx, awaitInterval)
	}
	return nil
}

// keepAddresses remembers the addresses that the process listens on, for the case that it starts again.
func (c *Command) keepAddresses(l *listeners) {
	for _, a := range []struct {
		setting *string
		address string
	}{
		{&c.APIAddr, address(l.api)}, {&c.BNSAddr, address(l.bns)}, {&c.RosettaAddr, address(l.rosetta)},
		{&c.ObserverAddr, address(l.observer)}, {&c.MetricsAddr, address(l.metrics)}, {&c.AdminAddr, address(l.admin)},
	} {
		if a.address != "" {
			*a.setting = a.address
		}
	}
}

// chainID is the chain id of a network (SIP-005), in decimal or, after 0x, in hex; 0 stands for that of --network. A
// developer network may have any but mainnet's: it has the addresses of testnet.
type chainID uint32

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *chainID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = 0
		return nil
	}
	n, err := strconv.ParseUint(string(text), 0, 32)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a chain id: want a number from 1 to 0xffffffff, such as 0x80000000", text)
	}
	*id = chainID(n)
	return nil
}

// check returns an error if the id belongs to another network than the one of that name.
func (id chainID) check(network string) error {
	switch {
	case network == "": // the id says which it is
	case uint32(id) == transaction.Mainnet.ChainID && network != "mainnet":
		return fmt.Errorf("--chain-id: %#x is that of mainnet, and --network is %s", uint32(id), network)
	case uint32(id) == transaction.Testnet.ChainID && network == "mainnet":
		return fmt.Errorf("--chain-id: %#x is that of testnet, and --network is mainnet", uint32(id))
	}
	return nil
}

// of returns the id, or by default the one of the network of that name.
func (id chainID) of(network string) uint32 {
	switch {
	case id != 0:
		return uint32(id)
	case network == "mainnet":
		return transaction.Mainnet.ChainID
	}
	return transaction.Testnet.ChainID
}
