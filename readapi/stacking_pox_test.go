package readapi_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/domain/bitcoin"
	"strata/domain/c32"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
	"strata/rig/schemas"
)

// What Bitcoin pays, who signs, and what contracts report, against what the canonical posts say.
func TestStackingOfChain(t *testing.T) {
	t.Parallel()
	w := newPoxWorld(t)
	t.Run("rewards", w.checkRewards)
	t.Run("outputs", w.checkOutputs)
	t.Run("cycles", w.checkCycles)
	t.Run("events", w.checkEvents)
	t.Run("delegations", w.checkDelegations)
	t.Run("conformance", w.checkStackingConformance)
	t.Run("traces", w.checkStackingTraces)
}

const burnchain = "/extended/v1/burnchain/"

func (w *poxWorld) checkRewards(t *testing.T) {
	payee := w.payee()
	w.walks(burnchain+"rewards", w.rewards)
	w.walks(burnchain+"rewards/"+payee, of(w.rewards, "reward_recipient", payee))
	w.walks(burnchain+"reward_slot_holders", w.slots)
	w.walks(burnchain+"reward_slot_holders/"+payee, of(w.slots, "address", payee))
	want := fmt.Sprintf(`{"reward_recipient":"%s","reward_amount":"%s"}`, payee, sumOf(of(w.rewards, "reward_recipient", payee), "reward_amount"))
	check.Equal(t, "total", w.Get(burnchain+"rewards/"+payee+"/total").Body, want)
	// A Stacks address is the Bitcoin address of the same hash.
	for _, row := range w.rewards {
		address := fmt.Sprint(row["reward_recipient"])
		stacks, err := bitcoin.ToStacks(address)
		if err != nil {
			continue
		}
		w.sameRows(stacks.String(), w.Pages(burnchain+"rewards/"+stacks.String(), 5), of(w.rewards, "reward_recipient", address))
		break
	}
}

func (w *poxWorld) checkOutputs(t *testing.T) {
	payee := w.payee()
	w.walks("/extended/v2/addresses/"+payee+"/pox-transactions", of(w.payouts, "recipient", payee))
	checked := 0
	for height, rows := range w.byBlock {
		slices.SortStableFunc(rows, func(one, other apitest.Fields) int {
			return strings.Compare(fmt.Sprint(one["tx_id"]), fmt.Sprint(other["tx_id"]))
		})
		if len(rows) < 2 && checked > 0 {
			continue
		}
		if checked++; checked > 3 {
			break
		}
		w.walks("/extended/v2/burn-blocks/"+height+"/pox-transactions", rows)
		w.walks("/extended/v2/burn-blocks/"+fmt.Sprint(rows[0]["burn_block_hash"])+"/pox-transactions", rows)
	}
	latest := w.Object("/extended/v2/burn-blocks/latest/pox-transactions")
	check.Equal[any](t, "outputs of the newest Bitcoin block", latest["total"], float64(len(w.byBlock[fmt.Sprint(w.truth.BurnTip.Height)])))
}

