package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/internal/nodecompare"
	"strata/readapi/status"
)

// compareFlags configure the role compare.
type compareFlags struct {
	CompareAccounts int     `default:"0" env:"STRATA_COMPARE_ACCOUNTS" help:"Number of accounts, chosen at random, whose STX balance, lock and nonce the role compare compares with the first node of --nodes at each tip (0 = none)."`
	CompareRate     float64 `default:"10" env:"STRATA_COMPARE_RATE" help:"Maximum number of requests per second that the role compare sends to the node."`
}

// checkCompare checks the flags of the role, so that mistakes are reported before anything starts.
func (c *Command) checkCompare() error {
	switch {
	case c.CompareAccounts < 0 || c.CompareAccounts > nodecompare.AccountsMax:
		return fmt.Errorf("--compare-accounts: %d accounts (want 0 to %d)", c.CompareAccounts, nodecompare.AccountsMax)
	case c.CompareAccounts > 0 && !(c.CompareRate > 0 && c.CompareRate <= math.MaxInt32):
		return fmt.Errorf("--compare-rate: %v requests a second (want more than 0)", c.CompareRate)
	case c.CompareAccounts > 0 && !c.has(RoleCompare):
		return errors.New("--compare-accounts: the role compare is not among --roles")
	case c.has(RoleCompare) && len(c.nodes) == 0:
		return errors.New("the role compare needs a node: set its RPC address with --nodes")
	}
	return nil
}

// compare starts the role compare.
func (c *Command) compare(ctx context.Context, group *errgroup.Group, db *database.DB, logger *slog.Logger, registry prometheus.Registerer) {
	if c.CompareAccounts == 0 {
		logger.LogAttrs(ctx, slog.LevelInfo, "no accounts are compared with the node: say how many with --compare-accounts")
		return
	}
	c.watch = nodecompare.NewWatch(nodecompare.WatchConfig{
		Pool: db.Pool, URL: c.nodes[0].URL, Accounts: c.CompareAccounts, Rate: c.CompareRate, Logger: logger, Registry: registry,
	})
	group.Go(func() error {
		c.watch.Run(ctx)
		return nil
	})
}

// money returns what the role compare has found; nil if this process does not compare.
func (c *Command) money() *status.Comparison {
	if c.watch == nil {
		return nil
	}
	v := c.watch.Verdict()
	return &status.Comparison{OK: v.OK, DifferingAccounts: v.Accounts, BlockHeight: v.Height, Message: v.Message}
}
