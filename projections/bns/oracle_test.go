package bns_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/must"
	"strata/rig/bnschain"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// oracle folds the events of BNS-V2 straight from the JSON of blocks, which must be of one chain without forks: who has
// which token, which name the token stands for, and what the resolver last printed about a name.
type oracle struct {
	prints   int
	owners   map[string]string // by token
	names    map[string]string // by token
	resolved map[string]string // content in hex, or "revoked", by name
}

// event is an event of a block, as far as the oracle reads it.
type rawEvent struct {
	Index     int    `json:"event_index"`
	Committed bool   `json:"committed"`
	Type      string `json:"type"`
	NFT       struct {
		Asset     string `json:"asset_identifier"`
		Value     string `json:"raw_value"`
		Recipient string `json:"recipient"`
	} `json:"-"`
	Print struct {
		Contract string `json:"contract_identifier"`
		Topic    string `json:"topic"`
		Value    string `json:"raw_value"`
	} `json:"contract_event"`
	Mint     json.RawMessage `json:"nft_mint_event"`
	Transfer json.RawMessage `json:"nft_transfer_event"`
	Burn     json.RawMessage `json:"nft_burn_event"`
}

func oracleOf(t *testing.T, posts []replay.Post) *oracle {
	t.Helper()
	o := &oracle{owners: map[string]string{}, names: map[string]string{}, resolved: map[string]string{}}
	for _, post := range posts {
		if post.Path != "/new_block" {
			continue
		}
		var block struct {
			Events []rawEvent `json:"events"`
		}
		must.Do(t, json.Unmarshal(post.Body, &block))
		slices.SortFunc(block.Events, func(a, b rawEvent) int { return a.Index - b.Index })
		for _, e := range block.Events {
			if e.Committed {
				o.fold(t, e)
			}
		}
	}
	return o
}

func (o *oracle) fold(t *testing.T, e rawEvent) {
	t.Helper()
	for _, raw := range []json.RawMessage{e.Mint, e.Transfer, e.Burn} {
		if raw == nil {
			continue
		}
		must.Do(t, json.Unmarshal(raw, &e.NFT))
		if e.NFT.Asset != synthnames.Asset {
			return
		}
		id := plain(decoded(t, e.NFT.Value))
		if o.owners[id] = e.NFT.Recipient; e.NFT.Recipient == "" {
			delete(o.owners, id)
		}
	}
	switch {
	case e.Print.Topic != "print":
	case e.Print.Contract == synthnames.Names:
		o.prints++
		v := decoded(t, e.Print.Value)
		name, ok := v.Field("name")
		if id, has := v.Field("id"); ok && has && name.Type() == clarity.TypeTuple {
			o.names[plain(id)] = member(name, "name") + "." + member(name, "namespace")
		}
	case e.Print.Contract == synthnames.Zonefiles:
		o.prints++
		v := decoded(t, e.Print.Value)
		full := member(v, "name") + "." + member(v, "namespace")
		if member(v, "topic") == "revoke-name" {
			o.resolved[full] = "revoked"
			return
		}
		zonefile, _ := v.Field("new-zonefile")
		inner, _ := zonefile.Inner()
		content, _ := inner.Buffer()
		o.resolved[full] = hex.EncodeToString(content)
	}
}

func decoded(t *testing.T, text string) clarity.Value {
	t.Helper()
	raw := must.Get(hex.DecodeString(strings.TrimPrefix(text, "0x")))(t)
	return must.Get(clarity.DecodeAll(raw))(t)
}

// plain returns a number, a text or the text in a buffer, which may be inside some.
func plain(v clarity.Value) string {
	if v.Type() == clarity.TypeSome {
		v, _ = v.Inner()
	}
	if n, ok := v.Int(); ok {
		return n.String()
	}
	if b, ok := v.Buffer(); ok {
		return string(b)
	}
	text, _ := v.Text()
	return text
}

func member(v clarity.Value, name string) string {
	field, _ := v.Field(name)
	return plain(field)
}

// TestOracle compares the rows of the trace of the real contracts, and of each recording, with what the oracle makes of
// the same bytes. No recording has names yet; one that has some is compared as soon as it is there.
func TestOracle(t *testing.T) {
	t.Parallel()
	compare := func(t *testing.T, posts []replay.Post) *oracle {
		t.Helper()
		o := oracleOf(t, posts)
		var want []string
		for id, owner := range o.owners {
			want = append(want, fmt.Sprint("owner ", id, " ", o.names[id], " ", owner))
		}
		for full, content := range o.resolved {
			want = append(want, fmt.Sprint("zonefile ", full, " ", content))
		}
		slices.Sort(want)
		tx := rig.Begin(t)
		defer replay.End(t, tx)
		rig.FoldPosts(t, tx, posts, 20)
		foldtest.SameSorted(t, "names and zonefiles", rig.Texts(t, tx, `
			SELECT 'owner ' || id || ' ' || full_name || ' ' || owner FROM {schema}.name WHERE until_height IS NULL AND owner IS NOT NULL
			UNION ALL SELECT 'zonefile ' || full_name || ' ' || CASE WHEN revoked THEN 'revoked' ELSE coalesce(encode(content, 'hex'), '') END
			FROM {schema}.zonefile WHERE until_height IS NULL`), want)
		return o
	}
	t.Run("trace", func(t *testing.T) {
		t.Parallel()
		blocks, _ := bnschain.Trace(t)
		if o := compare(t, bnschain.Posts(blocks...)); o.prints < 60 || len(o.owners) < 10 || len(o.resolved) == 0 {
			t.Errorf("the trace has %d prints, %d owners and %d zonefiles", o.prints, len(o.owners), len(o.resolved))
		}
	})
	t.Run("recordings", func(t *testing.T) {
		t.Parallel()
		files, err := os.ReadDir(filepath.Join(replay.SharedData(t), "events"))
		if err != nil {
			t.Skip(err)
		}
		for _, file := range files {
			t.Run(file.Name(), func(t *testing.T) {
				t.Parallel()
				compare(t, replay.Recording(t, file.Name()))
			})
		}
	})
}
