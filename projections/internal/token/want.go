package token

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/projections"
	"strata/projections/internal/want"
)

// Priorities of wants.
const (
	priorityPerson = 1 // a person asked
	priorityChain  = 2 // the chain changed
	priorityAgain  = 3 // an earlier attempt failed
	priorityClock  = 4 // a dynamic token is due again
)

// raisedWant is a want that an event of the log gives rise to.
type raisedWant struct {
	want fetch.Want
	// contract is the contract of the token that refers to a document or image; empty for a read, which names its contract.
	// While the contract rests, the want is not due.
	contract string
	seq      int64 // the event
	// cause is the later event that makes the block of the want canonical again; 0 if there is none. What was done for
	// the want before that event does not count.
	cause    int64
	due      time.Time // a time that has passed: the want may be fetched at once
	height   *int64    // only a read at this block or above answers the want
	priority int16
	// anew says that the answer has probably changed, so earlier failures of the want do not count. Without it a want
	// that has failed keeps its due time, so that nobody can hammer a server by minting a token again and again.
	anew bool
	// notice says that a notification gives rise to it.
	notice bool
	// covers is another want, whose answer includes the answer to this one; nil for none. If that want is open, a read
	// below height no longer answers it, because it would bring back what the answer to this want replaces.
	covers *fetch.Want
}

// merge combines two wants with the same key, of which r was raised first. The contract stays the first one.
func (r raisedWant) merge(later raisedWant) raisedWant {
	later.priority, later.contract = min(r.priority, later.priority), r.contract
	if r.due.Before(later.due) {
		later.due = r.due
	}
	if later.height == nil || r.height != nil && *r.height > *later.height {
		later.height = r.height
	}
	return later
}

func keyHash(w fetch.Want) [sha256.Size]byte { return want.KeyHash(w) }

func uriHash(uri string) [sha256.Size]byte { return sha256.Sum256([]byte(uri)) }

const raiseSQL = `
	INSERT INTO {schema}.want AS w (source_seq, due_at, min_height, attempts, waits, priority, reason, severity, key_hash, kind, wanted_by, want)
	SELECT seq, CASE priority WHEN 1 THEN due ELSE greatest(due, rest.until) END, height, 0, 0, priority, 0, 0, key_hash, kind, contract, want
	FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::smallint[], $5::bytea[], $6::text[], $7::text[], $8::text[])
	     AS raised (seq, due, height, priority, key_hash, kind, contract, want)
	LEFT JOIN {schema}.rest ON rest.contract_id = raised.contract
	ON CONFLICT (key_hash) DO UPDATE SET
		source_seq = excluded.source_seq, min_height = greatest(w.min_height, excluded.min_height), `

// Statements that raise wants; they differ in what they do to wants that are open already. raiseAnewSQL forgets earlier
// failures, and so does raiseNoticeSQL, but an attempt that has just failed is not repeated at once for a notification.
// raiseAlsoSQL leaves the due time and priority of a want that has been tried.
const (
	raiseAnewSQL   = raiseSQL + `due_at = least(w.due_at, excluded.due_at), ` + forgetSQL
	raiseNoticeSQL = raiseSQL + `due_at = least(w.due_at, excluded.due_at + $9::interval), ` + forgetSQL
	forgetSQL      = `priority = least(w.priority, excluded.priority), attempts = 0, waits = 0, reason = 0, severity = 0`
	raiseAlsoSQL   = raiseSQL + `
		due_at = CASE WHEN w.attempts + w.waits = 0 THEN least(w.due_at, excluded.due_at) ELSE w.due_at END,
		priority = CASE WHEN w.attempts + w.waits = 0 THEN least(w.priority, excluded.priority) ELSE w.priority END`
)

