package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/internal/nodecompare"
)

// compareFlags configure the role compare.
type compareFlags struct {
	CompareAccounts int     `default:"5" env:"STRATA_COMPARE_ACCOUNTS" help:"Number of accounts, chosen at random, whose STX balance, lock and nonce the role compare compares with the first node of --nodes at each tip, besides those that blocks have touched and those that differed before (0 = no others)."`
	CompareRate     float64 `default:"10" env:"STRATA_COMPARE_RATE" help:"Maximum number of requests per second that the role compare sends to the node."`
}

// checkCompare checks the flags of the role, so that mistakes are reported before anything starts.
func (c *Command) checkCompare() error {
	switch {
	case c.CompareAccounts < 0 || c.CompareAccounts > nodecompare.AccountsMax:
		return fmt.Errorf("--compare-accounts: %d accounts (want 0 to %d)", c.CompareAccounts, nodecompare.AccountsMax)
	case c.has(RoleCompare) && !(c.CompareRate > 0 && c.CompareRate <= math.MaxInt32):
		return fmt.Errorf("--compare-rate: %v requests a second (want more than 0)", c.CompareRate)
	case slices.Equal(c.Roles, []string{RoleCompare}) && len(c.nodes) == 0:
		return errors.New("the role compare needs a node: set its RPC address with --nodes")
	}
	return nil
}

// compare starts the role compare, if the process has it and there is a node.
func (c *Command) compare(ctx context.Context, group *errgroup.Group, db *database.DB, logger *slog.Logger, registry prometheus.Registerer) {
	switch {
	case !c.has(RoleCompare) && c.has(RoleProjector): // the process with the tables; others are of a server whose roles are apart
		logger.LogAttrs(ctx, slog.LevelWarn, "this process compares no accounts with a node: the role compare is not among --roles; let one process of this database have it")
		return
	case !c.has(RoleCompare):
		return
	case len(c.nodes) == 0:
		logger.LogAttrs(ctx, slog.LevelInfo, "no accounts are compared with a node: name one with --nodes")
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

// compareProblem returns why the last comparison of this process was not possible; empty if it was, or if there was none.
func (c *Command) compareProblem() string {
	if c.watch == nil {
		return ""
	}
	return c.watch.Problem()
}
