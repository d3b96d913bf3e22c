package serve

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/database"
	"strata/metadata"
)

// wantsConnections is the largest number of connections to a database of a family for looking at its wants.
const wantsConnections = 4

// wantsElsewhere are the databases of families whose projections have wants.
type wantsElsewhere []metadata.Elsewhere

// openWants opens them, for what looks at wants: the role metadata and the administration API.
func (c *Command) openWants(ctx context.Context, administers bool) (all wantsElsewhere, err error) {
	if !administers && !c.has(RoleMetadata) {
		return nil, nil
	}
	opened := map[string]int{}
	for _, f := range c.elsewhere() {
		if !f.fetched {
			continue
		}
		if i, ok := opened[f.url]; ok { // two families share a database
			all[i].Name += "+" + f.name
			continue
		}
		pool, err := database.Connect(ctx, f.url, wantsConnections, func(config *pgxpool.Config) { c.tracer.Connections(config.ConnConfig) })
		if err != nil {
			all.close()
			return nil, fmt.Errorf("--projection-database-url-%s: %w", f.name, err)
		}
		opened[f.url] = len(all)
		all = append(all, metadata.Elsewhere{Name: f.name, Pool: pool})
	}
	return all, nil
}

func (all wantsElsewhere) close() {
	for _, e := range all {
		e.Pool.Close()
	}
}

// tokens returns the database with the read tables of tokens; nil for that of the log.
func (all wantsElsewhere) tokens(c *Command) *pgxpool.Pool {
	if c.TokensDatabaseURL == "" {
		return nil
	}
	return all[0].Pool // tokens come first of the families with wants
}
