package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"strata/cmd/strata/internal/program"
)

// answer is the body of GET /audit/v1/trace: the rows and events behind an answer.
type answer struct {
	Path      string `json:"path"`
	Operation string `json:"operation"`
	Status    int    `json:"status"`
	ReadAt    struct {
		Log            int64   `json:"log"`
		Height         *int64  `json:"height"`
		IndexBlockHash *string `json:"index_block_hash"`
	} `json:"read_at"`
	Cursor struct {
		Next *string `json:"next"`
	} `json:"cursor"`
	Rows []struct {
		Table   string          `json:"table"`
		Version int             `json:"version"`
		Key     json.RawMessage `json:"key"`
		Values  json.RawMessage `json:"values"`
		Sources []struct {
			Column   string   `json:"column"`
			Seq      int64    `json:"seq"`
			Pointers []string `json:"pointers"`
		} `json:"sources"`
	} `json:"rows"`
	Events []event `json:"events"`
}

type event struct {
	Seq        int64  `json:"seq"`
	Path       string `json:"path"`
	ReceivedAt string `json:"received_at"`
	Size       int64  `json:"size"`
	SHA256     string `json:"sha256"`
	Body       string `json:"body"`
	Proof      string `json:"proof"`
}

// write prints the trace as a tree of rows and their source events. The details of an event follow its first mention.
func (a *answer) write(w io.Writer, server string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s, status %d, read at position %d of the log", program.Visible(a.Path), a.Operation, a.Status, a.ReadAt.Log)
	if a.ReadAt.Height != nil && a.ReadAt.IndexBlockHash != nil {
		fmt.Fprintf(&b, ", block %d %s", *a.ReadAt.Height, *a.ReadAt.IndexBlockHash)
	}
	b.WriteByte('\n')
	events := map[int64]event{}
	for _, e := range a.Events {
		events[e.Seq] = e
	}
	for i, row := range a.Rows {
		branch, below := "├─ ", "│  "
		if i == len(a.Rows)-1 {
			branch, below = "└─ ", "   "
		}
		key, err := columnsText(row.Key)
		if err != nil {
			return err
		}
		values, err := columnsText(row.Values)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s%s  %s\n", branch, row.Table, key)
		if values != "" {
			fmt.Fprintf(&b, "%s  %s\n", below, values)
		}
		for j, source := range row.Sources {
			branch, deeper := "├─ ", "│  "
			if j == len(row.Sources)-1 {
				branch, deeper = "└─ ", "   "
			}
			fmt.Fprintf(&b, "%s%s%s: event %d%s\n", below, branch, source.Column, source.Seq, pointersText(source.Pointers))
			if e, ok := events[source.Seq]; ok {
				delete(events, source.Seq) // print the details once
				indent := below + deeper + "  "
				fmt.Fprintf(&b, "%s%s, received %s, %d bytes, sha256 %s\n", indent, program.Visible(e.Path), e.ReceivedAt, e.Size, e.SHA256)
				fmt.Fprintf(&b, "%sbody %s\n%sproof %s\n", indent, server+e.Body, indent, server+e.Proof)
			}
		}
	}
	switch {
	case a.Cursor.Next != nil:
		fmt.Fprintf(&b, "more: --cursor '%s'\n", strings.ReplaceAll(program.Visible(*a.Cursor.Next), `'`, `'\''`))
	case len(a.Rows) == 0:
		b.WriteString("no rows\n")
	}
	_, err := b.WriteTo(w)
	return err
}

// pointersText joins JSON pointers. The empty pointer stands for the whole body.
func pointersText(pointers []string) string {
	if len(pointers) == 0 {
		return ""
	}
	texts := make([]string, len(pointers))
	for i, p := range pointers {
		if texts[i] = program.Visible(p); p == "" {
			texts[i] = "all of it"
		}
	}
	return " at " + strings.Join(texts, ", ")
}

// columnsText formats the members of a JSON object in their order, without those that are null.
func columnsText(object json.RawMessage) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return "", fmt.Errorf("read the columns of a row: %w", err)
	}
	var columns []string
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return "", fmt.Errorf("read the columns of a row: %w", err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return "", fmt.Errorf("read the columns of a row: %w", err)
		}
		var text string
		switch {
		case string(value) == "null":
			continue
		case json.Unmarshal(value, &text) != nil:
			text = string(value)
		}
		columns = append(columns, fmt.Sprintf("%s=%s", name, program.Visible(text)))
	}
	return strings.Join(columns, " "), nil
}
