// Package bench is what all measurements share: the table that they print, databases, servers and helper processes, and
// comparisons that several of them make.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/postgres"
	"strata/internal/testkit/serverrig"
	"strata/migrations"
)

// Bench is a run of the program.
type Bench struct {
	Cluster *postgres.Cluster
	Dir     string        // temporary
	Program string        // path of the strata program
	Round   time.Duration // of load
	table   *tabwriter.Writer
	servers []*Server
}

// Start builds the strata program, so that it is measured in its own process, as users run it, and starts Postgres. The
// caller must stop the result.
func Start(ctx context.Context, round time.Duration, out io.Writer) (b *Bench) {
	b = &Bench{Round: round, table: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	b.Dir = Must(postgres.MkdirTemp("strata-bench-*"))
	b.Program = filepath.Join(b.Dir, "strata")
	err := serverrig.Build(ctx, b.Program)
	if err == nil {
		b.Cluster, err = postgres.Start(ctx, postgres.Config{DataDir: b.Dir})
	}
	if err != nil {
		Check(errors.Join(err, os.RemoveAll(b.Dir)))
	}
	return b
}

// Stop prints the table, stops what runs and removes the temporary directory.
func (b *Bench) Stop() {
	_ = b.table.Flush()
	for _, s := range b.servers {
		s.Stop()
	}
	_ = b.Cluster.Stop(context.Background())
	_ = os.RemoveAll(b.Dir)
}

// Row adds a line to the table.
func (b *Bench) Row(what, strata, baseline, ratio, target string) {
	_, _ = fmt.Fprintf(b.table, "%s\t%s\t%s\t%s\t%s\n", what, strata, baseline, ratio, target)
}

// Database creates a migrated database and a pool on it.
func (b *Bench) Database(ctx context.Context, name string) (url string, pool *pgxpool.Pool) {
	admin := Must(pgxpool.New(ctx, b.Cluster.AdminURL()))
	defer admin.Close()
	Must(admin.Exec(ctx, "CREATE DATABASE "+name+" OWNER strata"))
	location := Must(neturl.Parse(b.Cluster.URL()))
	location.Path = "/" + name
	url = location.String()
	Check(migrations.Up(ctx, url))
	return url, Must(pgxpool.New(ctx, url))
}
