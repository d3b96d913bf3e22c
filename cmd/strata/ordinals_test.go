package main

import (
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
)

// TestKillDuringIntake kills the server repeatedly while an indexer posts a feed with everything in it. Each acknowledged
// post is in the log once, and the tables are those of the feed.
func TestKillDuringIntake(t *testing.T) {
	short.Skip(t, "kills the server again and again")
	t.Parallel()
	url, dir := served.URL(t), t.TempDir()
	feed := synthordinals.New(synthordinals.Everything(7, ordinals.Regtest))
	s := startServer(t, dir, "--database-url", url, "--ordhook-token", "secret")
	token := http.Header{"Authorization": {"Bearer secret"}, "Content-Type": {"application/json"}}
	if got := do(t, http.MethodPost, s.observer+"/payload", nil, []byte("{")); got.Status != http.StatusForbidden {
		t.Fatalf("without the token: got %d, want 403", got.Status)
	}
	const posts, kills = 120, 4
	answered := int64(0)
	for i := range posts {
		post := feed.Next()
		if i%(posts/kills) == posts/kills/2 {
			// A request is in flight when the server dies: the log may have it or not, and the indexer posts it again either way.
			sent, written := make(chan bool), make(chan struct{})
			go func() {
				ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(written) }})
				request, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.observer+post.Path, strings.NewReader(string(post.Body)))
				request.Header = token
				response, err := client.Do(request)
				if err == nil {
					_ = response.Body.Close()
				}
				sent <- err == nil && response.StatusCode == http.StatusOK
			}()
			<-written
			s.signal(syscall.SIGKILL)
			if <-sent {
				answered++
			}
			s = startServer(t, dir, "--database-url", url, "--ordhook-token", "secret")
		}
		if got := do(t, http.MethodPost, s.observer+post.Path, token, post.Body); got.Status != http.StatusOK {
			t.Fatalf("post %d: got %d %s, want 200", i, got.Status, got.Body)
		}
		answered++
	}
	s.caughtUp(answered)
	expected := feed.Expected()
	tip, _ := expected.Tip()
	var status struct {
		BlockHeight uint64 `json:"block_height"`
	}
	if s.read("/ordinals/v1/", &status); status.BlockHeight != tip.Height {
		t.Errorf("the feed is at %d, want %d", status.BlockHeight, tip.Height)
	}
	var page struct{ Total int }
	var cursed, recursive int
	for _, i := range expected.Inscriptions {
		if i.Cursed() {
			cursed++
		}
		if i.Recursive() {
			recursive++
		}
	}
	for path, want := range map[string]int{
		"/ordinals/v1/inscriptions":                len(expected.Inscriptions),
		"/ordinals/v1/inscriptions?cursed=true":    cursed,
		"/ordinals/v1/inscriptions?recursive=true": recursive,
		"/ordinals/v1/brc-20/activity":             len(expected.Activity),
	} {
		if s.read(path, &page); page.Total != want {
			t.Errorf("%s: the total is %d, want %d", path, page.Total, want)
		}
	}
	for id, want := range expected.Inscriptions {
		var got struct {
			Number   int64
			Location string
		}
		if s.read("/ordinals/v1/inscriptions/"+string(id), &got); got.Number != want.Number || !strings.HasPrefix(got.Location+":", "0x"+want.Current.Output+":") {
			t.Errorf("%s: got %+v, want number %d at %s", id, got, want.Number, want.Current.Output)
		}
	}
}

// TestOrdinalsTxIDPrefix checks transaction ids with and without the prefix.
func TestOrdinalsTxIDPrefix(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	url := served.URL(t)
	feed := synthordinals.New(synthordinals.Config{Seed: 3})
	for value, prefix := range map[string]string{"true": "0x", "false": ""} {
		s := startServer(t, t.TempDir(), "--database-url", url, "--ordinals-tx-id-prefix="+value)
		post := feed.Next()
		s.mustPost(post.Path, post.Body)
		s.caughtUp(1)
		var page struct {
			Results []struct {
				TxID        string `json:"tx_id"`
				GenesisTxID string `json:"genesis_tx_id"`
			}
		}
		eventually.Holds(t, "there is an inscription", func() bool {
			s.read("/ordinals/v1/inscriptions?limit=1", &page)
			return len(page.Results) == 1
		})
		if got := page.Results[0]; !strings.HasPrefix(got.TxID, prefix) || len(got.TxID) != 64+len(prefix) || len(got.GenesisTxID) != len(got.TxID) {
			t.Errorf("--ordinals-tx-id-prefix=%s: got %+v", value, got)
		}
		s.stop()
	}
}
