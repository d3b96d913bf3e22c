package verify

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"strata/cmd/strata/internal/program"
	"strata/eventstore/transparency"
	"strata/internal/nodecompare"
	"strata/internal/wholeness"
	"strata/projections/version"
)

// report is the result of a verification. A part that was not checked, or not completely, is null.
type report struct {
	Log  *verifiedLog        `json:"log"`
	Rows *verifiedRows       `json:"rows"`
	Node *nodecompare.Result `json:"node"`
	// Problems are what the log lacks of the chain's history: what is verified is as incomplete as the log.
	Problems []wholeness.Problem `json:"problems"`
	// Differences is the number of differences, and Shown the first of them.
	Differences int64         `json:"differences"`
	Shown       []*difference `json:"shown"`
	// Error is why something could not be checked.
	Error *string `json:"error"`

	mutex sync.Mutex
	limit int
}

func newReport(limit int) *report {
	return &report{Shown: []*difference{}, Problems: []wholeness.Problem{}, limit: limit}
}

// add records a difference, and reports whether there is room for more. It is safe for concurrent use.
func (r *report) add(d *difference) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.Differences++
	if len(r.Shown) < r.limit {
		r.Shown = append(r.Shown, d)
	}
	return r.Differences <= int64(r.limit)
}

// difference is a difference of one of four kinds: one field is set.
type difference struct {
	Log     *transparency.Finding   `json:"log,omitempty"`
	Row     *rowDifference          `json:"row,omitempty"`
	Check   *checkDifference        `json:"check,omitempty"`
	Account *nodecompare.Difference `json:"account,omitempty"`
}

// checkDifference is a check of a projection's code that does not hold.
type checkDifference struct {
	Tables string `json:"tables"`
	version.Finding
}

func (c *checkDifference) String() string {
	return program.Visible(c.Tables + ": it does not hold that " + c.Finding.String())
}

// verifiedLog describes the verification of the log.
type verifiedLog struct {
	Events      int64    `json:"events"`
	Bytes       int64    `json:"bytes"`
	Root        *string  `json:"root"`
	Checkpoints int64    `json:"checkpoints"`
	Signed      int64    `json:"signed"`
	Subtrees    int64    `json:"subtrees"`
	Kept        int      `json:"kept"`
	Keys        []string `json:"keys"`
	KeysGiven   bool     `json:"keys_given"`
	ownKeys     bool     // they were found on this machine
}

func newVerifiedLog(v *transparency.Verified, kept int) *verifiedLog {
	log := &verifiedLog{
		Events: v.Size, Bytes: v.Bytes, Checkpoints: v.Checkpoints, Signed: v.Signed, Subtrees: v.Subtrees, Kept: kept,
		Keys: append([]string{}, v.Keys...), KeysGiven: v.Given,
	}
	if v.Root != nil {
		root := base64.StdEncoding.EncodeToString(v.Root) // as in a checkpoint
		log.Root = &root
	}
	return log
}

// verifiedRows describes the verification of the read tables.
type verifiedRows struct {
	Tables      []string `json:"tables"`
	Differences int64    `json:"differences"`
}

// rowDifference is a row that differs from what the log gives.
type rowDifference struct {
	Table string          `json:"table"`
	Key   []version.Value `json:"key"`
	// Missing means that the log gives the row, and the table lacks it. Extra means the opposite.
	Missing bool               `json:"missing"`
	Extra   bool               `json:"extra"`
	Columns []columnDifference `json:"columns"`
	// Seq is the event that the row names, and LogSeq the one that it should name; null if there is none.
	Seq    *int64 `json:"seq"`
	LogSeq *int64 `json:"log_seq"`
}

// columnDifference is a value in a table beside the one that the log gives.
type columnDifference struct {
	Column string  `json:"column"`
	Table  *string `json:"table"`
	Log    *string `json:"log"`
}

func newRowDifference(schema string, d version.Difference) *rowDifference {
	r := &rowDifference{Table: schema + "." + d.Table, Key: d.Key, Missing: d.Extra, Extra: d.Missing, Columns: []columnDifference{}, Seq: d.OldSeq, LogSeq: d.NewSeq}
	for _, c := range d.Columns {
		r.Columns = append(r.Columns, columnDifference{c.Column, c.Old, c.New})
	}
	return r
}

