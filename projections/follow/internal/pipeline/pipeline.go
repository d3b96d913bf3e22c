package pipeline

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// ErrAborted is the error of a lane whose work is lost because another lane has failed.
var ErrAborted = errors.New("another fold of this transaction failed")

// Fold is what runs in a lane. It must use tx from its own goroutine only, and not after it has returned.
type Fold func(tx pgx.Tx) error

// Error is the error of the fold that was the first to fail.
type Error struct {
	Fold int // index of the fold
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Counts say what was sent to the database.
type Counts struct{ Statements, RoundTrips int }

// Stage returns folds that run at the same time. It is called when all folds of the stage before have ended. What these
// still have to send goes out with what the new ones ask first, before it.
type Stage func() ([]Fold, error)

// Together returns the stage of these folds.
func Together(folds ...Fold) Stage {
	return func() ([]Fold, error) { return folds, nil }
}

// Run runs stages one after the other within a transaction, and returns when all folds have ended. If a fold fails, it
// returns an *Error, whose index counts the folds of all stages; if a stage does, it returns the error of the stage. The
// transaction must then be rolled back. A panic of a fold becomes its error.
func Run(ctx context.Context, tx pgx.Tx, stages ...Stage) (Counts, error) {
	p, err := newPipeline(ctx, tx.Conn())
	if err != nil {
		return p.counts, err
	}
	err = p.run(stages)
	return p.counts, err
}

func (p *pipeline) run(stages []Stage) error {
	defer p.end()
	begun := 0
	for _, stage := range stages {
		folds, err := stage()
		if err != nil {
			return err
		}
		running := make([]*lane, len(folds))
		for i, fold := range folds {
			running[i] = newLane(p, begun+i, fold)
		}
		begun += len(folds)
		for running = p.turn(running); len(running) > 0; running = p.turn(running) {
			p.send()
		}
		if failed := p.failure(); failed != nil {
			return failed
		}
	}
	p.send()
	if failed := p.failure(); failed != nil {
		return failed
	}
	return nil
}

// postMin is how many statements are sent while lanes still compute. To send fewer, and to wake the server up for them, costs
// more processor time than it saves in waiting.
const postMin = 6

// turn lets each lane run until it waits, and returns those that wait.
func (p *pipeline) turn(running []*lane) (waiting []*lane) {
	for _, l := range running {
		if l.resume() {
			waiting = append(waiting, l)
		}
		p.advance()
	}
	return waiting
}

// pipeline is the transaction that lanes share.
type pipeline struct {
	ctx       context.Context
	conn      *pgx.Conn
	types     *pgtype.Map
	prepared  *statements
	arguments pgx.ExtendedQueryBuilder
	queue     []*request       // what is not sent yet
	stream    *pgconn.Pipeline // nil while the connection may do something else
	posted    []*request       // what was sent, and is not answered yet
	counts    Counts
	aside     aside

	mu     sync.Mutex
	failed *Error // of the first lane that failed
}

func newPipeline(ctx context.Context, conn *pgx.Conn) (*pipeline, error) {
	prepared, err := statementsOf(ctx, conn)
	return &pipeline{ctx: ctx, conn: conn, types: conn.TypeMap(), prepared: prepared}, err
}

// fail notes that a lane has failed, unless another has before. The error that a fold returns says more than that of its
// statement, and replaces it.
func (p *pipeline) fail(fold int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil || p.failed.Fold == fold {
		p.failed = &Error{fold, err}
	}
}

// failure returns the error of the first lane that failed, or nil.
func (p *pipeline) failure() *Error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}