func (w *poxWorld) checkCycles(t *testing.T) {
	const cycles = "/extended/v2/pox/cycles"
	var want []apitest.Fields
	for _, body := range w.cycles {
		var signers []apitest.Fields
		for _, s := range body["reward_set"].(map[string]any)["signers"].([]any) {
			signers = append(signers, s.(map[string]any))
		}
		want = append(want, apitest.Fields{
			"block_height": body["block_height"], "index_block_hash": body["index_block_hash"], "cycle_number": body["cycle_number"],
			"total_weight": sumOf(signers, "weight"), "total_stacked_amount": sumOf(signers, "stacked_amt"), "total_signers": len(signers),
		})
	}
	w.walks(cycles, want)
	behind := 0
	for i, body := range w.cycles {
		path := fmt.Sprint(cycles, "/", body["cycle_number"])
		w.sameRows(path, []apitest.Fields{w.Object(path)}, want[i:i+1])
		var signers []apitest.Fields
		for _, s := range body["reward_set"].(map[string]any)["signers"].([]any) {
			signers = append(signers, s.(map[string]any))
		}
		slices.SortFunc(signers, func(one, other apitest.Fields) int { return int(number(other["weight"]) - number(one["weight"])) })
		shown := w.Pages(path+"/signers", 2)
		if len(shown) != len(signers) {
			t.Fatalf("%s: got %d signers, want %d", path, len(shown), len(signers))
		}
		weight, amount := 0.0, 0.0
		for j, s := range signers {
			got, key := shown[j], fmt.Sprint("0x", s["signing_key"])
			if got["signing_key"] != key || number(got["weight"]) != number(s["weight"]) || got["stacked_amount"] != s["stacked_amt"] {
				t.Errorf("%s: got %v, want %v", path, got, s)
			}
			if a, err := c32.ParseAddress(fmt.Sprint(got["signer_address"])); err != nil || a.Version != c32.MainnetSingle {
				t.Errorf("%s: got the address %v", path, got["signer_address"])
			}
			check.Equal[any](t, fmt.Sprintf("%s: a share", path), got["weight_percent"], float64(number(s["weight"]))/float64(number(want[i]["total_weight"]))*100)
			weight += got["weight_percent"].(float64)
			amount += got["stacked_amount_percent"].(float64)
			w.sameRows(key, []apitest.Fields{w.Object(path + "/signers/" + key)}, []apitest.Fields{got})
			stackers := w.Pages(path+"/signers/"+fmt.Sprint(s["signing_key"])+"/stackers", 1)
			if got["pooled_stacker_count"].(float64)+got["solo_stacker_count"].(float64) != float64(len(stackers)) {
				t.Errorf("%s %s: got %d stackers of %v", path, key, len(stackers), got)
			}
			behind += len(stackers)
		}
		if weight < 99.99 || weight > 100.01 || amount < 99.99 || amount > 100.01 {
			t.Errorf("%s: shares add up to %f and %f", path, weight, amount)
		}
	}
	if behind == 0 {
		t.Fatal("nobody is behind any signer")
	}
	var cycle, key string
	must.Do(t, w.Pool.QueryRow(t.Context(), schemas.In(`
		SELECT s.cycle_number::text, encode(g.signing_key, 'hex') FROM {pox}.stacker s JOIN {pox}.signer g ON g.cycle_number = s.cycle_number AND g.place = s.signer
		ORDER BY s.cycle_number, s.signer, s.place LIMIT 1`)).Scan(&cycle, &key))
	path := cycles + "/" + cycle + "/signers/" + key + "/stackers"
	w.Golden("pox_stacker_solo", w.Get(path+"?limit=1").Body)
	w.Exec(schemas.In(`UPDATE {pox}.stacker SET pool = 'SP000000000000000000002Q6VF78', pox_addr = '\x09' WHERE cycle_number = $1::text::bigint`), cycle)
	pooled := w.Object(path + "?limit=1")["results"].([]any)[0].(map[string]any)
	if pooled["stacker_type"] != "pooled" || pooled["pox_address"] != nil {
		t.Errorf("of a pool that pays to no address: got %v", pooled)
	}
}

func (w *poxWorld) checkEvents(t *testing.T) {
	var want []apitest.Fields
	rows := must.Get(w.Pool.Query(t.Context(), schemas.In(`
		SELECT b.height, '0x' || encode(t.txid, 'hex'), e.tx_index, e.event_index, e.value
		FROM {chain}.event e JOIN {chain}.canonical c ON c.block_seq = e.source_seq JOIN {chain}.block b ON b.source_seq = e.source_seq
		JOIN {chain}.transaction t ON t.source_seq = e.source_seq AND t.tx_index = e.tx_index
		WHERE e.type = 'contract_event' AND e.contract_identifier = 'SP000000000000000000002Q6VF78.pox-4'
		ORDER BY b.height DESC, t.execution_index DESC, e.event_index DESC`)))(t)
	for rows.Next() {
		var height, tx, index int
		var id string
		var value []byte
		must.Do(t, rows.Scan(&height, &id, &tx, &index, &value))
		want = append(want, apitest.Fields{"block_height": height, "tx_id": id, "tx_index": tx, "event_index": index})
	}
	if rows.Err() != nil || len(want) < 20 {
		t.Fatalf("there are %d events (%v)", len(want), rows.Err())
	}
	const events = "/extended/v1/pox4/events"
	all := w.Pages(events, 30)
	places := func(rows []apitest.Fields) (places []apitest.Fields) {
		for _, row := range rows {
			places = append(places, apitest.Fields{"block_height": row["block_height"], "tx_id": row["tx_id"], "tx_index": row["tx_index"], "event_index": row["event_index"]})
		}
		return places
	}
	w.sameRows(events, places(all), want)
	w.walks(events, all)
	names := map[string]bool{}
	for _, e := range all {
		names[fmt.Sprint(e["name"])] = true
		if e["data"].(map[string]any) == nil || e["stacker"] == "" || e["locked"] == "" || e["balance"] == "" || e["burnchain_unlock_height"] == "" {
			t.Errorf("got %v", e)
		}
	}
	for _, name := range []string{"stack-stx", "stack-extend", "stack-increase", "delegate-stx"} {
		if !names[name] {
			t.Errorf("there is no %s", name)
		}
	}
	stacker := all[0]["stacker"]
	w.walks(fmt.Sprint("/extended/v1/pox4/stacker/", stacker), of(all, "stacker", stacker))
	tx := all[0]["tx_id"]
	var ofTx []apitest.Fields
	for _, row := range w.Object(fmt.Sprint("/extended/v1/pox4/tx/", tx))["results"].([]any) {
		ofTx = append(ofTx, row.(map[string]any))
	}
	w.sameRows("of a transaction", ofTx, of(all, "tx_id", tx))
	for i, name := range []string{"stack-stx", "delegate-stx"} {
		w.Golden(fmt.Sprint("pox_event_", i), w.Get(fmt.Sprint("/extended/v1/pox4/tx/", of(all, "name", name)[0]["tx_id"])).Body)
	}
}

