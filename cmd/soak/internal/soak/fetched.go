package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/serverrig"
)

// fetched is what the log and the read tables hold of the metadata of tokens.
type fetched struct {
	events    int            // that the server has appended itself
	reads     int            // of contracts, answered
	documents int            // answered with a document
	failed    map[string]int // requests for documents, by what came instead
	exchanges int64          // answers of the gateway
	rows      tokenRows
	settled   time.Duration // until nothing was due any more, after the load
	// interrupted is what was due all the same, because a process was killed that worked on it.
	interrupted int
}

// tokenRows counts rows of the read tables of tokens.
type tokenRows struct{ tokens, read, documents, unavailable int }

// own reports whether the server has appended an event itself. Nobody can post one with such a path: those of requests begin with a slash.
func own(source, path string) bool {
	return source == "metadata" && (path == fetch.PathReport || path == fetch.PathRecheck || path == fetch.PathRest)
}

// note counts what an event says that the server has appended, or says what is wrong with it.
func (f *fetched) note(path string, body []byte) error {
	f.events++
	switch path {
	case fetch.PathReport:
		report, err := fetch.DecodeReport(body)
		if err != nil {
			return err
		}
		return f.noteReport(report)
	case fetch.PathRecheck:
		recheck, err := fetch.DecodeRecheck(body)
		if err != nil {
			return err
		}
		for _, report := range recheck.Reports() {
			if err := f.noteReport(report); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fetched) noteReport(report *fetch.Report) error {
	for _, e := range report.Exchanges {
		switch {
		case report.Want.Kind != fetch.Document:
			if e.Failure == "" && e.Status == 200 {
				f.reads++
			}
			continue
		case e.Status != 0 && e.Error == "": // an exchange with an error may have got no answer
			f.exchanges++
		}
		class, err := classOf(report.Want.URI, e)
		if err != nil {
			return err
		}
		if class == "" {
			f.documents++
			continue
		}
		if f.failed == nil {
			f.failed = map[string]int{}
		}
		f.failed[class]++
	}
	return nil
}

// classOf says what came instead of a document; nothing if the document came. What came has to be what the gateway sends.
func classOf(uri string, e fetch.Exchange) (string, error) {
	switch {
	case e.Failure != "":
		return "by " + string(e.Failure), nil
	case e.Status != 200 && e.Error != "":
		return "", fmt.Errorf("nobody was asked for the document %s, and the log says so: %s", uri, e.Error)
	case e.Status != 200:
		return fmt.Sprintf("with status %d", e.Status), nil
	case e.Unchanged != nil:
		return "", nil // the log has the body, in a report that is looked at, too
	case string(e.Body) == garbage:
		return "with garbage", nil
	}
	want, err := documentOf(uri)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(e.Body, want) {
		return "", fmt.Errorf("the document %s is in the log as %q, and the gateway sends %q", uri, e.Body, want)
	}
	return "", nil
}

// tokenKinds are the projections of tokens.
var tokenKinds = []string{"ft", "nft", "sft"}

// tokenSchemas returns the schemas of the active read tables of tokens.
func tokenSchemas(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `SELECT name || '_v' || version FROM strata.active WHERE name = ANY($1) ORDER BY name`, tokenKinds)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// leaseTime is how long a worker of the role metadata has a want to itself.
const leaseTime = 210 * time.Second

// due counts what the read tables of tokens want that should have been asked for, and what of it a process worked on that was killed, or
// lost its database, before the load ended: another one gets that when the lease is over. Images are not fetched: no store keeps
// them.
func due(ctx context.Context, conn *pgx.Conn, ended time.Time) (open, interrupted int, err error) {
	schemas, err := tokenSchemas(ctx, conn)
	if err != nil {
		return 0, 0, err
	}
	for _, schema := range schemas {
		var more, left int
		if err := conn.QueryRow(ctx, `
			SELECT count(*) FILTER (WHERE NOT lost), count(*) FILTER (WHERE lost) FROM (
				SELECT EXISTS (
					SELECT FROM metadata.lease l WHERE l.key_hash = w.key_hash AND l.holder IS NOT NULL AND NOT l.done AND l.until < $1
				) AS lost
				FROM `+pgx.Identifier{schema, "want"}.Sanitize()+` w WHERE w.due_at <= now() - interval '1 second' AND w.kind <> $2
			) of`, ended.Add(leaseTime), fetch.Image).Scan(&more, &left); err != nil {
			return 0, 0, err
		}
		open, interrupted = open+more, interrupted+left
	}
	return open, interrupted, nil
}

// settle waits until the server has asked for everything that is due, now that nothing disturbs it.
func (s *soak) settle(ctx context.Context) error {
	s.gateway.well.Store(true)
	began := time.Now()
	return s.inDatabase(ctx, func(conn *pgx.Conn) (err error) {
		open := 0
		if !serverrig.WaitFor(ctx, recovery, func() bool {
			open, s.fetched.interrupted, err = due(ctx, conn, s.ended)
			return err != nil || open == 0
		}) {
			s.broken("%d resources of tokens were due and not asked for %s after the load", open, recovery)
		}
		s.fetched.settled = time.Since(began)
		return err
	})
}

// checkTokens reads the rows of tokens: what is known of each is what its contract and its document say.
func (s *soak) checkTokens(ctx context.Context, conn *pgx.Conn) error {
	schemas, err := tokenSchemas(ctx, conn)
	if err != nil {
		return err
	}
	for _, schema := range schemas {
		table := func(name string) string { return pgx.Identifier{schema, name}.Sanitize() }
		rows, err := conn.Query(ctx, `SELECT contract_id, token_id::text, coalesce(name, ''), coalesce(uri, ''), read_seq IS NOT NULL FROM `+table("token"))
		if err != nil {
			return err
		}
		var contract, id, name, uri string
		var read bool
		if _, err := pgx.ForEachRow(rows, []any{&contract, &id, &name, &uri, &read}, func() error {
			s.fetched.rows.tokens++
			if !read {
				return nil
			}
			s.fetched.rows.read++
			if uri != outside.URI(contract, id) || strings.HasPrefix(schema, "ft_") && name != outside.Name(contract) {
				s.broken("%s: token %s of %s has the name %q and the URI %q, which its contract has not answered", schema, id, contract, name, uri)
			}
			return nil
		}); err != nil {
			return err
		}
		rows, err = conn.Query(ctx, `SELECT uri, coalesce(content, '') FROM `+table("document"))
		if err != nil {
			return err
		}
		var content string
		if _, err := pgx.ForEachRow(rows, []any{&uri, &content}, func() error {
			if content == "" {
				s.fetched.rows.unavailable++
				return nil
			}
			s.fetched.rows.documents++
			var got, want struct{ Name, Image string }
			sent, err := documentOf(uri)
			if err == nil {
				err = json.Unmarshal(sent, &want)
			}
			if err == nil {
				err = json.Unmarshal([]byte(content), &got)
			}
			if err != nil || got != want {
				s.broken("%s: the document %s has the content %s (%v)", schema, uri, content, err)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
