package readapi

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
)

// snapshot is one view of all tables: a REPEATABLE READ, READ ONLY transaction. The versions of the projections that
// are active in it are looked up in the same round trip that begins it.
type snapshot struct {
	conn       *pgxpool.Conn
	active     map[string]*projection
	provenance provenance
}

// projection is the active version of one, as the register has it.
type projection struct {
	name            string
	version         int
	input           string // 'log', or the schema whose steps it folds
	state           string
	failure         *string
	position        int64
	logSeq          int64
	height          *int64 // tip of its rows; nil before the first block
	burnBlockHeight *int64
	indexBlockHash  *hash.Hash32
	blockHash       *hash.Hash32
}

// schema is where its tables stand, quoted for SQL.
func (p *projection) schema() string {
	return pgx.Identifier{fmt.Sprintf("%s_v%d", p.name, p.version)}.Sanitize()
}

// begin opens a snapshot, which must be closed.
func (a *API) begin(ctx context.Context) (*snapshot, error) {
	conn, err := a.config.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a connection to the database: %w", err)
	}
	s := &snapshot{conn: conn, active: make(map[string]*projection, 8)}
	var b pgx.Batch
	b.Queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	b.Queue(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, a.config.StatementTimeout.Milliseconds()))
	b.Queue(`
		SELECT p.name, p.version, p.input, p.state, CASE WHEN p.state = 'failed' THEN p.error END, p.position, p.log_seq,
		       p.block_height, p.burn_block_height, p.index_block_hash, p.block_hash
		FROM strata.active a JOIN strata.projection p USING (name, version)`).Query(s.scanActive)
	if err := conn.SendBatch(ctx, &b).Close(); err != nil {
		s.close()
		return nil, fmt.Errorf("begin a snapshot: %w", err)
	}
	return s, nil
}

func (s *snapshot) scanActive(rows pgx.Rows) error {
	for rows.Next() {
		p := &projection{}
		err := rows.Scan(&p.name, &p.version, &p.input, &p.state, &p.failure, &p.position, &p.logSeq,
			&p.height, &p.burnBlockHeight, &p.indexBlockHash, &p.blockHash)
		if err != nil {
			return err
		}
		s.active[p.name] = p
	}
	return rows.Err()
}

// tip is the named projection, once it has a block; otherwise ok is false. It counts as read.
func (s *snapshot) tip(name string) (p *projection, ok bool) {
	p = s.active[name]
	if p == nil {
		return nil, false
	}
	s.provenance.readProjection(p)
	return p, p.height != nil
}

// closeTimeout bounds the end of a transaction that the handler left open.
const closeTimeout = 5 * time.Second

// close ends the transaction, if the last batch has not, and gives the connection back.
func (s *snapshot) close() {
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