func (w *poxWorld) checkDelegations(t *testing.T) {
	var pool string
	var first, last int64
	must.Do(t, w.Pool.QueryRow(t.Context(), schemas.In(`
		SELECT pool, min(height), max(height) FROM {pox}.delegation WHERE until_height IS NULL GROUP BY pool ORDER BY count(*) DESC, pool LIMIT 1`)).Scan(&pool, &first, &last))
	path := "/extended/v1/pox4/" + pool + "/delegations"
	// As of any height the last word of each stacker counts.
	expect := func(height, above int64) (want []apitest.Fields) {
		rows := must.Get(w.Pool.Query(t.Context(), schemas.In(`
			SELECT stacker, amount::text, height FROM (
				SELECT DISTINCT ON (stacker) * FROM {pox}.delegation WHERE height <= $2 ORDER BY stacker, n DESC
			) d WHERE pool = $1 AND height > $3 ORDER BY n DESC`), pool, height, above))(t)
		for rows.Next() {
			var stacker, amount string
			var at int64
			must.Do(t, rows.Scan(&stacker, &amount, &at))
			want = append(want, apitest.Fields{"stacker": stacker, "amount_ustx": amount, "block_height": at})
		}
		return want
	}
	plain := func(rows []apitest.Fields) (plain []apitest.Fields) {
		for _, row := range rows {
			if row["pox_addr"] == nil || row["burn_block_unlock_height"] != nil || len(fmt.Sprint(row["tx_id"])) != 66 {
				t.Errorf("got %v", row)
			}
			plain = append(plain, apitest.Fields{"stacker": row["stacker"], "amount_ustx": row["amount_ustx"], "block_height": row["block_height"]})
		}
		return plain
	}
	w.sameRows(path, plain(w.Pages(path, 1)), expect(1<<40, -1))
	w.walks(path, w.Pages(path, 3))
	w.sameRows("above", plain(w.Pages(fmt.Sprint(path, "?after_block=", last-1), 2)), expect(1<<40, last-1))
	for _, height := range []int64{first, (first + last) / 2, last} {
		w.sameRows(fmt.Sprint("at ", height), plain(w.Pages(fmt.Sprint(path, "?unanchored=true&height=", height), 2)), expect(height, -1))
	}
	for _, query := range []string{"?height=1", "?offset=100000"} {
		w.ExpectTexts(path+query, 200, `"results":[]`)
	}
}

