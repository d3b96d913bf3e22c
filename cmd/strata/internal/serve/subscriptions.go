package serve

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/cmd/strata/internal/database"
	"strata/subscriptions"
)

// RoleSubscriptions is the role that finds what people have subscribed to, and delivers it.
const RoleSubscriptions = "subscriptions"

type subscriptionFlags struct {
	SubscriptionAllow []string `env:"STRATA_SUBSCRIPTION_ALLOW" placeholder:"HOST,..." help:"Hosts (with or without port) and CIDR ranges to deliver messages of subscriptions to although their addresses are not public, by plain HTTP, too."`
}

// subscribe starts the role subscriptions.
func (c *Command) subscribe(ctx context.Context, group *errgroup.Group, db *database.DB, logger *slog.Logger, registry prometheus.Registerer) (err error) {
	c.subscriptions, err = subscriptions.New(subscriptions.Config{Log: db.Log, Allowed: c.SubscriptionAllow, Logger: logger, Registry: registry})
	if err != nil {
		return fmt.Errorf("begin with subscriptions: %w", err)
	}
	runIn(ctx, group, c.subscriptions.Run)
	return nil
}
