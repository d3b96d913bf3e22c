package serve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"

	"golang.org/x/sync/errgroup"

	"strata/domain/transaction"
	"strata/readapi/rosetta"
)

// RoleRosettaOffline is the role of a process that constructs transactions without a database and without nodes. It goes
// with no other role.
const RoleRosettaOffline = "rosetta-offline"

// rosettaFlags configure the integration standard.
type rosettaFlags struct {
	RosettaAddr            string `env:"STRATA_ROSETTA_ADDR" placeholder:"ADDRESS" help:"Extra address on which to serve the integration standard (Rosetta, Mesh) at the root, as stacks-mesh-api does (empty = none). The API serves it under /mesh and /rosetta/v1 in any case."`
	RosettaBlockHash       string `default:"dialect" enum:"dialect,index,block" env:"STRATA_ROSETTA_BLOCK_HASH" help:"Hash that names blocks in answers of the integration standard: index (index block hash), block (block hash) or dialect (index under /mesh, block under /rosetta/v1). Requests may use either."`
	RosettaStackingAmounts bool   `env:"STRATA_ROSETTA_STACKING_AMOUNTS" help:"Give stacking operations under /mesh an amount, as stacks-mesh-api 0.7 does. Balances can't be reconciled then."`
}

// rosetta returns the configuration of the integration standard, without nodes.
func (c *Command) rosetta() rosetta.Config {
	config := rosetta.Config{Network: c.Network, Version: c.build.String(), ChainID: c.ChainID.of(c.Network), StackingAmounts: c.RosettaStackingAmounts}
	if c.RosettaBlockHash != "dialect" {
		config.BlockHashes = rosetta.BlockHashes(c.RosettaBlockHash)
	}
	return config
}

// rpc returns a handler that forwards requests to the nodes; nil without nodes.
func (f *forwarding) rpc() http.Handler {
	if f == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.proxy.ServeHTTP(w, r) })
}

// serveOffline serves the operations that need neither a database nor a node until ctx is done.
func (c *Command) serveOffline(ctx context.Context, logger *slog.Logger, ready func(api, observer string)) error {
	if len(c.Roles) > 1 {
		return errors.New("--roles: rosetta-offline goes with no other role, because it has no database")
	}
	c.deriveNetwork()
	c.Network = cmp.Or(c.Network, transaction.Mainnet.Name())
	handler := rosetta.Offline(c.rosetta(), logger)
	var own listeners
	var err error
	if own.api, err = listenAt("API", c.APIAddr, "--api-addr"); err != nil {
		return err
	}
	defer func() { own.close() }()
	if c.RosettaAddr != "" {
		if own.rosetta, err = listenAt("integration standard", c.RosettaAddr, "--rosetta-addr"); err != nil {
			return err
		}
	}
	if err := c.secure(&own, logger); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	if own.rosetta != nil {
		group.Go(func() error {
			return serveHTTP(ctx, "integration standard", httpServer(rosetta.AtRoot(handler), logger), own.rosetta, logger)
		})
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "constructing transactions offline", slog.String("url", c.url(own.api, false)))
	group.Go(func() error {
		return serveHTTP(ctx, "API", httpServer(handler, logger), own.api, logger)
	})
	ready(address(own.api), "")
	return group.Wait()
}
