package strata_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	strata "strata.example/client"
)

// server returns a client of the server that the environment names. Strata's own tests start one; see docs/clients.md.
func server(t *testing.T, options ...strata.ClientOption) *strata.Client {
	t.Helper()
	url := os.Getenv("STRATA_URL")
	if url == "" {
		t.Skip("STRATA_URL names no server")
	}
	client, err := strata.NewClient(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// Each of the ways to page leads to every row once.
func TestRows(t *testing.T) {
	client, ctx := server(t), within(t)
	three := int64(3)
	var heights []int64
	for row, err := range strata.Rows[strata.BlockSummary](ctx, func(ctx context.Context, edit strata.RequestEditorFn) (*http.Response, error) {
		return client.ListBlocksV3(ctx, &strata.ListBlocksV3Params{Limit: &three}, edit)
	}) {
		if err != nil {
			t.Fatal(err)
		}
		heights = append(heights, row.Height)
	}
	var again []int64
	for row, err := range strata.Rows[strata.Block](ctx, func(ctx context.Context, edit strata.RequestEditorFn) (*http.Response, error) {
		return client.ListBlocks(ctx, &strata.ListBlocksParams{Limit: &three}, edit)
	}) {
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, row.Height)
	}
	if len(heights) < 10 || len(again) != len(heights) {
		t.Fatalf("got %d and %d blocks, want the same ten or more", len(heights), len(again))
	}
	for i, height := range heights {
		if height != heights[0]-int64(i) || again[i] != height {
			t.Fatalf("got %v and %v, want each height once", heights, again)
		}
	}
	counted, pages := 0, 0
	var total int64
	for page, err := range strata.Pages[strata.OffsetPageTransactionBody](ctx, func(ctx context.Context, edit strata.RequestEditorFn) (*http.Response, error) {
		one := int64(1)
		return client.ListTransactionsByBlockHeight(ctx, heights[1], &strata.ListTransactionsByBlockHeightParams{Limit: &one}, edit)
	}) {
		if err != nil {
			t.Fatal(err)
		}
		counted, pages, total = counted+len(page.Results), pages+1, page.Total
	}
	if int64(counted) != total {
		t.Errorf("got %d rows in %d pages, want %d", counted, pages, total)
	}
}

// A stream that is broken off is resumed, and no block is missed.
func TestFollow(t *testing.T) {
	breaking := &breaker{}
	client, ctx := server(t, strata.WithHTTPClient(&http.Client{Transport: breaking})), within(t)
	ask := func(ctx context.Context, edit strata.RequestEditorFn) (*http.Response, error) {
		return client.StreamBlocks(ctx, nil, edit)
	}
	chain := map[int64]string{}
	var tip, last int64
	for event, err := range strata.Follow(ctx, ask, "log=0") {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(event.Position, "log=") {
			t.Fatalf("got the position %q", event.Position)
		}
		if last = last + 1; event.Name == "block" {
			block := decode[strata.Block](t, event.Data)
			chain[block.Height], tip = block.IndexBlockHash, block.Height
			if _, ok := chain[tip-1]; len(chain) > 1 && !ok {
				t.Fatalf("block %d came after a gap", tip)
			}
		}
		if tip >= 12 && breaking.times.Load() > 1 {
			break
		}
	}
	if tip < 12 || breaking.times.Load() < 2 {
		t.Errorf("got to block %d with %d connections, in %d events", tip, breaking.times.Load(), last)
	}
}

// breaker ends the first answer after some bytes.
type breaker struct{ times atomic.Int64 }

func (b *breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if b.times.Add(1) == 1 && err == nil {
		answer.Body = &cut{answer.Body, 6000}
	}
	return answer, err
}

type cut struct {
	body interface {
		Read([]byte) (int, error)
		Close() error
	}
	left int
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := c.body.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (c *cut) Close() error { return c.body.Close() }

// What has not changed is not sent again.
func TestSession(t *testing.T) {
	seen := &statuses{}
	client, ctx := server(t, strata.WithHTTPClient(strata.NewSession(seen))), within(t)
	var blocks [2]*strata.Block
	for i := range blocks {
		var err error
		if blocks[i], err = strata.Read[strata.Block](client.GetBlock(ctx, "2", nil)); err != nil || blocks[i].Height < 2 {
			t.Fatalf("got %+v (%v)", blocks[i], err)
		}
	}
	if len(seen.all) != 2 || seen.all[0] != 200 || seen.all[1] != 304 || !reflect.DeepEqual(blocks[0], blocks[1]) {
		t.Errorf("got the statuses %v and %+v, %+v", seen.all, blocks[0], blocks[1])
	}
}

type statuses struct{ all []int }

func (s *statuses) Do(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultClient.Do(r)
	if err == nil {
		s.all = append(s.all, answer.StatusCode)
	}
	return answer, err
}

// What was broadcast is found by whoever reads after it.
func TestBroadcast(t *testing.T) {
	session := strata.NewSession(nil)
	client, ctx := server(t, strata.WithHTTPClient(session)), within(t)
	raw, err := hex.DecodeString(os.Getenv("STRATA_TRANSACTION_GO"))
	if err != nil || len(raw) == 0 {
		t.Fatalf("STRATA_TRANSACTION_GO is no transaction: %v", err)
	}
	sent, err := strata.Broadcast(ctx, client, session, raw)
	if err != nil {
		t.Fatal(err)
	}
	read, err := strata.Read[strata.AnyTransactionV3](client.GetTransactionV3(ctx, sent.TxID, nil))
	if err != nil {
		t.Fatal(err)
	}
	if waiting, err := read.AsWaitingV3(); err != nil || waiting.TxID != sent.TxID || waiting.Status != "pending" {
		t.Errorf("got %+v (%v)", waiting, err)
	}
}

// The proof of an event is checked with the key alone; whatever is changed in it is refused.
func TestProof(t *testing.T) {
	client, ctx := server(t), within(t)
	key := os.Getenv("STRATA_LOG_KEY")
	file, err := strata.FetchProof(ctx, client, 7)
	if err != nil {
		t.Fatal(err)
	}
	proven, err := strata.CheckProof(file, key)
	if err != nil || proven.Seq != 7 || proven.Path == "" || proven.LogSize < 7 {
		t.Fatalf("got %+v, %v", proven, err)
	}
	for i := 0; i < len(file); i += 7 {
		other := bytes.Clone(file)
		if other[i] ^= 1; other[i] == '\n' || file[i] == '\n' {
			continue
		}
		if got, err := strata.CheckProof(other, key); err == nil && *got != *proven {
			t.Errorf("byte %d is changed, and it proves %+v", i, got)
		}
	}
}

// A refusal says what the server said.
func TestRefusal(t *testing.T) {
	client, ctx := server(t), within(t)
	for _, err := range strata.Rows[strata.Block](ctx, func(ctx context.Context, edit strata.RequestEditorFn) (*http.Response, error) {
		return client.ListBlockTransactions(ctx, "newest", nil, edit)
	}) {
		var refusal *strata.Refusal
		if err == nil || !asRefusal(err, &refusal) || refusal.Status != 400 || !strings.Contains(refusal.Message, "height_or_hash") {
			t.Errorf("got %v", err)
		}
	}
}
