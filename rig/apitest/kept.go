package apitest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/shard"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/metric"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/readapi"
)

// keeper is an API that keeps its answers.
type Keeper struct {
	*Site
	registry *prometheus.Registry
	plain    *Site // keeps nothing; made when it is needed
}

// newKeeper runs an API on a database. Its memory is on from the start.
func NewKeeper(t testing.TB, pool *pgxpool.Pool, config readapi.Config) *Keeper {
	t.Helper()
	k := &Keeper{Site: &Site{T: t, Pool: pool, Log: &logbuffer.Buffer{}}, registry: prometheus.NewRegistry()}
	config.Pool, config.Registry = pool, k.registry
	config.Logger = slog.New(slog.NewTextHandler(k.Log, nil))
	config.Version = Version
	if config.WatchInterval == 0 {
		config.WatchInterval = 5 * time.Millisecond
	}
	k.API = readapi.New(config)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.API.Run(ctx)
	}()
	pgtest.AtEnd(t, func() {
		stop()
		<-done
	})
	eventually.Holds(t, "the state is known", func() bool { return k.Metric("strata_cache_state_changes_total") > 0 })
	return k
}

// metric is the sum of a metric over its labels.
func (k *Keeper) Metric(name string, labels ...string) float64 {
	k.T.Helper()
	sum, _ := metric.Sum(k.T, k.registry, name, labels...)
	return sum
}

// reads is how many answers were made from the database.
func (k *Keeper) Reads() int { return int(k.Metric("strata_cache_misses_total")) }

// Builds gets a target, and reports whether its answer had to be made from the database.
func (k *Keeper) Builds(target string) bool {
	k.T.Helper()
	before := k.Reads()
	if got := k.Get(target); got.Status != http.StatusOK {
		k.T.Errorf("%s: got %d %s", target, got.Status, got.Body)
	}
	return k.Reads() > before
}

// advance moves a projection by one position, as a follower that applies a block does: the shards of what it touches
// are noted; without any, everything counts as touched.
func (s *Site) Advance(projection string, touched ...string) {
	s.T.Helper()
	var shards []int32
	for _, name := range touched {
		shards = append(shards, shard.Of(name))
	}
	s.Exec(`
		WITH moved AS (
			UPDATE strata.projection
			SET position = position + 1, log_seq = log_seq + 1, changes_to = position + 1,
			    changes_from = CASE WHEN $2 OR changes_to <> position THEN position + 1 ELSE changes_from END
			WHERE name = $1 AND version = (SELECT min(version) FROM strata.projection WHERE name = $1) RETURNING epoch, position
		)
		INSERT INTO strata.change SELECT epoch, position, $3 FROM moved`, projection, len(touched) == 0, shard.Encode(shards))
}

// seen waits until the keeper knows that a projection has come to the position that the database has.
func (k *Keeper) Seen(target string) {
	k.T.Helper()
	if k.plain == nil {
		k.plain = NewSiteOn(k.T, k.Pool, readapi.Config{})
	}
	want := k.plain.Get(target).Header.Get("Strata-Position")
	eventually.Holds(k.T, "the keeper sees "+want, func() bool { return k.Get(target).Header.Get("Strata-Position") == want })
}

// balanceOf is what address_balance_update says of somebody.
func (k *Keeper) BalanceOf(principal string) string {
	k.T.Helper()
	return strings.Replace(k.Get("/extended/v1/address/"+principal+"/stx").Body, "{", `{"address":"`+principal+`",`, 1)
}

// column is the column that a query selects.
func (k *Keeper) Column(into *[]string, sql string, args ...any) {
	k.T.Helper()
	must.Do(k.T, k.Pool.QueryRow(k.T.Context(), InSchemas(`SELECT array_agg(c) FROM (`+sql+`) x (c)`), args...).Scan(into))
}

// waiting are the ids of the transactions that wait, sorted.
func (k *Keeper) Waiting() (ids []string) {
	k.T.Helper()
	plain := NewSiteOn(k.T, k.Pool, readapi.Config{}) // which sees the newest
	for {
		var page struct {
			Total   int
			Results []struct {
				ID string `json:"tx_id"`
			}
		}
		DecodeJSON(k.T, plain.Get(fmt.Sprintf("/extended/v1/tx/mempool?limit=50&offset=%d", len(ids))).Body, &page)
		for _, tx := range page.Results {
			ids = append(ids, tx.ID)
		}
		if len(page.Results) == 0 || len(ids) >= page.Total {
			slices.Sort(ids)
			return ids
		}
	}
}
