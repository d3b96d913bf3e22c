package nodecompare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Known is what is known of the accounts of a database: what a Watch has found, in this process or in another one, and has not
// found equal since.
type Known struct {
	BlockHeight       int64             `json:"block_height" doc:"Height of the last block up to which the accounts that blocks touched were compared; 0 if there is none."`
	DifferingAccounts int               `json:"differing_accounts" doc:"Number of accounts that differed from the node when they were last compared, and of which a difference was not accepted."`
	AcceptedAccounts  int               `json:"accepted_accounts" doc:"Number of accounts that differed from the node when they were last compared, all of whose differences an operator has accepted."`
	Differences       []KnownDifference `json:"differences" nullable:"false" doc:"The first differences. Those that were not accepted come first."`
}

// KnownDifference is a difference that was found when its account was last compared.
type KnownDifference struct {
	Difference
	BlockHeight int64       `json:"block_height" doc:"Height of the block at which the account was last compared."`
	FoundAt     time.Time   `json:"found_at"`
	Acceptance  *Acceptance `json:"acceptance,omitempty" doc:"Absent if nobody has accepted the difference, or if it has changed since."`
}

// Acceptance is an operator's word that a difference is known and harmless.
type Acceptance struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// String describes the difference, and why it was accepted, if it was. It may contain control characters.
func (d KnownDifference) String() string {
	if d.Acceptance == nil {
		return d.Difference.String()
	}
	return fmt.Sprintf("%s; accepted on %s: %s", d.Difference, d.Acceptance.At.UTC().Format(time.DateOnly), d.Acceptance.Reason)
}

// database is a pool, a connection or a transaction.
type database interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// KnownSQL is a query for what is known, as JSON, with at most $1 differences; no row if accounts of the database were never compared.
// An account is accepted if all its differences are.
const KnownSQL = `
	SELECT jsonb_build_object(
	           'block_height', coalesce(c.height, 0), 'differing_accounts', a.differing, 'accepted_accounts', a.accepted,
	           'differences', coalesce((
	               SELECT jsonb_agg(jsonb_build_object(
	                          'account', d.account, 'what', d.what, 'table', d.table_value::text, 'node', d.node_value::text, 'seq', d.source_seq,
	                          'block_height', d.height, 'found_at', d.found_at,
	                          'acceptance', CASE WHEN d.accepted THEN jsonb_build_object('reason', d.reason, 'at', d.accepted_at) END)
	                      ORDER BY d.accepted, d.account, d.what)
	               FROM (SELECT * FROM log.difference ORDER BY accepted, account, what LIMIT $1::int) d), '[]')) AS known
	FROM (
	    SELECT count(*) FILTER (WHERE NOT accepted) AS differing, count(*) FILTER (WHERE accepted) AS accepted
	    FROM (SELECT bool_and(accepted) AS accepted FROM log.difference GROUP BY account) account
	) a LEFT JOIN log.comparison c ON true
	WHERE c.singleton OR a.differing + a.accepted > 0`

// Read returns what is known, with at most most differences; nil if accounts of the database were never compared.
func Read(ctx context.Context, db database, most int) (k *Known, err error) {
	err = db.QueryRow(ctx, KnownSQL, most).Scan(&k)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read which accounts differ from the node: %w", err)
	}
	return k, nil
}

// Accept accepts the differences of an account, as much as its values differ now. It returns how many there are.
func Accept(ctx context.Context, db database, account, reason string) (differences int64, err error) {
	if reason == "" {
		return 0, errors.New("a difference is accepted for a reason")
	}
	done, err := db.Exec(ctx, `
		UPDATE log.difference SET accepted_difference = node_value - table_value, reason = $2, accepted_at = now() WHERE account = $1`, account, reason)
	if err != nil {
		return 0, fmt.Errorf("accept the differences of %s: %w", account, err)
	}
	return done.RowsAffected(), nil
}

// record replaces what is known of an account, and returns those of the differences that are news: they were not known, or were
// accepted before they changed.
func record(ctx context.Context, db database, account string, height int64, differences []Difference) (news []string, err error) {
	var what, table, node []string
	var seqs []*int64
	for _, d := range differences {
		what, table, node, seqs = append(what, d.What), append(table, d.Table), append(node, d.Node), append(seqs, d.Seq)
	}
	rows, err := db.Query(ctx, `
		WITH before AS (
			SELECT what, accepted FROM log.difference WHERE account = $1
		), gone AS (
			DELETE FROM log.difference WHERE account = $1 AND what <> ALL (coalesce($3::text[], '{}'))
		), known AS (
			INSERT INTO log.difference AS d (account, height, what, table_value, node_value, source_seq)
			SELECT $1::text, $2::bigint, * FROM unnest($3::text[], $4::text[]::numeric[], $5::text[]::numeric[], $6::bigint[])
			ON CONFLICT (account, what) DO UPDATE SET height = excluded.height, table_value = excluded.table_value, node_value = excluded.node_value, source_seq = excluded.source_seq
			RETURNING d.what, d.accepted
		)
		SELECT k.what FROM known k LEFT JOIN before b USING (what) WHERE NOT k.accepted AND b.accepted IS NOT FALSE`,
		account, height, what, table, node, seqs)
	if err != nil {
		return nil, fmt.Errorf("record how %s differs from the node: %w", account, err)
	}
	if news, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, fmt.Errorf("record how %s differs from the node: %w", account, err)
	}
	return news, nil
}
