package serve

import (
	"strata/domain/commit"
	"strata/eventstore"
	"strata/projections/follow"
)

// changes tells the API that the read tables have changed. The signs come from the main database, because replicas do
// not deliver notifications.
type changes struct {
	*eventstore.Wake
	// feed has what this process has changed in transactions at the tip; nil if the API does not read the database in
	// which they have committed, so that it must look.
	feed *commit.Feed
}

func (c *Command) changes(log *eventstore.Log) changes {
	all := changes{Wake: log.Listener().Wake(follow.Channel, 0)}
	if c.has(RoleAPI) && len(c.DatabaseReadURL) == 0 {
		all.feed = commit.NewFeed()
	}
	return all
}
