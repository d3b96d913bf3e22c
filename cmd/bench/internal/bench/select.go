package bench

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/load"
)

// selectConnections is the number of database connections of both sides. It is the default of the program.
const selectConnections = 24

// StartSelecting starts a helper process that runs bare SELECTs on a database. The part must call SelectRounds.
func (b *Bench) StartSelecting(ctx context.Context, part, url string) (*Helper, error) {
	h, err := b.Helper(ctx, part)
	if err != nil {
		return nil, err
	}
	if err := h.Ask(url, new(string)); err != nil {
		h.Stop()
		return nil, err
	}
	return h, nil
}

// SelectContender returns a contender that runs SELECTs in the helper process. subject tells it what to read.
func SelectContender[T any](h *Helper, subject T) load.Contender {
	return func(connections int, d time.Duration) (*load.Round, error) {
		result := &load.Round{}
		err := h.Ask(selectRound[T]{Workers: connections, Time: d, Subject: subject}, result)
		return result, err
	}
}

// selectRound is the question for one round of bare SELECTs. The answer is a load.Round.
type selectRound[T any] struct {
	Workers int
	Time    time.Duration
	Subject T
}

// SelectRow reads a random row.
type SelectRow func(pool *pgxpool.Pool, random *rand.Rand) error

// DecodeRows executes a query and decodes all rows.
func DecodeRows(ctx context.Context, pool *pgxpool.Pool, query string, args ...any) error {
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

// SelectRounds runs rounds of SELECTs as a helper process. It reads the URL of the database, and then the rounds.
// prepare returns the SELECT for the subject of a round.
func SelectRounds[T any](ctx context.Context, in *json.Decoder, out *json.Encoder, prepare func(subject T) SelectRow) error {
	var url string
	if err := in.Decode(&url); err != nil {
		return err
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	config.MaxConns = selectConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := out.Encode("ready"); err != nil {
		return err
	}
	return AnswerQuestions(in, out, func(question selectRound[T]) (*load.Round, error) {
		read := prepare(question.Subject)
		return load.InParallel(question.Workers, question.Time, func(i int) (func() error, error) {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			return func() error { return read(pool, random) }, nil
		})
	})
}
