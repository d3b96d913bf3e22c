package token_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// Rows C1 to C14 of the conformance list, as far as POST /metadata/v1/refresh is what the calls of an administrator are there.
// It answers 202, because the wish is an event, and 404 where they have 422.
//
// The others have no counterpart. C4 for everything at once: whatever failed is tried again by itself. C6: what is wanted does
// not depend on who has a store for images. C7 to C12: contracts come from the log, and an interface that is missing is
// fetched without being asked for.
func TestRefreshInPlaceOfAdmin(t *testing.T) {
	t.Parallel()
	r := apitest.NewRefreshed(t)
	piece, coin := r.Contract("nft"), r.Contract("ft")
	read := func(kind token.Kind, contract string, id int64) string {
		return apitest.TokenWant(kind, contract, id).Key()
	}
	last := fetch.Want{Kind: fetch.ContractRead, Contract: piece, Calls: []fetch.Call{token.LastTokenIDCall()}}.Key()
	ids := r.IDs("nft", piece)
	if len(ids) < 2 {
		t.Fatalf("%s has the tokens %v, want two or more", piece, ids)
	}
	one := fmt.Sprintf(`{"contract_id":%q,"token_id":"%d"}`, piece, ids[0])

	t.Run("C1 a token", func(t *testing.T) {
		r.Done()
		r.Accepted(t, one)
		r.Wanted(t, read(token.NFT, piece, ids[0]))
	})
	t.Run("C2 all tokens of a contract", func(t *testing.T) { // and, unlike there, how many it says there are
		r.Done()
		r.Accepted(t, fmt.Sprintf(`{"contract_id":%q}`, piece))
		all := []string{last}
		for _, id := range ids {
			all = append(all, read(token.NFT, piece, id))
		}
		r.Wanted(t, all...)
	})
	t.Run("C3 a contract that is not there", func(t *testing.T) {
		r.Done()
		r.Refused(t, `{"contract_id":"`+apitest.P1+`"}`, noContract)
	})
	t.Run("C4 what has failed", func(t *testing.T) {
		r.Done()
		r.Accepted(t, one)
		r.Exec(schemas.In(`UPDATE {nft}.want SET attempts = 3, waits = 1, severity = 2, reason = 105, priority = 3, due_at = now() + interval '1 week'`))
		r.Accepted(t, one)
		r.Wanted(t, read(token.NFT, piece, ids[0]))
	})
	t.Run("C5 an image", func(t *testing.T) { // with the rest of its token
		r.Done()
		r.Document(token.NFT, apitest.URI, apitest.FullDocument(), nil)
		r.Refer(token.NFT, piece, fmt.Sprint(ids[0]), "document", "", apitest.URI)
		r.Image(token.NFT, apitest.ImageURI, true, nil)
		r.Refer(token.NFT, piece, fmt.Sprint(ids[0]), "image", "", apitest.ImageURI)
		r.Accepted(t, one)
		r.Wanted(t, read(token.NFT, piece, ids[0]),
			fetch.Want{Kind: fetch.Document, URI: apitest.URI}.Key(), fetch.Want{Kind: fetch.Image, URI: apitest.ImageURI}.Key())
	})
	t.Run("C13 a supply", func(t *testing.T) { // with the rest of its token
		r.Done()
		r.Accepted(t, fmt.Sprintf(`{"contract_id":%q}`, coin))
		r.Wanted(t, read(token.FT, coin, 1))
		if calls := token.Calls(token.FT, big.NewInt(1)); !slices.ContainsFunc(calls, func(c fetch.Call) bool { return c.Function == "get-total-supply" }) {
			t.Errorf("the supply is not among %v", calls)
		}
	})
	t.Run("C14 a token that is not there", func(t *testing.T) {
		r.Done()
		r.Refused(t, fmt.Sprintf(`{"contract_id":%q,"token_id":"999999"}`, piece), noToken)
	})
}