func (w *poxWorld) checkStackingConformance(t *testing.T) {
	notBitcoin := apitest.BadRequest("Address nobody is not a valid Bitcoin or STX address.")
	empty := func(limit int) string {
		return fmt.Sprintf(`{"limit":%d,"offset":0,"total":0,"results":[],"next_cursor":null,"prev_cursor":null,"cursor":null}`, limit)
	}
	nobody := strings.Repeat("0", 66)
	const (
		cycles    = "/extended/v2/pox/cycles"
		satoshi   = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
		principal = "SP000000000000000000002Q6VF78"
	)
	known := fmt.Sprint(cycles, "/", w.cycles[0]["cycle_number"])
	w.ExpectAnswers(apitest.Answers{
		{burnchain + "rewards?limit=0&offset=99999999999999&else=1", 200, ""},
		{burnchain + "rewards/", 200, ""},
		{burnchain + "rewards?limit=251", 400, apitest.Invalid("querystring/limit must be <= 250")},
		{burnchain + "rewards?limit=-1", 400, apitest.Invalid("querystring/limit must be >= 0")},
		{burnchain + "rewards?offset=-1", 400, apitest.Invalid("querystring/offset must be >= 0")},
		{burnchain + "rewards?offset=x", 400, apitest.Invalid("querystring/offset must be integer")},
		{burnchain + "rewards?cursor=x", 400, apitest.Invalid(`querystring/cursor must match pattern \"^[0-9]{1,18}:[0-9]{1,9}$\"`)},
		{burnchain + "rewards?cursor=5", 400, apitest.Invalid(`querystring/cursor must match pattern \"^[0-9]{1,18}:[0-9]{1,9}$\"`)},
		{burnchain + "rewards?cursor=5:0&offset=1001", 400, apitest.Invalid("querystring/offset must be <= 1000 with a cursor")},
		{burnchain + "rewards?cursor=999999999999999999:999999999", 200, ""},
		{burnchain + "rewards?cursor=0:0", 200, ""},
		{burnchain + "rewards/nobody", 400, notBitcoin},
		{burnchain + "rewards/nobody/total", 400, notBitcoin},
		{burnchain + "reward_slot_holders/nobody", 400, notBitcoin},
		{burnchain + "rewards/" + satoshi, 200, empty(96)},
		{burnchain + "reward_slot_holders/" + satoshi, 200, empty(96)},
		{burnchain + "rewards/" + satoshi + "/total", 200, `{"reward_recipient":"` + satoshi + `","reward_amount":"0"}`},
		{burnchain + "rewards/SP000000000000000000002Q6VF78/total", 200, `{"reward_recipient":"1111111111111111111114oLvT2","reward_amount":"0"}`},
		{burnchain + "rewards/" + strings.Repeat("1", 5000), 400, ""},
		{burnchain + "nothing", 404, ""},

		{"/extended/v2/addresses/nobody/pox-transactions", 400, notBitcoin},
		{"/extended/v2/addresses/" + satoshi + "/pox-transactions", 200, empty(20)},
		{"/extended/v2/addresses/" + satoshi + "/pox-transactions?limit=31", 400, apitest.Invalid("querystring/limit must be <= 30")},
		{"/extended/v2/burn-blocks/1/pox-transactions", 200, empty(20)},
		{"/extended/v2/burn-blocks/0x" + nobody[:64] + "/pox-transactions", 200, empty(20)},
		{"/extended/v2/burn-blocks/99999999999999999999/pox-transactions", 400, ""},
		{"/extended/v2/burn-blocks/latest/pox-transactions?offset=99999999999999", 200, ""},
		{"/extended/v2/burn-blocks/latest/pox-transactions?cursor=999999999999999999", 200, ""},
		{"/extended/v2/burn-blocks/newest/pox-transactions", 400, ""},

		{cycles + "?limit=61", 400, apitest.Invalid("querystring/limit must be <= 60")},
		{cycles + "?cursor=1:2", 400, apitest.Invalid(`querystring/cursor must match pattern \"^[0-9]{1,18}$\"`)},
		{cycles + "/999999", 404, apitest.NotFound("Not found")},
		{cycles + "/first", 400, apitest.Invalid("params/cycle_number must be integer")},
		{cycles + "/99999999999999999999", 400, ""},
		{cycles + "/999999/signers", 404, apitest.NotFound("PoX cycle not found")},
		{known + "/signers?limit=251", 400, apitest.Invalid("querystring/limit must be <= 250")},
		{known + "/signers?offset=99999999999999&cursor=999999999999999999", 200, ""},
		{cycles + "/999999/signers/" + nobody, 404, apitest.NotFound("PoX cycle not found")},
		{known + "/signers/" + nobody, 404, apitest.NotFound("Not found")},
		{known + "/signers/0x12", 400, apitest.Invalid(`params/signer_key must match pattern \"^(0x)?[a-fA-F0-9]{66}$\"`)},
		{cycles + "/999999/signers/" + nobody + "/stackers", 404, apitest.NotFound("PoX cycle not found")},
		{known + "/signers/" + nobody + "/stackers", 404, apitest.NotFound("PoX cycle signer not found")},
		{known + "/signers/" + nobody + "/stackers?limit=201", 400, apitest.Invalid("querystring/limit must be <= 200")},

		{"/extended/v1/pox2/events", 200, empty(96)},
		{"/extended/v1/pox3/events", 200, empty(96)},
		{"/extended/v1/pox1/events", 404, ""},
		{"/extended/v1/pox4/events?limit=201", 400, apitest.Invalid("querystring/limit must be <= 200")},
		{"/extended/v1/pox4/events?offset=99999999999999&cursor=1", 200, ""},
		{"/extended/v1/pox4/tx/0x" + nobody[:64], 404, apitest.NotFound("could not find transaction by ID")},
		{"/extended/v1/pox4/tx/0x12", 400, apitest.Invalid(`params/tx_id must match pattern \"^(0x)?[a-fA-F0-9]{64}$\"`)},
		{"/extended/v1/pox4/stacker/" + principal, 200, empty(1000)},
		{"/extended/v1/pox4/stacker/" + principal[:27] + "X0000", 400, ""},
		{"/extended/v1/pox4/" + principal + "/delegations", 200, empty(100)},
		{"/extended/v1/pox4/" + principal + "/delegations?height=99999999", 404, apitest.NotFound("no block at height: 99999999")},
		{"/extended/v1/pox4/" + principal + "/delegations?height=0", 400, apitest.Invalid("querystring/height must be >= 1")},
		{"/extended/v1/pox4/" + principal + "/delegations?after_block=0", 400, apitest.Invalid("querystring/after_block must be >= 1")},
		{"/extended/v1/pox4/" + principal + "/delegations?limit=201", 400, apitest.Invalid("querystring/limit must be <= 200")},
		{"/extended/v1/pox4/" + principal + "/delegations?offset=-1", 400, apitest.Invalid("querystring/offset must be >= 0")},
		{"/extended/v1/pox4/" + principal + "/delegations?unanchored=1", 400, apitest.Invalid("querystring/unanchored must be boolean")},
		{"/extended/v1/pox4/tx/delegations", 400, ""},
	})
	for version := 2; version <= 4; version++ {
		from, to := fmt.Sprintf("/extended/v1/pox%d_events/tx/0x12?limit=5", version), fmt.Sprintf("/extended/v1/pox%d/tx/0x12?limit=5", version)
		if r := w.Get(from); r.Status != 302 || r.Header.Get("Location") != to {
			t.Errorf("%s: got %d to %q, want 302 to %s", from, r.Status, r.Header.Get("Location"), to)
		}
	}
	empties := apitest.NewSite(t)
	for _, path := range []string{burnchain + "rewards", burnchain + "reward_slot_holders/" + satoshi, cycles, "/extended/v1/pox4/events", "/extended/v2/burn-blocks/latest/pox-transactions"} {
		if r := empties.Get(path); r.Status != 200 || !strings.Contains(r.Body, `"total":0,"results":[]`) {
			t.Errorf("%s, before there is anything: got %d %s", path, r.Status, r.Body)
		}
	}
}