// raise writes wants into the table. Several with the same key give the same row as if they were raised one by one.
func (b *batch) raise(wants []raisedWant) error {
	for _, anew := range []bool{false, true} {
		type column struct {
			r   raisedWant
			key [sha256.Size]byte
		}
		place := map[[sha256.Size]byte]int{}
		var columns []column
		for _, r := range wants {
			if r.anew != anew {
				continue
			}
			if r.contract == "" {
				r.contract = r.want.Contract
			}
			key := keyHash(r.want)
			if at, ok := place[key]; ok {
				columns[at].r = columns[at].r.merge(r)
				continue
			}
			place[key] = len(columns)
			columns = append(columns, column{r, key})
		}
		if len(columns) == 0 {
			continue
		}
		// All writers write rows in the order of their keys, so no two of them can deadlock.
		slices.SortFunc(columns, func(a, b column) int { return slices.Compare(a.key[:], b.key[:]) })
		n := len(columns)
		seqs, dues, heights, priorities := make([]int64, n), make([]time.Time, n), make([]*int64, n), make([]int16, n)
		keys, kinds, contracts, texts := make([][]byte, n), make([]string, n), make([]string, n), make([]string, n)
		for i, c := range columns {
			text, err := json.Marshal(c.r.want)
			if err != nil {
				return fmt.Errorf("write the want %s: %w", c.r.want.Key(), err)
			}
			seqs[i], dues[i], heights[i], priorities[i] = max(c.r.seq, c.r.cause), c.r.due, c.r.height, c.r.priority
			keys[i], kinds[i], contracts[i], texts[i] = c.key[:], string(c.r.want.Kind), c.r.contract, string(text)
		}
		query, args := raiseAlsoSQL, []any{seqs, dues, heights, priorities, keys, kinds, contracts, texts}
		switch {
		case anew && columns[0].r.notice: // the wants of a notification are raised together, and no others with them
			query, args = raiseNoticeSQL, append(args, quiet)
		case anew:
			query = raiseAnewSQL
		}
		if _, err := b.tx.Exec(b.ctx, b.sql(query), args...); err != nil {
			return fmt.Errorf("raise %d wants: %w", n, err)
		}
	}
	return b.cover(wants)
}

// cover raises the required height of the open wants that wants cover.
func (b *batch) cover(wants []raisedWant) error {
	var keys [][]byte
	var heights []int64
	for _, r := range wants {
		if r.covers != nil {
			key := keyHash(*r.covers)
			keys, heights = append(keys, key[:]), append(heights, *r.height)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.want w SET min_height = greatest(w.min_height, covered.height)
		FROM (SELECT key, max(height) AS height FROM unnest($1::bytea[], $2::bigint[]) AS c (key, height) GROUP BY key) covered
		WHERE w.key_hash = covered.key`), keys, heights); err != nil {
		return fmt.Errorf("hold %d wants to a height: %w", len(keys), err)
	}
	return nil
}

// openWant is a row of table want.
type openWant struct {
	want.Attempts
	key       [sha256.Size]byte
	minHeight *int64
	priority  int16
}

// openWants returns the open wants with the given hashes of keys, by hash. A hash that is missing from the result is
// that of a want which is no longer open.
func (b *batch) openWants(keys [][sha256.Size]byte) (map[[sha256.Size]byte]openWant, error) {
	open := make(map[[sha256.Size]byte]openWant, len(keys))
	if len(keys) == 0 {
		return open, nil
	}
	hashes := projections.Column(keys, func(key [sha256.Size]byte) []byte { return key[:] })
	rows, err := b.tx.Query(b.ctx, b.sql(`SELECT key_hash, min_height, attempts, waits, priority FROM {schema}.want WHERE key_hash = ANY ($1)`), hashes)
	if err != nil {
		return nil, fmt.Errorf("look for %d wants: %w", len(keys), err)
	}
	var s openWant
	var key []byte
	if _, err := pgx.ForEachRow(rows, []any{&key, &s.minHeight, &s.Attempts.Attempts, &s.Waits, &s.priority}, func() error {
		s.key = [sha256.Size]byte(key)
		if s.minHeight != nil {
			height := *s.minHeight
			s.minHeight = &height
		}
		open[s.key] = s
		return nil
	}); err != nil {
		return nil, fmt.Errorf("look for %d wants: %w", len(keys), err)
	}
	return open, nil
}

// settle deletes wants that were answered.
func (b *batch) settle(all ...openWant) error {
	return b.dropWants(projections.Column(all, func(s openWant) []byte { return s.key[:] }))
}

// putOff keeps a want that was answered at a height, with the time at which it is due again.
func (b *batch) putOff(s openWant, seq int64, due time.Time, height int64) error {
	_, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.want w
		SET source_seq = $2, due_at = greatest($3, (SELECT until FROM {schema}.rest WHERE contract_id = w.wanted_by)), min_height = $4, attempts = 0, waits = 0, priority = $5, reason = 0, severity = 0
		WHERE key_hash = $1`), s.key[:], seq, due, height, priorityClock)
	if err != nil {
		return fmt.Errorf("put a want off: %w", err)
	}
	return nil
}

