package account_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/c32"
	signed "strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// saidNonces are the nonces of an account as both versions of the API say them.
type saidNonces struct {
	next               uint64
	confirmed, waiting *uint64 // the last ones
	missing, pending   []uint64
}

func noncesV1(s *apitest.Site, target string) saidNonces {
	s.T.Helper()
	var said struct {
		LastMempool     *uint64  `json:"last_mempool_tx_nonce"`
		LastExecuted    *uint64  `json:"last_executed_tx_nonce"`
		PossibleNext    uint64   `json:"possible_next_nonce"`
		DetectedMissing []uint64 `json:"detected_missing_nonces"`
		DetectedMempool []uint64 `json:"detected_mempool_nonces"`
	}
	s.Decode(target, &said)
	return saidNonces{said.PossibleNext, said.LastExecuted, said.LastMempool, said.DetectedMissing, said.DetectedMempool}
}

func noncesV3(s *apitest.Site, account string) saidNonces {
	s.T.Helper()
	var said struct {
		Next          uint64  `json:"next_nonce"`
		LastConfirmed *uint64 `json:"last_confirmed_nonce"`
		Mempool       struct {
			Last    *uint64  `json:"last_nonce"`
			Pending []uint64 `json:"pending_nonces"`
			Missing []uint64 `json:"missing_nonces"`
		} `json:"mempool"`
	}
	s.Decode("/extended/v3/principals/"+account+"/nonces", &said)
	return saidNonces{said.Next, said.LastConfirmed, said.Mempool.Last, said.Mempool.Missing, said.Mempool.Pending}
}

func (n saidNonces) String() string {
	text := func(n *uint64) string {
		if n == nil {
			return "none"
		}
		return fmt.Sprint(*n)
	}
	return fmt.Sprintf("next %d, confirmed %s, waiting %s, missing %v, pending %v", n.next, text(n.confirmed), text(n.waiting), n.missing, n.pending)
}

// plainNonces says the same in the plainest way: next is the one after those that are used.
func plainNonces(next uint64, pending map[uint64]bool) saidNonces {
	said := saidNonces{next: next, missing: []uint64{}, pending: []uint64{}}
	if next > 0 {
		said.confirmed = new(next - 1)
	}
	for n := range pending {
		said.pending = append(said.pending, n)
		said.next = max(said.next, n+1)
	}
	slices.Sort(said.pending)
	slices.Reverse(said.pending)
	if len(said.pending) == 0 {
		return said
	}
	said.waiting = &said.pending[0]
	for n := said.pending[0]; n > next; n-- {
		if !pending[n-1] && len(said.missing) < 1000 {
			said.missing = append(said.missing, n-1)
		}
	}
	return said
}

// No nonce follows 2^64-1, whether it is used or waits: the answers say this one again.
func TestGreatestNonce(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	stop := replay.Start(t, log, apitest.NewChain(t), balances.New(nil), mempool.New())
	made := synthchain.New(synthchain.Config{Seed: 7, Network: synthchain.Mainnet, SigningSample: 1000})
	for range 3 {
		replay.Append(t, log, made.Next())
	}
	const greatest = math.MaxUint64
	waiting := apitest.From(t, 3, greatest, &signed.TokenTransfer{Recipient: apitest.Principal(t, apitest.Bob), Amount: 1})
	replay.Append(t, log, apitest.Announce(apitest.Transfer(t, greatest), apitest.Transfer(t, greatest-2), waiting))
	replay.Wait(t, log)
	stop()
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
	for i, account := range []string{apitest.Bob, apitest.Carol} {
		s.Exec(schemas.In(`INSERT INTO {balances}.signer (height, source_seq, id, account) VALUES (0, 1, $1, $2)`), 1000+i, account)
		s.Exec(schemas.In(`INSERT INTO {balances}.signer_nonce (height, source_seq, signer, next_nonce) VALUES (0, 1, $1, 18446744073709551616)`), 1000+i)
	}
	s.Advance("balances")

	last := new(uint64(greatest))
	for account, want := range map[string]saidNonces{
		apitest.Alice: {next: greatest, waiting: last, pending: []uint64{greatest - 2}},
		apitest.Bob:   {next: greatest, confirmed: last, missing: []uint64{}, pending: []uint64{}},
		apitest.Carol: {next: greatest, confirmed: last, waiting: last, missing: []uint64{}, pending: []uint64{}},
	} {
		v1, v3 := noncesV1(s, "/extended/v1/address/"+account+"/nonces"), noncesV3(s, account)
		if account == apitest.Alice { // of all others, the greatest are told
			if len(v3.missing) != 1000 || v3.missing[0] != greatest-1 || v3.missing[1] != greatest-3 {
				t.Errorf("got %s", v3)
			}
			want.missing = v3.missing
		}
		if !reflect.DeepEqual(v3, want) {
			t.Errorf("version 3 of %s:\n got %s\nwant %s", account, v3, want)
		}
		if want.waiting != nil {
			want.pending = append([]uint64{greatest}, want.pending...)
		}
		if !reflect.DeepEqual(v1, want) {
			t.Errorf("version 1 of %s:\n got %s\nwant %s", account, v1, want)
		}
	}
}

