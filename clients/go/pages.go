package strata

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
)

// Ask makes a request of an operation, which edit changes: func(ctx, edit) { return client.ListBlocksV3(ctx, nil, edit) }.
type Ask func(ctx context.Context, edit RequestEditorFn) (*http.Response, error)

// Pages goes through the pages of a list, from the one that ask asks for to the last. P is the type of the answer.
// It follows the cursors of lists that have them, and counts rows in others. Iteration ends with the first error.
func Pages[P any](ctx context.Context, ask Ask) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		var next place
		for more := true; more; {
			text, err := askPage(ctx, ask, next)
			if err != nil {
				yield(nil, err)
				return
			}
			page := new(P)
			if err := json.Unmarshal(text, page); err != nil {
				yield(nil, fmt.Errorf("read a page: %w", err))
				return
			}
			if next, more, err = next.after(text); err != nil {
				yield(nil, err)
				return
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}

// Rows goes through the rows of a list whose pages have them in the member results.
func Rows[R any](ctx context.Context, ask Ask) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for page, err := range Pages[struct{ Results []R }](ctx, ask) {
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			for _, row := range page.Results {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

func askPage(ctx context.Context, ask Ask, at place) ([]byte, error) {
	answer, err := ask(ctx, func(_ context.Context, request *http.Request) error {
		at.in(request)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := refused(answer); err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	return io.ReadAll(answer.Body)
}

// place is where a page begins: at a cursor, or after a number of rows. The zero place is where the request says.
type place struct {
	cursor string
	offset int64
}

func (p place) in(request *http.Request) {
	query := request.URL.Query()
	switch {
	case p.cursor != "":
		query.Set("cursor", p.cursor)
		query.Del("offset") // the first page skipped these rows
	case p.offset > 0:
		query.Set("offset", strconv.FormatInt(p.offset, 10))
	default:
		return
	}
	request.URL.RawQuery = query.Encode()
}

// after returns the place of the next page; more is false after the last one. Lists of blocks and accounts call the page
// of older rows the previous one.
func (p place) after(page []byte) (next place, more bool, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(page, &members); err != nil {
		return next, false, fmt.Errorf("read a page: %w", err)
	}
	var cursors struct{ Next *string }
	cursor := members["cursor"]
	if len(cursor) > 0 && cursor[0] == '{' {
		if err := json.Unmarshal(cursor, &cursors); err != nil {
			return next, false, fmt.Errorf("read a cursor: %w", err)
		}
		return following(cursors.Next)
	}
	for _, name := range []string{"prev_cursor", "next_cursor"} {
		if text, ok := members[name]; ok {
			if err := json.Unmarshal(text, &cursors.Next); err != nil {
				return next, false, fmt.Errorf("read %s: %w", name, err)
			}
			return following(cursors.Next)
		}
	}
	if p.cursor != "" {
		return next, false, nil // its last page has no cursor
	}
	var counted struct {
		Offset int64
		Total  *int64
	}
	if err := json.Unmarshal(page, &counted); err != nil {
		return next, false, fmt.Errorf("read a page: %w", err)
	}
	rows := rowsOf(members)
	next.offset = counted.Offset + rows
	return next, rows > 0 && (counted.Total == nil || next.offset < *counted.Total), nil
}

func following(cursor *string) (place, bool, error) {
	if cursor == nil || *cursor == "" {
		return place{}, false, nil
	}
	return place{cursor: *cursor}, true, nil
}

// rowsOf returns the number of rows of a page: the length of its list.
func rowsOf(members map[string]json.RawMessage) int64 {
	var rows []json.RawMessage
	for _, member := range members {
		if json.Unmarshal(member, &rows) == nil && len(rows) > 0 {
			return int64(len(rows))
		}
	}
	return 0
}
