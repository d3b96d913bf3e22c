package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// coldConnections is the number of database connections of both sides. It is the default of the program.
const coldConnections = 24

// selecting starts a helper process that runs bare SELECTs on a database.
func (b *bench) selecting(ctx context.Context, part, url string) (*helper, error) {
	h, err := b.helper(ctx, part)
	if err != nil {
		return nil, err
	}
	if err := h.ask(url, new(string)); err != nil {
		h.stop()
		return nil, err
	}
	return h, nil
}

// selectingOf returns a contender that runs SELECTs in the helper process. subject tells it what to read.
func selectingOf[T any](h *helper, subject T) contender {
	return func(connections int, d time.Duration) (*round, error) {
		var result selectResult
		err := h.ask(selectRound[T]{Workers: connections, Time: d, Subject: subject}, &result)
		return result.round(), err
	}
}

// selectRound is the question for one round of bare SELECTs.
type selectRound[T any] struct {
	Workers int
	Time    time.Duration
	Subject T
}

// selectResult is the answer to a selectRound.
type selectResult struct {
	Rate      float64
	Total     int
	Latencies map[int]uint32 // counts, by bucket of the histogram
}

func newSelectResult(r *round) selectResult {
	s := selectResult{r.rate, r.latencies.total, map[int]uint32{}}
	for bucket, n := range r.latencies.counts {
		if n > 0 {
			s.Latencies[bucket] = n
		}
	}
	return s
}

func (s selectResult) round() *round {
	r := &round{rate: s.Rate}
	r.latencies.total = s.Total
	for bucket, n := range s.Latencies {
		r.latencies.counts[bucket] = n
	}
	return r
}

// selectRow reads a random row.
type selectRow func(pool *pgxpool.Pool, random *rand.Rand) error

// decodeRows executes a query and decodes all rows.
func decodeRows(ctx context.Context, pool *pgxpool.Pool, query string, args ...any) error {
	rows, err := pool.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// selectRounds runs rounds of SELECTs as a helper process. It reads the URL of the database, and then the rounds.
// prepare returns the SELECT for the subject of a round.
func selectRounds[T any](ctx context.Context, in *json.Decoder, out *json.Encoder, prepare func(subject T) selectRow) error {
	var url string
	if err := in.Decode(&url); err != nil {
		return err
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	config.MaxConns = coldConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := out.Encode("ready"); err != nil {
		return err
	}
	return answerQuestions(in, out, func(question selectRound[T]) (result selectResult, err error) {
		read := prepare(question.Subject)
		r, err := inParallel(question.Workers, question.Time, func(i int) (func() error, error) {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			return func() error { return read(pool, random) }, nil
		})
		if err != nil {
			return result, err
		}
		return newSelectResult(r), nil
	})
}
