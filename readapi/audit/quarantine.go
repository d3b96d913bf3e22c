package audit

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

const auditLimit = 50

type quarantineInput struct {
	Limit  int              `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Maximum number of rows of the page; 0 means the default."`
	Order  string           `query:"order" enum:"asc,desc" default:"asc" doc:"asc: oldest event first; desc: newest event first."`
	Cursor quarantineCursor `query:"cursor" pattern:"^[0-9]{1,18}:[a-z0-9_]{1,63}:[0-9]{1,9}(:[\\s\\S]*)?$" doc:"seq:projection:version:pointer of the first row of the page."`
}

// quarantined is an event, or a part of one, that a version of a projection could not decode. The event stays in the log; the
// effect of the part is missing from the version's rows.
type quarantined struct {
	Projection string `json:"projection"`
	Version    int32  `json:"version"`
	Seq        int64  `json:"seq"`
	Path       string `json:"path"`
	Pointer    string `json:"pointer" doc:"JSON pointer of the invalid field, in the part that was left out; empty for the whole body. Of an event whose parts stand for themselves, each part that can't be decoded is a row, and the others count."`
	Reason     string `json:"reason"`
	At         string `json:"at" format:"date-time"`
	Event      string `json:"event" format:"uri-reference"`
}

func (a *api) registerQuarantine() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-quarantine", Path: "/audit/v1/quarantine", Tag: "Audit", Summary: "List events, and parts of events, that projections could not decode",
		Description: "The list covers all versions, and is in the order of the log or the reverse. Of a payload of the ordinals feed, only the parts are left out that can't be read.", Statuses: []int{400},
		Dependencies: engine.Dependencies{Register: true},
	}, listQuarantine)
}

// quarantineCursor is seq:projection:version:pointer of the first row of a page; empty for the first page.
type quarantineCursor string

// parse returns what the cursor names. The pointer is empty in a cursor of earlier releases.
func (c quarantineCursor) parse() (seq int64, name string, version int64, pointer string, err error) {
	if c == "" {
		return 0, "", 0, "", nil
	}
	parts := strings.SplitN(string(c), ":", 4)
	if len(parts) < 3 {
		return 0, "", 0, "", engine.BadRequest("invalid cursor %q", string(c))
	}
	if seq, err = strconv.ParseInt(parts[0], 10, 64); err == nil {
		version, err = strconv.ParseInt(parts[2], 10, 32)
	}
	if err != nil {
		return 0, "", 0, "", engine.BadRequest("invalid cursor %q", string(c))
	}
	if len(parts) == 4 {
		pointer = parts[3]
	}
	return seq, parts[1], version, pointer, nil
}

// pointerSize is the size up to which pointers stand in cursors as they are.
const pointerSize = 100

func listQuarantine(ctx context.Context, s *engine.Snapshot, in *quarantineInput) (*page.KeyPage[quarantined], error) {
	limit := page.LimitOr(in.Limit, auditLimit)
	seq, name, version, pointer, err := in.Cursor.parse()
	if err != nil {
		return nil, err
	}
	if pointer, err = page.FullName(ctx, s, pointer, `q.pointer`, `strata.quarantine q WHERE q.name = $1::text AND q.version = $2::int AND q.seq = $3::bigint`, name, version, seq); err != nil {
		return nil, err
	}
	// In descending order, the first page begins at the highest seq.
	from, direction := `>=`, ``
	if in.Order == "desc" {
		from, direction = `<=`, ` DESC`
		if in.Cursor == "" {
			seq = math.MaxInt64
		}
	}
	b := s.Batch()
	found := engine.QueryPage(b, limit, func(r *quarantinedRow) []any {
		return []any{&r.Projection, &r.Version, &r.Seq, &r.Path, &r.Pointer, &r.Reason, &r.at}
	}, `
		SELECT {strata.quarantine q}, q.name, q.version, q.seq, q.path, q.pointer, q.reason, q.quarantined_at
		FROM strata.quarantine q WHERE (q.seq, q.name, q.version, q.pointer) `+from+` ($1, $2, $3, $4)
		ORDER BY q.seq`+direction+`, q.name`+direction+`, q.version`+direction+`, q.pointer`+direction+` LIMIT $5`, seq, name, version, pointer, limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := make([]quarantined, len(found.Rows))
	for i, r := range found.Rows {
		rows[i] = r.shape()
	}
	return page.NewKeyPage(limit, rows, func(q quarantined) string {
		return fmt.Sprintf("%d:%s:%d:%s", q.Seq, q.Projection, q.Version, page.ShortName(q.Pointer, pointerSize))
	}), nil
}

type quarantinedRow struct {
	quarantined
	at time.Time
}

func (r quarantinedRow) shape() quarantined {
	q := r.quarantined
	q.At = r.at.UTC().Format("2006-01-02T15:04:05.000000Z")
	q.Event = fmt.Sprintf("/audit/v1/events/%d", q.Seq)
	return q
}

var tracedQuarantine = &engine.TraceTable{
	Name: "strata.quarantine", Key: "name version seq pointer", Values: "path reason",
	Sources: []engine.TraceSource{{Column: "seq", Pointers: `ARRAY[t.pointer]`}},
	Order:   `t.seq, t.name, t.version, t.pointer`,
}