// What waits counts for whoever sends or sponsors it: announced in any order, with nonces that leave gaps or that several share, and
// until it is dropped.
func TestNoncesOfWaitingTransactions(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), balances.New(nil), mempool.New())
	made := synthchain.New(synthchain.Config{Seed: 7, Network: synthchain.Mainnet, SigningSample: 1000})
	posts := replay.Take(60, made.Next)
	replay.Append(t, log, posts...)
	replay.Wait(t, log)
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{})

	used := map[string]uint64{apitest.Alice: 0, apitest.Bob: 0}
	rows := must.Get(log.Pool().Query(t.Context(), schemas.In(`
		SELECT account, max(next_nonce)::bigint FROM {balances}.nonce WHERE account ~ '^SP[^.]*$' AND account NOT LIKE 'SP0000%'
		GROUP BY account HAVING max(next_nonce) > 1 ORDER BY account LIMIT 6`)))(t)
	var account string
	var next int64
	_, err := pgx.ForEachRow(rows, []any{&account, &next}, func() error {
		used[account] = uint64(next)
		return nil
	})
	if err != nil || len(used) < 6 {
		t.Fatalf("got %v (%v), want some accounts that have sent something", used, err)
	}
	accounts := slices.Sorted(maps.Keys(used))
	random := rand.New(rand.NewPCG(7, 7))
	var waiting []*signed.Transaction
	for n := range 60 {
		from := accounts[random.IntN(len(accounts))]
		draft := signed.Draft{Network: signed.Mainnet, Nonce: used[from] + random.Uint64N(12), Fee: 180 + uint64(n), Sponsored: random.IntN(3) == 0}
		tx := must.Get(draft.Transaction(&signed.TokenTransfer{Recipient: apitest.Principal(t, apitest.Carol), Amount: 1}))(t)
		tx.Origin.Signer = addressOf(t, from).Hash160
		if draft.Sponsored {
			by := accounts[random.IntN(len(accounts))]
			tx.Sponsor = &signed.SpendingCondition{Signer: addressOf(t, by).Hash160, Nonce: used[by] + random.Uint64N(20), Fee: 77}
		}
		waiting = append(waiting, tx)
	}
	waiting = append(waiting, apitest.Transfer(t, 5000)) // alice's, so far above the others that not all that is missing is told

	height := apitest.TextOf(s.Object("/extended/v2/blocks/latest"), "height")
	check := func(when string, waiting []*signed.Transaction) {
		t.Helper()
		pending := map[string]map[uint64]bool{}
		note := func(account string, nonce uint64) {
			if pending[account] == nil {
				pending[account] = map[uint64]bool{}
			}
			pending[account][nonce] = true
		}
		for _, tx := range waiting {
			note(tx.Sender().String(), tx.Nonce())
			if sponsor, ok := tx.SponsorAddress(); ok {
				note(sponsor.String(), tx.Sponsor.Nonce)
			}
		}
		for _, account := range accounts {
			want := plainNonces(used[account], pending[account])
			between := want // version 3 shows pending nonces strictly between the last confirmed and the last pending one
			between.pending = slices.DeleteFunc(slices.Clone(want.pending), func(n uint64) bool { return n < used[account] || n == *want.waiting })
			for version, wanted := range map[int]saidNonces{1: want, 3: between} {
				got := noncesV3(s, account)
				if version == 1 {
					got = noncesV1(s, "/extended/v1/address/"+account+"/nonces")
				}
				if !reflect.DeepEqual(got, wanted) {
					t.Errorf("%s: version %d of %s:\n got %s\nwant %s", when, version, account, got, wanted)
				}
			}
			// The state after a block is without what waits.
			at, want := noncesV1(s, "/extended/v1/address/"+account+"/nonces?block_height="+height), plainNonces(used[account], nil)
			if !reflect.DeepEqual(at, want) {
				t.Errorf("%s: after the last block %s has %s, want %s", when, account, at, want)
			}
		}
	}
	check("before anything waits", nil)

	random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
	for some := range slices.Chunk(waiting, 10) {
		replay.Append(t, log, apitest.Announce(some...))
	}
	replay.Wait(t, log)
	check("while all wait", waiting)

	var drops []replay.Post
	for _, tx := range waiting[:30] {
		drops = append(drops, apitest.Dropped("TooExpensive", nil, tx))
	}
	replay.Append(t, log, drops...)
	replay.Wait(t, log)
	check("after half were dropped", waiting[30:])
}

func addressOf(t testing.TB, account string) c32.Address {
	t.Helper()
	return must.Get(c32.ParseAddress(account))(t)
}
