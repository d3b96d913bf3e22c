package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/readapi/internal/register"
)

// Snapshot is one consistent view of all tables. It is either a REPEATABLE READ, READ ONLY transaction, whose first round
// trip read the state of the projections; or it assumes a known state, and each batch verifies that the database still is
// in that state.
type Snapshot struct {
	Engine *Engine
	conn   *pgxpool.Conn // of the transaction; nil without one
	lane   *lane         // used without a transaction
	State  *register.State
	// Assumed are the versions whose positions each batch verifies; nil in a transaction.
	Assumed []*register.Version
	// confirmed: a batch has found the assumed versions where they were. Without one, what was made of them, such as that there is no
	// block, may have been right long ago. Copies share it.
	confirmed  *bool
	plan       *Plan // lists what may be read; nil: anything
	Provenance provenance
	prepared   *sync.Map // SQL texts by preparedKey
	choice     *Choice   // the versions to read instead of the active ones; nil for the active ones
	// others are the active versions that other code has built; rules are this program's rules numbers by projection.
	others []*register.Version
	rules  map[string]int
	// SettlesAt is the Bitcoin height from which on the answer is not expected to change; 0 for never.
	SettlesAt int64
	trace     *trace   // set while the answer is traced
	read      []string // the projections that were read
	// unfit is why the answer does not count, whatever the handler returns; nil if it does.
	unfit error
}

// settlingBlocks is the depth in Bitcoin blocks at which a block is no longer expected to be orphaned.
const settlingBlocks = 7

// FinalAt declares that the answer depends on nothing but a block with this Bitcoin height, so that it is final once that is
// settlingBlocks deep.
func (s *Snapshot) FinalAt(burnHeight int64) { s.SettlesAt = burnHeight + settlingBlocks }

// errNoRegister is the answer while nobody has set the database up.
var errNoRegister = &Error{CodeBuilding, "the tables of these answers do not exist yet; try again soon"}

// Begin opens a snapshot as a transaction. The caller must close it.
func (e *Engine) Begin(ctx context.Context, p *Plan) (*Snapshot, error) {
	conn, err := e.laneIn(ctx, p).pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a connection to the database: %w", err)
	}
	s := &Snapshot{Engine: e, conn: conn, plan: p, prepared: &e.prepared, choice: ChoiceOf(ctx), rules: e.Config.Rules}
	var projections []string // also those that need not have an active version
	if p != nil && s.choice == nil {
		for shard := range p.dependencies().allShards() {
			projections = append(projections, shard.Projection)
		}
	}
	var b pgx.Batch
	b.Queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	b.Queue(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, e.Config.StatementTimeout.Milliseconds()))
	s.State = register.Queue(&b, projections, e.Watch.LastState())
	if err := conn.SendBatch(ctx, &b).Close(); err != nil {
		s.Close()
		if refused := new(pgconn.PgError); errors.As(err, &refused) && refused.Code == undefinedTable {
			return nil, errNoRegister // these statements read nothing else
		}
		return nil, fmt.Errorf("begin a snapshot: %w", err)
	}
	if s.choice != nil {
		if s.State, err = s.choice.apply(s.State, e.Config.Rules, e.Config.Readable); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.others = s.State.Foreign(e.Config.Rules, e.Config.Readable)
	return s, nil
}

// assume opens a snapshot of a state that the database was in a moment ago, without a round trip. A batch fails with
// register.ErrMoved if one of these versions has moved since.
func (e *Engine) assume(p *Plan, state *register.State, versions []*register.Version) *Snapshot {
	lane, _ := e.laneOf(p)
	return &Snapshot{
		Engine: e,
		lane:   lane, prepared: &e.prepared, State: state, plan: p, Assumed: versions, confirmed: new(bool),
		rules: e.Config.Rules, others: state.Foreign(e.Config.Rules, e.Config.Readable),
	}
}

// errNotAssumed means that the handler has read a projection whose position the batches did not verify.
var errNotAssumed = errors.New("the operation has not read this projection before")

// Active returns the active version of a projection; nil when there is none. It panics for a projection that is not among
// declared dependencies, which is a programming error: the answer would stay cached when it is no longer right.
func (s *Snapshot) Active(name string) *register.Version {
	if !slices.Contains(s.read, name) {
		s.readFirst(name)
	}
	v := s.State.Active(name)
	if s.choice != nil && v != nil {
		s.choice.read[name] = v.Number
	}
	return v
}

// readFirst notes a projection that the handler reads.
func (s *Snapshot) readFirst(name string) {
	s.read = append(s.read, name)
	switch {
	case s.plan == nil:
	case s.plan.declared != nil:
		if !s.plan.declared.include(name) {
			panic(fmt.Sprintf("operation %s reads the projection %s, which is not among its dependencies", s.plan.Operation.ID, name))
		}
	case s.Assumed != nil && !slices.ContainsFunc(s.Assumed, func(v *register.Version) bool { return v.Name == name }):
		s.unfit = errNotAssumed
	case s.unfit == nil:
		s.unfit = isBuilding(s.State, name)
	}
}

// dependsOnState reports whether an answer without a batch depends on the state.
func (s *Snapshot) dependsOnState() bool { return len(s.read) > 0 || s.plan.declared != nil }

// Tip returns the active version of a projection; ok is false unless it has a block.
func (s *Snapshot) Tip(name string) (v *register.Version, ok bool) {
	v = s.Active(name)
	return v, v != nil && v.Height != nil
}

// closeTimeout bounds the rollback that ends a transaction.
const closeTimeout = 5 * time.Second

// Close ends the transaction and returns the connection to the pool.
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
	// If the rollback fails, the pool discards the connection.
	_, _ = connection.Exec(ctx, `ROLLBACK`)
}
