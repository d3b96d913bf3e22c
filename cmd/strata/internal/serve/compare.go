package serve

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/internal/nodecompare"
)

const (
	// comparedAccounts is how many accounts, chosen at random, are compared at each tip, besides those that blocks have touched and
	// those that differed before. What blocks touch is where mistakes show, so that a few are enough to find old ones in time.
	comparedAccounts = 5
	// compareRate is how many requests the node gets per second at most: a small part of what it can answer.
	compareRate = 10
)

// checkCompare checks the role, so that mistakes are reported before anything starts.
func (c *Command) checkCompare() error {
	if slices.Equal(c.Roles, []string{RoleCompare}) && len(c.nodes) == 0 {
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
		Pool: db.Pool, URL: c.nodes[0].URL, Accounts: comparedAccounts, Rate: compareRate, Logger: logger, Registry: registry,
	})
	runIn(ctx, group, c.watch.Run)
}

// compareProblem returns why the last comparison of this process was not possible; empty if it was, or if there was none.
func (c *Command) compareProblem() string {
	if c.watch == nil {
		return ""
	}
	return c.watch.Problem()
}
