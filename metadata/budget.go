package metadata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/fetch"
	"strata/eventstore"
)

// budget bounds what a contract may cause to be fetched in a day. Without it, a contract that announces new metadata in each
// block would fill the log. Once a contract has used up its budget, an event in the log lets it rest until the day ends, so
// that it depends on the log alone which wants are put off.
type budget struct {
	log                    *eventstore.Log
	fetchesMost, bytesMost int64
	logger                 *slog.Logger
	rests                  prometheus.Counter

	mu   sync.Mutex
	over []spending // contracts that have to rest
}

// spending is what a contract has caused to be fetched in a day.
type spending struct {
	contract       string
	day            time.Time
	fetches, bytes int64
}

// spend adds a batch to what its contracts have spent, in the transaction that records the batch.
func (b *budget) spend(ctx context.Context, tx pgx.Tx, batch []*finishedAttempt) error {
	places := map[string]int{}
	var contracts []string
	var fetches, sizes []int64
	for _, f := range batch {
		if f.lease.contract == "" {
			continue
		}
		place, ok := places[f.lease.contract]
		if !ok {
			place = len(contracts)
			places[f.lease.contract] = place
			contracts, fetches, sizes = append(contracts, f.lease.contract), append(fetches, 0), append(sizes, 0)
		}
		fetches[place]++
		sizes[place] += f.cost
	}
	if len(contracts) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		WITH now AS (
			INSERT INTO metadata.spent AS s (day, fetches, bytes, rested, contract_id)
			SELECT (now() AT TIME ZONE 'UTC')::date, fetches, bytes, false, contract
			FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS batch (contract, fetches, bytes) ORDER BY contract
			ON CONFLICT (day, contract_id) DO UPDATE SET fetches = s.fetches + excluded.fetches, bytes = s.bytes + excluded.bytes
			RETURNING s.contract_id, s.day, s.fetches, s.bytes, s.rested)
		SELECT contract_id, day, fetches, bytes FROM now WHERE NOT rested AND (fetches >= $4 OR bytes >= $5)`,
		contracts, fetches, sizes, b.fetchesMost, b.bytesMost)
	if err != nil {
		return fmt.Errorf("add up what %d contracts caused to be fetched: %w", len(contracts), err)
	}
	over, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s spending, err error) {
		return s, row.Scan(&s.contract, &s.day, &s.fetches, &s.bytes)
	})
	if err != nil {
		return fmt.Errorf("add up what %d contracts caused to be fetched: %w", len(contracts), err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = over
	return nil
}

// letRest appends the events that let those contracts rest whose budget the last batch used up. If it fails, the next batch
// of the contract tries again.
func (b *budget) letRest() {
	b.mu.Lock()
	over := b.over
	b.over = nil
	b.mu.Unlock()
	for _, s := range over {
		ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
		err := b.rest(ctx, s)
		cancel()
		switch {
		case errors.Is(err, errRests):
		case err != nil:
			b.logger.LogAttrs(context.Background(), slog.LevelWarn, "a contract could not be let rest; trying again after its next fetch",
				slog.String("contract_id", s.contract), slog.Any("error", err))
		default:
			b.rests.Inc()
			b.logger.LogAttrs(context.Background(), slog.LevelInfo, "nothing more is fetched today for a contract: it has used up its budget",
				slog.String("contract_id", s.contract), slog.Int64("fetches", s.fetches), slog.Int64("bytes", s.bytes))
		}
	}
}

// errRests means that another process lets the contract rest.
var errRests = errors.New("the contract rests already")

func (b *budget) rest(ctx context.Context, s spending) error {
	now := time.Now().UTC()
	until := s.day.AddDate(0, 0, 1)
	if !until.After(now) {
		return errRests // a new day has begun meanwhile
	}
	body, err := (&fetch.Rest{
		Contract: s.contract, DecidedAt: now, Until: until, Fetches: s.fetches, Bytes: s.bytes, FetchesMost: b.fetchesMost, BytesMost: b.bytesMost,
	}).Encode()
	if err != nil {
		return err
	}
	_, err = b.log.AppendBatch(ctx, []eventstore.Incoming{{
		ReceivedAt: now, Source: "metadata", Path: fetch.PathRest, ContentType: fetch.ContentType, Body: eventstore.NewBody(body),
	}}, func(tx pgx.Tx, _ int64) error {
		tag, err := tx.Exec(ctx, `UPDATE metadata.spent SET rested = true WHERE day = $1 AND contract_id = $2 AND NOT rested`, s.day, s.contract)
		if err == nil && tag.RowsAffected() == 0 {
			err = errRests
		}
		return err
	})
	return err
}

// forgetSpent deletes what was spent on days that are over.
func forgetSpent(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := pool.Exec(ctx, `DELETE FROM metadata.spent WHERE day < (now() AT TIME ZONE 'UTC')::date - 1`); err != nil {
		return fmt.Errorf("forget what was spent on earlier days: %w", err)
	}
	return nil
}
