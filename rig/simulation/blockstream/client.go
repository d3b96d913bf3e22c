// Package blockstream is a client that follows the blocks of a server and makes a chain of them.
package blockstream

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Client follows the stream of blocks, and takes note of what is wrong with it. Its exported fields are set before it begins; Chain
// and Wrong are read once it has ended.
type Client struct {
	HTTP      *http.Client
	Processes func() []int             // those that serve
	URL       func(process int) string // of a process
	Told      func(process int, id string)
	Tell      func(format string, arguments ...any)
	Count     func(what string)
	Want      []string // index_block_hash of the blocks that are canonical in the end

	mu    sync.Mutex
	Chain []string // index_block_hash
	Wrong []string
}

// Complete reports whether the blocks are those that are wanted, or the stream is wrong, so that there is nothing to wait for.
func (b *Client) Complete() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.Wrong) > 0 || slices.Equal(b.Chain, b.Want)
}

// Follow follows the stream until a context ends, from one process and then another.
func (b *Client) Follow(ctx context.Context, random *rand.Rand) {
	last := "log=0"
	for ctx.Err() == nil {
		if processes := b.Processes(); len(processes) > 0 {
			process := processes[random.IntN(len(processes))]
			b.Count("streams")
			// The client leaves by itself now and then, also amid the steps of one event.
			limit, cancel := context.WithTimeout(ctx, time.Duration(1+random.IntN(30))*time.Second)
			last = b.read(limit, process, last, 1+random.IntN(8))
			cancel()
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(random.IntN(1000)) * time.Millisecond):
		}
	}
}

// read reads events from one connection, most of them at most, and returns the id to go on from.
func (b *Client) read(ctx context.Context, process int, last string, most int) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.URL(process)+"/stream/v1/blocks", nil)
	if err != nil {
		return last
	}
	request.Header.Set("Last-Event-ID", last)
	response, err := b.HTTP.Do(request)
	if err != nil {
		return last
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		b.Tell("the stream of process %d from %s: %d", process, last, response.StatusCode)
		if response.StatusCode != http.StatusServiceUnavailable {
			b.fail("the stream from %s has the status %d", last, response.StatusCode)
		}
		return last
	}
	id, name, data := last, "", ""
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return last
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "id":
			id = value
		case field == "event":
			name = value
		case field == "data":
			data = value
		case line == "\n":
			last = id
			if data != "" {
				b.hear(name, data)
				b.Told(process, id)
				if most--; most == 0 {
					return last
				}
			}
			name, data = "", ""
		}
	}
}

// hear takes an event.
func (b *Client) hear(name, data string) {
	var block struct {
		Hash   string `json:"index_block_hash"`
		Parent string `json:"parent_index_block_hash"`
		Height int64  `json:"height"`
	}
	if err := json.Unmarshal([]byte(data), &block); err != nil {
		b.fail("the stream's event %s: %v", data, err)
		return
	}
	b.Tell("the stream says %s %d %s", name, block.Height, block.Hash)
	b.mu.Lock()
	tip := ""
	if len(b.Chain) > 0 {
		tip = b.Chain[len(b.Chain)-1]
	}
	switch {
	case name == "block" && (tip == "" || tip == block.Parent):
		b.Chain = append(b.Chain, block.Hash)
		b.Count("blocks of a stream")
		name = "end"
	case name == "revert" && tip == block.Hash:
		b.Chain = b.Chain[:len(b.Chain)-1]
		b.Count("reverted blocks of a stream")
		name = "end"
	}
	b.mu.Unlock()
	if name != "end" {
		b.fail("the stream says %s of %d %s on %s, and its tip is %s", name, block.Height, block.Hash, block.Parent, tip)
	}
}

func (b *Client) fail(format string, arguments ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Wrong = append(b.Wrong, fmt.Sprintf(format, arguments...))
}
