package apitest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/replay"
)

// all gives the queries on tables of projections since the last time.
func (q *Queries) All() []pgx.TraceQueryStartData { return q.Take("accounts", "chain") }

// queries notes what is asked of the database.
type Queries struct {
	mu   sync.Mutex
	seen []pgx.TraceQueryStartData
}

func (q *Queries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seen = append(q.seen, data)
	return ctx
}

func (*Queries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (q *Queries) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (q *Queries) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	q.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{SQL: data.SQL, Args: data.Args})
}

func (*Queries) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// take gives the queries on the tables of some projections since the last time.
func (q *Queries) Take(projections ...string) (seen []pgx.TraceQueryStartData) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, data := range q.seen {
		if slices.ContainsFunc(projections, func(name string) bool { return strings.Contains(data.SQL, name+"_v") }) {
			seen = append(seen, data)
		}
	}
	q.seen = nil
	return seen
}

// planNode is of EXPLAIN.
type planNode struct {
	Hit  int64 `json:"Shared Hit Blocks"`
	Read int64 `json:"Shared Read Blocks"`
	Temp int64 `json:"Temp Written Blocks"`
}

// blocksTouched runs a query once more and says how many blocks of 8 KiB it touches.
func (s *Site) BlocksTouched(mode string, q pgx.TraceQueryStartData) (touched int64) {
	s.T.Helper()
	conn := must.Get(s.Pool.Acquire(s.T.Context()))(s.T)
	defer conn.Release()
	if _, err := conn.Exec(s.T.Context(), `SET plan_cache_mode = `+mode); err != nil {
		s.T.Fatal(err)
	}
	prepared, err := conn.Conn().Prepare(s.T.Context(), "explained", q.SQL)
	if err != nil {
		s.T.Fatalf("%s: %v", q.SQL, err)
	}
	arguments := ""
	for i, arg := range q.Args {
		literal := "NULL"
		text := must.Get(conn.Conn().TypeMap().Encode(prepared.ParamOIDs[i], pgx.TextFormatCode, arg, nil))(s.T)
		if text != nil {
			literal = "'" + strings.ReplaceAll(string(text), "'", "''") + "'"
		}
		arguments += ", " + literal
	}
	if arguments != "" {
		arguments = "(" + arguments[2:] + ")"
	}
	var text []byte
	if err := conn.QueryRow(s.T.Context(), `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE explained`+arguments, pgx.QueryExecModeSimpleProtocol).Scan(&text); err != nil {
		s.T.Fatalf("%s: %v", q.SQL, err)
	}
	must.Do(s.T, conn.Conn().Deallocate(s.T.Context(), "explained"))
	var plans []struct{ Plan planNode }
	must.Do(s.T, json.Unmarshal(text, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read + plans[0].Plan.Temp
}

// NewSeenSite returns an API on a database of its own, for large tables, whose queries are seen. It skips the test in its short form.
func NewSeenSite(t *testing.T) (*Site, *Queries) {
	t.Helper()
	if testing.Short() {
		t.Skip("it fills large tables")
	}
	seen := &Queries{}
	config := must.Get(pgxpool.ParseConfig(replay.Databases.URL(t)))(t)
	config.ConnConfig.Tracer = seen
	return NewSiteOn(t, openPool(t, config), readapi.Config{}), seen
}
