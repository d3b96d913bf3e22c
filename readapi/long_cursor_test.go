package readapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

// longest returns names of contracts and assets that begin alike and are as long as they can be.
func longest(n int) (contracts, assets []string) {
	for i := range n {
		contracts = append(contracts, fmt.Sprintf("%s.a%s%d", apitest.Account(50), strings.Repeat("b", 126), i))
		assets = append(assets, fmt.Sprintf("%s.%s::%s%d", apitest.Account(50), strings.Repeat("c", 128), strings.Repeat("d", 127), i))
	}
	return contracts, assets
}

// Lists whose cursors name accounts, assets and tokens have short ones, however long the names are, and pages of any size fit
// together. (Site.Keyset checks the sizes.)
func TestCursorsOfLongNames(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	contracts, assets := longest(4)
	owner := apitest.Account(60)
	for i, asset := range assets {
		s.Change(1, 20, owner, asset, "ft", 5, 5, 0, 5, 0, 0)
		s.Change(1, 20, contracts[i], apitest.Coin, "ft", 7, 7, 0, 7, 0, 0)
	}
	s.Exec(`INSERT INTO balances_v1.asset (height, source_seq, holders, mints, minted, burned, rewards, asset, kind) VALUES (20, 120, 5, 1, 98, 0, 0, $1, 'ft')`, apitest.Coin)
	ft := "/extended/v3/principals/" + owner + "/balances/ft"
	for limit := 1; limit <= 5; limit++ {
		var got []string
		for _, r := range s.Keyset(t, ft, limit) {
			got = append(got, fmt.Sprint(r["asset_identifier"]))
		}
		check.EqualSlices(t, ft, got, assets)
		holders := "/extended/v3/tokens/ft/" + url.PathEscape(apitest.Coin) + "/holders"
		got = nil
		for _, r := range s.Keyset(t, holders, limit) {
			got = append(got, fmt.Sprint(r["principal"]))
		}
		check.EqualSlices(t, holders, got, append([]string{apitest.Alice}, contracts...))
	}
	old := s.Object("/extended/v1/tokens/ft/" + url.PathEscape(apitest.Coin) + "/holders?limit=2")
	next := fmt.Sprint(old["cursor"].(map[string]any)["next"])
	if rows, _ := s.RowsAt("/extended/v1/tokens/ft/"+url.PathEscape(apitest.Coin)+"/holders?limit=1&cursor="+next, apitest.Member("address")); len(next) > 200 || rows[0] != contracts[1] {
		t.Errorf("got %q from %q, want %q", rows, next, contracts[1])
	}
	// An account that has this balance no more is a bound before those that have it.
	gone := "7:" + contracts[0][:50] + "~" + strings.Repeat("00", 32)
	if rows, _ := s.RowsAt("/extended/v3/tokens/ft/"+url.PathEscape(apitest.Coin)+"/holders?limit=1&cursor="+gone, apitest.Member("principal")); rows[0] != contracts[0] {
		t.Errorf("got %q, want %q", rows, contracts[0])
	}
}

// The id of a token may have a megabyte.
func TestCursorsOfLongTokens(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	_, assets := longest(2)
	owner := apitest.Account(60)
	ids := [][]byte{
		{0x03}, append([]byte{0x04}, bytes.Repeat([]byte{1}, 30)...), append([]byte{0x04}, bytes.Repeat([]byte{2}, 63)...),
		append([]byte{0x04}, bytes.Repeat([]byte{3}, 90)...), append([]byte{0x04}, bytes.Repeat([]byte{3}, 91)...), append([]byte{0x05}, bytes.Repeat([]byte{3}, 1<<20)...),
	}
	collections := append([]string{owner + ".art::art"}, assets...)
	for _, asset := range collections {
		s.Change(1, 20, owner, asset, "nft", len(ids), len(ids), 0, len(ids), 0, 0)
		for i, id := range ids {
			digest := sha256.Sum256(id)
			s.Exec(`INSERT INTO balances_v1.nft_custody (n, height, source_seq, position, tx_index, value_hash, value, asset, owner) VALUES (1, 20, 120, $1, 0, $2, $3, $4, $5)`,
				i, digest[:], id, asset, owner)
		}
	}
	list := "/extended/v3/principals/" + owner + "/balances/nft"
	for _, limit := range []int{1, 2, 5, 50} {
		seen := map[string]bool{}
		for _, r := range s.Keyset(t, list, limit) {
			seen[apitest.TextOf(r, "asset_identifier")+" "+apitest.TextOf(r, "value", "hex")] = true
		}
		if len(seen) != len(ids)*len(collections) {
			t.Errorf("limit %d: got %d tokens, want %d", limit, len(seen), len(ids)*len(collections))
		}
	}
	at := func(cursor string) string {
		rows, page := s.RowsAt(list+"?limit=1&cursor="+url.QueryEscape(cursor), apitest.Member("value", "hex"))
		if len(rows) == 0 {
			t.Fatalf("nothing at %.300s", cursor)
		}
		return rows[0] + " " + fmt.Sprint(page["cursor"].(map[string]any)["current"])
	}
	text := func(id []byte) string { return "0x" + hex.EncodeToString(id) }
	// The described form is given where it is short, and taken where it is not.
	for i, id := range ids[:5] {
		described := text(id) + ":" + collections[0]
		got := at(described)
		value, current, _ := strings.Cut(got, " ")
		if value != text(id) || len(described) <= 200 != (current == described) || len(current) > 200 {
			t.Errorf("id %d: got %s", i, got)
		}
	}
	// A token that nobody has is a bound before those whose ids begin like its own.
	if got := at(text(ids[3][:8]) + "~" + strings.Repeat("00", 32) + ":" + collections[0]); !strings.HasPrefix(got, text(ids[3])+" ") && !strings.HasPrefix(got, text(ids[4])+" ") {
		t.Errorf("got %.300s", got)
	}
}
