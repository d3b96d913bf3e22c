package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// coldConnections is how many connections to the database both sides have: as many as the program makes by itself.
const coldConnections = 24

// selecting is a process that runs bare SELECTs on a database.
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

// selectingOf is such a process as a contender: of says to it what to read.
func selectingOf[T any](h *helper, of T) contender {
	return func(connections int, d time.Duration) (*round, error) {
		var answer selected
		err := h.ask(selection[T]{Workers: connections, Time: d, Of: of}, &answer)
		return answer.round(), err
	}
}

// selection asks for one round of bare SELECTs.
type selection[T any] struct {
	Workers int
	Time    time.Duration
	Of      T
}

// selected is what came of it.
type selected struct {
	Rate      float64
	Total     int
	Latencies map[int]uint32 // counts of the buckets of the histogram
}

func newSelected(r *round) selected {
	s := selected{r.rate, r.latencies.total, map[int]uint32{}}
	for bucket, n := range r.latencies.counts {
		if n > 0 {
			s.Latencies[bucket] = n
		}
	}
	return s
}

func (s selected) round() *round {
	r := &round{rate: s.Rate}
	r.latencies.total = s.Total
	for bucket, n := range s.Latencies {
		r.latencies.counts[bucket] = n
	}
	return r
}

// selectRow reads a row at random.
type selectRow func(pool *pgxpool.Pool, random *rand.Rand) error

// selectRounds is the process: it is told the database, and then the rounds to run, each of which is prepared first.
func selectRounds[T any](ctx context.Context, in *json.Decoder, out *json.Encoder, prepare func(of T) selectRow) error {
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
	for {
		var s selection[T]
		if err := in.Decode(&s); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		read := prepare(s.Of)
		r, err := inParallel(s.Workers, s.Time, func(i int) (func() error, error) {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			return func() error { return read(pool, random) }, nil
		})
		if err != nil {
			return err
		}
		if err := out.Encode(newSelected(r)); err != nil {
			return err
		}
	}
}
