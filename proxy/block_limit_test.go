package proxy

import (
	"errors"
	"net/http"
	"testing"
)

const poxEpochs = `{"current_burnchain_block_height":150,"epochs":[
	{"epoch_id":"Epoch30","start_height":0,"end_height":100,"block_limit":{"write_length":1,"write_count":1,"read_length":1,"read_count":1,"runtime":1}},
	{"epoch_id":"Epoch31","start_height":100,"end_height":200,"block_limit":{"write_length":15000000,"write_count":15000,"read_length":100000000,"read_count":15001,"runtime":5000000000}},
	{"epoch_id":"Epoch40","start_height":200,"end_height":9223372036854775807,"block_limit":{"write_length":9,"write_count":9,"read_length":9,"read_count":9,"runtime":9}}]}`

// The limit is that of the current epoch, not of the last one in the list.
func TestBlockLimit(t *testing.T) {
	node := newNode(t, 100)
	node.respond(status(http.StatusOK, poxEpochs))
	p := startProxy(t, Config{}, node)
	want := Cost{ReadCount: 15001, ReadLength: 100_000_000, WriteCount: 15_000, WriteLength: 15_000_000, Runtime: 5_000_000_000}
	if got, err := p.BlockLimit(t.Context()); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, body := range []string{
		"", "[]", "{}", `{"current_burnchain_block_height":150,"epochs":[]}`,
		`{"current_burnchain_block_height":150,"epochs":[{"start_height":200,"end_height":300}]}`,
		`{"current_burnchain_block_height":150,"epochs":[{"start_height":0,"end_height":300,"block_limit":{"read_count":1}}]}`,
	} {
		node.respond(status(http.StatusOK, body))
		if got, err := p.BlockLimit(t.Context()); !errors.Is(err, ErrNoLimit) {
			t.Errorf("%q: got %+v, %v", body, got, err)
		}
	}
	node.respond(status(http.StatusNotFound, "Chain tip not found"))
	if got, err := p.BlockLimit(t.Context()); !errors.Is(err, ErrNoLimit) {
		t.Errorf("status 404: got %+v, %v", got, err)
	}
	node.stop()
	if got, err := p.BlockLimit(t.Context()); err == nil {
		t.Errorf("without a node: got %+v", got)
	}
}

func FuzzBlockLimit(f *testing.F) {
	f.Add([]byte(poxEpochs))
	f.Add([]byte(`{"current_burnchain_block_height":-1,"epochs":[{"start_height":-2}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		limit, err := blockLimit(body)
		if err == nil && min(limit.ReadCount, limit.ReadLength, limit.WriteCount, limit.WriteLength, limit.Runtime) <= 0 {
			t.Fatalf("%q: limit %+v", body, limit)
		}
	})
}