// wait postpones a want whose report is of a block that does not count. A report that comes late must not make the want
// due earlier.
func (b *batch) wait(s openWant, seq int64, at time.Time) error {
	due := s.Fail(at, &fetch.Problem{Severity: fetch.Waiting})
	_, err := b.tx.Exec(b.ctx, b.sql(`UPDATE {schema}.want SET source_seq = $2, due_at = greatest(due_at, $3), waits = $4 WHERE key_hash = $1`),
		s.key[:], seq, due, s.Waits)
	if err != nil {
		return fmt.Errorf("postpone a want: %w", err)
	}
	return nil
}

// failure is a report that did not answer its want.
type failure struct {
	openWant
	seq     int64 // the report
	at      time.Time
	problem *fetch.Problem
}

// fail records failures of wants, and when to try again.
func (b *batch) fail(all ...failure) error {
	if len(all) == 0 {
		return nil
	}
	n := len(all)
	keys, seqs, dues := make([][]byte, n), make([]int64, n), make([]time.Time, n)
	attempts, waits, priorities := make([]int32, n), make([]int32, n), make([]int16, n)
	reasons, severities := make([]int16, n), make([]int16, n)
	for i := range all {
		f := all[i]
		keys[i], seqs[i], dues[i] = f.key[:], f.seq, f.Fail(f.at, f.problem)
		attempts[i], waits[i], priorities[i] = f.Attempts.Attempts, f.Waits, f.priority
		if f.problem.Severity != fetch.Waiting {
			priorities[i] = max(f.priority, priorityAgain)
		}
		reasons[i], severities[i] = int16(f.problem.Reason), int16(f.problem.Severity)
	}
	_, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.want w
		SET source_seq = f.seq, due_at = greatest(w.due_at, f.due, (SELECT until FROM {schema}.rest WHERE contract_id = w.wanted_by)), attempts = f.attempts, waits = f.waits, priority = f.priority,
		    reason = f.reason, severity = f.severity
		FROM unnest($1::bytea[], $2::bigint[], $3::timestamptz[], $4::int[], $5::int[], $6::smallint[], $7::smallint[], $8::smallint[])
		     AS f (key, seq, due, attempts, waits, priority, reason, severity)
		WHERE w.key_hash = f.key`), keys, seqs, dues, attempts, waits, priorities, reasons, severities)
	if err != nil {
		return fmt.Errorf("note that %d wants failed: %w", n, err)
	}
	return nil
}

// retry lets wants be fetched now whose last attempt failed, as if it had not.
func (b *batch) retry(step projections.Step, r *fetch.Refresh) error {
	b.touched = nil // it may concern any number of tokens
	return want.Table{Tx: b.tx, SQL: b.sql}.Retry(b.ctx, step.SourceSeq, r)
}

// readWant returns the want for a token's properties, which its contract answers.
func (p *Projection) readWant(contract string, id *big.Int) fetch.Want {
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: token.Calls(p.kind, id)}
}

// supplyWant returns the want for a token's supply alone.
func (p *Projection) supplyWant(contract string, id *big.Int) fetch.Want {
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: token.SupplyCalls(p.kind, id)}
}

// covering returns the want whose answer includes the token's supply.
func (p *Projection) covering(contract string, id *big.Int) *fetch.Want {
	w := p.readWant(contract, id)
	return &w
}

func lastTokenIDWant(contract string) fetch.Want {
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: []fetch.Call{token.LastTokenIDCall()}}
}

func interfaceWant(contract string) fetch.Want {
	return fetch.Want{Kind: fetch.ContractInterface, Contract: contract}
}