func (r *rowDifference) String() string {
	var b strings.Builder
	b.WriteString(r.Table)
	for _, v := range r.Key {
		fmt.Fprintf(&b, " %s=%s", v.Column, nullable(v.Text))
	}
	switch {
	case r.Missing:
		fmt.Fprintf(&b, ": missing, although event %s of the log gives it", seqText(r.LogSeq))
	case r.Extra:
		fmt.Fprintf(&b, ": extra, from event %s, although the log does not give it", seqText(r.Seq))
	default:
		for i, c := range r.Columns {
			separator := ","
			if i == 0 {
				separator = ":"
			}
			fmt.Fprintf(&b, "%s %s is %s, the log gives %s", separator, c.Column, nullable(c.Table), nullable(c.Log))
		}
		fmt.Fprintf(&b, " (event %s)", seqText(r.LogSeq))
	}
	return program.Visible(b.String())
}

func nullable(text *string) string {
	if text == nil {
		return "null"
	}
	return *text
}

func seqText(seq *int64) string {
	if seq == nil {
		return "unknown"
	}
	return fmt.Sprint(*seq)
}

func (d *difference) String() string {
	switch {
	case d.Log != nil:
		return program.Visible(d.Log.String())
	case d.Row != nil:
		return d.Row.String()
	case d.Check != nil:
		return d.Check.String()
	}
	return program.Visible(d.Account.String())
}

// print writes the report. failure is the reason why a part could not be checked; nil if all were.
func (r *report) print(w io.Writer, asJSON bool, failure error) error {
	if asJSON {
		if failure != nil {
			text := program.OneLine(failure)
			r.Error = &text
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(r)
	}
	var b bytes.Buffer
	for _, d := range r.Shown {
		fmt.Fprintf(&b, "DIFFERENCE %s\n", d)
	}
	if more := r.Differences - int64(len(r.Shown)); more > 0 {
		fmt.Fprintf(&b, "and at least %d more differences (--limit)\n", more)
	}
	if l := r.Log; l != nil {
		l.print(&b)
	}
	if rows := r.Rows; rows != nil {
		tables := "none"
		if len(rows.Tables) > 0 {
			tables = strings.Join(rows.Tables, ", ")
		}
		fmt.Fprintf(&b, "rows: %s; compared with what the log gives\n", tables)
	}
	if r.Node != nil {
		printNode(&b, r.Node)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "INCOMPLETE %s\n           → %s\n", program.Visible(p.Message), program.Visible(p.Mend))
	}
	switch {
	case r.Differences > 0 || failure != nil:
	case len(r.Problems) > 0:
		b.WriteString("no differences in what the log has\n")
	default:
		b.WriteString("no differences\n")
	}
	_, err := b.WriteTo(w)
	return err
}

func (l *verifiedLog) print(b *bytes.Buffer) {
	fmt.Fprintf(b, "log: %d events, %d bytes hashed, %d subtrees", l.Events, l.Bytes, l.Subtrees)
	if l.Root != nil {
		fmt.Fprintf(b, "; root %s", *l.Root)
	}
	switch l.Checkpoints {
	case 0:
		b.WriteString("\nlog: no checkpoint is signed yet")
	case 1:
		fmt.Fprintf(b, "\nlog: 1 checkpoint, signed up to event %d", l.Signed)
	default:
		fmt.Fprintf(b, "\nlog: %d checkpoints, signed up to event %d", l.Checkpoints, l.Signed)
	}
	switch l.Kept {
	case 0:
	case 1:
		b.WriteString("; compared with 1 kept checkpoint")
	default:
		fmt.Fprintf(b, "; compared with %d kept checkpoints", l.Kept)
	}
	b.WriteByte('\n')
	from := "named by the log's first checkpoint; choose which to trust with --key"
	switch {
	case l.ownKeys:
		from = "of this machine"
	case l.KeysGiven:
		from = "given"
	}
	for _, key := range l.Keys {
		fmt.Fprintf(b, "log: key %s (%s)\n", program.Visible(key), from)
	}
}

func printNode(b *bytes.Buffer, n *nodecompare.Result) {
	fmt.Fprintf(b, "node %s, at block %d: balances, locks and nonces of %d of %d accounts at block %d %s, in %.1f s",
		program.Visible(n.URL), n.NodeHeight, n.Compared, n.Accounts, n.BlockHeight, n.IndexBlockHash, n.Seconds)
	if n.Seed != nil {
		fmt.Fprintf(b, " (--seed %d)", *n.Seed)
	}
	b.WriteByte('\n')
}
