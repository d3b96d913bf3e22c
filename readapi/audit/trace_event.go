package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"strata/domain/fetch"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// Limits of the reports that are read to find the answers in them. Longer reports are mostly images.
const (
	reportMax  = 1 << 20  // bytes of one report
	reportsMax = 16 << 20 // bytes of all reports of a page
)

// traceEvent is an event behind rows.
type traceEvent struct {
	Seq         int64  `json:"seq"`
	Path        string `json:"path" doc:"The path to which it was posted."`
	ReceivedAt  string `json:"received_at" format:"date-time" doc:"UTC, with microseconds."`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size" doc:"Length of the body in bytes."`
	SHA256      string `json:"sha256" pattern:"^0x[0-9a-f]{64}$" doc:"Digest of the body as received."`
	Event       string `json:"event" format:"uri-reference" doc:"Link to the event."`
	Body        string `json:"body" format:"uri-reference" doc:"Link to its body."`
	Proof       string `json:"proof" format:"uri-reference" doc:"Link to the proof that the log has it."`
}

type traceEventRow struct {
	traceEvent
	receivedAt time.Time
	digest     []byte
}

func (r *traceEventRow) shape() traceEvent {
	e := r.traceEvent
	e.ReceivedAt = r.receivedAt.UTC().Format("2006-01-02T15:04:05.000000Z")
	e.SHA256 = "0x" + hex.EncodeToString(r.digest)
	e.Event = engine.EventLink(e.Seq)
	e.Body = e.Event + "/body"
	e.Proof = "/audit/v1/log/proofs/inclusion?seq=" + strconv.FormatInt(e.Seq, 10)
	return e
}

// readEvents reads the events behind rows, in the order of the log. For sources that are reports, it sets the pointers
// to the answers in them.
func readEvents(ctx context.Context, s *engine.Snapshot, rows []traceRow) ([]traceEvent, error) {
	var all, reports []int64
	for _, row := range rows {
		for _, source := range row.Sources {
			all = append(all, source.Seq)
			if source.report {
				reports = append(reports, source.Seq)
			}
		}
	}
	all, reports = schema.Distinct(all), schema.Distinct(reports)
	b := s.Batch()
	found := engine.Query(b, func(e *traceEventRow) []any {
		return []any{&e.Seq, &e.Path, &e.receivedAt, &e.ContentType, &e.Size, &e.digest}
	}, `SELECT {}, seq, path, received_at, content_type, size, sha256 FROM log.event WHERE seq = ANY ($1) ORDER BY seq`, all)
	bodies := &engine.Result[reportRow]{}
	if len(reports) > 0 {
		bodies = queryReports(b, reports)
	}
	if err := b.Run(ctx); err != nil {
		return nil, fmt.Errorf("read the events behind an answer: %w", err)
	}
	pointers := map[int64][]string{}
	for _, r := range bodies.Rows {
		pointers[r.seq] = r.pointers()
	}
	for i := range rows {
		for j := range rows[i].Sources {
			source := &rows[i].Sources[j]
			if found, ok := pointers[source.Seq]; ok && source.report {
				source.Pointers = schema.NonNil(found)
			}
		}
	}
	events := make([]traceEvent, len(found.Rows))
	for i := range found.Rows {
		events[i] = found.Rows[i].shape()
	}
	return events, nil
}

// reportRow is a report of the fetcher; body is nil when it is too long to be read.
type reportRow struct {
	seq  int64
	body []byte
}

// queryReports adds a query for the bodies of the reports that are within reportMax and, in the order of the log,
// within reportsMax.
func queryReports(b *engine.Batch, seqs []int64) *engine.Result[reportRow] {
	return engine.Query(b, func(r *reportRow) []any { return []any{&r.seq, &r.body} }, `
		SELECT {}, e.seq, CASE WHEN e.size <= $2 AND e.until <= $3 THEN h.body END
		FROM (
			SELECT seq, body_seq, size, sum(least(size, $2 + 1)) OVER (ORDER BY seq) AS until
			FROM log.event WHERE seq = ANY ($1) AND path = '`+fetch.PathReport+`'
		) e
		JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq)`, seqs, int64(reportMax), int64(reportsMax))
}

// exchangePlaces has the members of a report that it takes to find the answers in it.
type exchangePlaces struct {
	Want struct {
		URI string `json:"uri"`
	} `json:"want"`
	Exchanges []struct {
		Call    int     `json:"call"`
		Body    *string `json:"body"`
		Base64  *string `json:"body_base64"`
		Failure string  `json:"failure"`
	} `json:"exchanges"`
}

// pointers returns JSON pointers to the answers in a report that count: the last answer to each call, or the last
// answer if there were no calls. A data URI is its own answer. A report that was not read has a pointer to all its
// exchanges.
func (r *reportRow) pointers() []string {
	var report exchangePlaces
	switch {
	case r.body == nil:
		return []string{"/exchanges"}
	case json.Unmarshal(r.body, &report) != nil:
		return nil // projections do not accept it either
	case len(report.Exchanges) == 0 && report.Want.URI != "":
		return []string{"/want/uri"}
	}
	last := map[int]int{}
	for i, e := range report.Exchanges {
		last[e.Call] = i
	}
	pointers := make([]string, 0, len(last))
	for _, i := range slices.Sorted(maps.Values(last)) {
		member := "status"
		switch e := report.Exchanges[i]; {
		case e.Failure != "":
			member = "failure"
		case e.Body != nil:
			member = "body"
		case e.Base64 != nil:
			member = "body_base64"
		}
		pointers = append(pointers, fmt.Sprintf("/exchanges/%d/%s", i, member))
	}
	return pointers
}