// Each answer leads to rows, and these to the bodies that say so.
func (w *poxWorld) checkStackingTraces(t *testing.T) {
	payee := w.payee()
	cycle := fmt.Sprint("/extended/v2/pox/cycles/", w.cycles[0]["cycle_number"])
	key := w.cycles[0]["reward_set"].(map[string]any)["signers"].([]any)[0].(map[string]any)["signing_key"]
	must.Get(hex.DecodeString(fmt.Sprint(key)))(t)
	event := w.Object("/extended/v1/pox4/events?limit=1")["results"].([]any)[0].(map[string]any)
	for path, pointer := range map[string]string{
		burnchain + "rewards?limit=3":                              "/reward_recipients/",
		burnchain + "rewards/" + payee:                             "/reward_recipients/",
		burnchain + "rewards/" + payee + "/total":                  "/reward_recipients/",
		burnchain + "reward_slot_holders?limit=3":                  "/reward_slot_holders/",
		burnchain + "reward_slot_holders/" + payee:                 "/reward_slot_holders/",
		"/extended/v2/addresses/" + payee + "/pox-transactions":    "/pox_transactions/",
		"/extended/v2/pox/cycles":                                  "/reward_set",
		cycle:                                                      "/reward_set",
		cycle + "/signers":                                         "/reward_set/signers",
		fmt.Sprint(cycle, "/signers/", key):                        "/reward_set/signers",
		"/extended/v1/pox4/events?limit=2":                         "/events/",
		fmt.Sprint("/extended/v1/pox4/tx/", event["tx_id"]):        "/events/",
		fmt.Sprint("/extended/v1/pox4/stacker/", event["stacker"]): "/events/",
	} {
		r := w.Get("/audit/v1/trace?path=" + strings.NewReplacer("?", "%3F", "&", "%26").Replace(path))
		if r.Status != 200 || !strings.Contains(r.Body, `"`+pointer) {
			t.Errorf("%s: got %d %.600s, want %s", path, r.Status, r.Body, pointer)
		}
	}
}
