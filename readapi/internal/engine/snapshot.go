package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/readapi/internal/register"
)

// snapshot is one view of all tables. Either it is a REPEATABLE READ, READ ONLY transaction, and the state of the
// projections was looked up in the round trip that began it; or the state was known, and each batch makes sure that it
// still is the database's.
type Snapshot struct {
	Engine   *Engine
	conn     *pgxpool.Conn // of the transaction
	combiner *combiner     // without one
	State    *register.State
	// assumed are the versions that each batch has to find where state has them; nil in a transaction.
	Assumed []*register.Version
	// goesOn says that the transaction is used after the last batch of the handler.
	KeepOpen   bool
	plan       *Plan // nil: anything may be read
	Provenance provenance
	prepared   *sync.Map // texts of queries, by prepared
	choice     *choice   // which versions are read in the place of the active ones; nil for these
	// others are the active versions that other code has built, and rules the numbers of this one's.
	others []*register.Version
	rules  map[string]int
	// settlesAt is the Bitcoin height from which on the answer is not expected to change; 0 for never.
	SettlesAt int64
}

// settlingBlocks is how many Bitcoin blocks deep a block must be for nobody to expect that it is orphaned.
const settlingBlocks = 7

// settles says that the answer is of a block with this Bitcoin height alone.
func (s *Snapshot) Settles(burnHeight int64) { s.SettlesAt = burnHeight + settlingBlocks }

// begin opens a snapshot, which must be closed.
func (a *Engine) Begin(ctx context.Context, p *Plan) (*Snapshot, error) {
	conn, err := a.Config.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a connection to the database: %w", err)
	}
	s := &Snapshot{Engine: a, conn: conn, plan: p, prepared: &a.prepared, choice: ChoiceOf(ctx), rules: a.Config.Rules}
	var shards []register.Shard
	if p != nil && s.choice == nil {
		shards = p.shards
	}
	var b pgx.Batch
	b.Queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	b.Queue(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, a.Config.StatementTimeout.Milliseconds()))
	s.State = register.Queue(&b, shards)
	if err := conn.SendBatch(ctx, &b).Close(); err != nil {
		s.Close()
		return nil, fmt.Errorf("begin a snapshot: %w", err)
	}
	if s.choice != nil {
		if s.State, err = s.choice.apply(s.State, a.Config.Rules); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.others = s.State.Foreign(a.Config.Rules)
	return s, nil
}

// assume opens a snapshot of a state that the database was in a moment ago, which takes no round trip. A batch fails with
// register.ErrMoved when it is in another one by then.
func (a *Engine) assume(p *Plan, state *register.State) *Snapshot {
	return &Snapshot{
		Engine:   a,
		combiner: a.combiner, prepared: &a.prepared, State: state, plan: p, Assumed: p.versions(state),
		rules: a.Config.Rules, others: state.Foreign(a.Config.Rules),
	}
}

// active is the active version of a projection; nil when there is none. Looking at one that the answer is not said to
// depend on is a mistake in the program: the answer would be kept when it is no longer right.
func (s *Snapshot) Active(name string) *register.Version {
	if s.plan != nil && !s.plan.include(name) {
		panic(fmt.Sprintf("operation %s reads the projection %s, which is not among its dependencies", s.plan.Operation.ID, name))
	}
	v := s.State.Active(name)
	if s.choice != nil && v != nil {
		s.choice.read[name] = v.Number
	}
	return v
}

// tip is the active version of a projection once it has a block; otherwise ok is false.
func (s *Snapshot) Tip(name string) (v *register.Version, ok bool) {
	v = s.Active(name)
	return v, v != nil && v.Height != nil
}

// closeTimeout bounds the end of a transaction that the handler left open.
const closeTimeout = 5 * time.Second

// close ends the transaction, if the last batch has not, and gives the connection back.
func (s *Snapshot) Close() {
	if s.conn == nil {
		return
	}
	defer s.conn.Release()
	connection := s.conn.Conn()
	if connection.IsClosed() || connection.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	// A connection whose transaction did not end is not used again: the pool sees to that.
	_, _ = connection.Exec(ctx, `ROLLBACK`)
}
