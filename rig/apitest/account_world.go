package apitest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/follow"
	versions "strata/projections/version"
	"strata/readapi"
	"strata/rig/replay"
)

// listedChains are databases with a made-up chain that has forks, folded by all that lists of accounts are read from.
var listedChains = pgtest.Template("lists", func(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	var batch []eventstore.Incoming
	for _, post := range ListedPosts(400) {
		batch = append(batch, eventstore.Incoming{
			ReceivedAt: time.Unix(1_700_000_000, 0), Source: "test", Path: post.Path, ContentType: "application/json", Body: eventstore.NewBody(bytes.Clone(post.Body)),
		})
	}
	if _, err := log.AppendBatch(ctx, batch, nil); err != nil {
		return err
	}
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		return err
	}
	runner := follow.NewRunner(follow.Config{Log: log, Interval: 50 * time.Millisecond}, projections.Chain(canonical, balances.New(nil), accounts.New()))
	if err := runner.Register(ctx); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runner.Run(running)
	}()
	err = versions.WaitUntilCaughtUp(ctx, pool, func([]versions.Status) {}, time.Minute)
	stop()
	<-done
	return err
})

// listedPosts are the posts of a chain of few accounts, which have long lists.
func ListedPosts(n int) (posts []replay.Post) {
	config := synthchain.Everything(23, synthchain.V30)
	config.SigningSample, config.Accounts, config.BitcoinOpShare = 1000, 10, 0.3
	made := synthchain.New(config)
	return replay.Take(n, made.Next)
}

func NewListed(t testing.TB) *Site {
	t.Helper()
	return NewSiteOn(t, listedChains.New(t), readapi.Config{Network: NetworkOf(ListedPosts(1))})
}

// textOf writes a member of a page's row, which a path of names leads to.
func TextOf(row any, path ...string) string {
	for _, name := range path {
		object, _ := row.(map[string]any)
		row = object[name]
	}
	return fmt.Sprint(row)
}
