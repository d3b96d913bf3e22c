package staking_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/internal/synth/synthblock"
	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

const base = "/extended/v3/staking"

// one returns the only page of a list.
func one(limit int, total int, first string, results ...string) string {
	current := "null"
	if first != "" {
		current = `"` + first + `"`
	}
	return fmt.Sprintf(`{"total": %d, "limit": %d, "cursor": {"next": null, "previous": null, "current": %s}, "results": [%s]}`, total, limit, current, strings.Join(results, ","))
}

func missing(message string) string {
	return `{"statusCode": 404, "error": "Not Found", "message": "` + message + `"}`
}

// place returns the block members of a transaction of a block of the world.
func place(block, burn, tx int64) string {
	hash := func(kind string) string { return synthblock.Hash("%s b%d", kind, block).String() }
	at := synthblock.BurnTime(burn)
	return fmt.Sprintf(`"block": {"height": %d, "hash": %q, "index_hash": %q, "time": %d, "time_iso": %q, "tx_index": %d}, "bitcoin_block": {"height": %d, "time": %d, "time_iso": %q}`,
		block, hash("header"), hash("block"), at+30, iso(at+30), tx, burn, at, iso(at))
}

const bondZero = `"index": 0, "pox_version": "pox5", "status": "active",
	"parameters": {"target_rate_bps": 500, "stx_value_ratio": 2500, "minimum_stx_ratio": 2000, "btc_capacity": "80000000"},
	"registrations": {"allowed_count": 2, "registered_count": 2},
	"schedule": {
		"enrollment_cutoff": {"bitcoin_height": 90, "pox_cycle": 0, "<time:90>"},
		"activation": {"bitcoin_height": 100, "pox_cycle": 1, "<time:100>"},
		"unlock": {"bitcoin_height": 1300, "pox_cycle": 13, "<projected:1300>"}
	},
	"balances": {"locked": {"btc": "20000000", "stx": "70000000000"}, "paid_out": {"btc": "30000"}, "rewards": {"btc": {"distributed": "30000", "accrued": "30000", "claimed": "5000"}}}`

// TestBodies compares the bodies of all operations with what the reference's tables say.
func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.expect(base+"/bonds", 200, one(20, 1, "0", "{"+bondZero+"}"))
	w.expect(base+"/bonds/0", 200, `{`+bondZero+`, "transaction": {"tx_id": "<b2:0>", `+place(2, 6, 0)+`}}`)
	w.expect(base+"/bonds/1", 200, `{"index": 1, "pox_version": "pox5", "status": "projected", "parameters": null, "transaction": null,
		"registrations": {"allowed_count": 0, "registered_count": 0},
		"schedule": {
			"enrollment_cutoff": {"bitcoin_height": 290, "pox_cycle": 2, "<projected:290>"},
			"activation": {"bitcoin_height": 300, "pox_cycle": 3, "<projected:300>"},
			"unlock": {"bitcoin_height": 1500, "pox_cycle": 15, "<projected:1500>"}
		},
		"balances": {"locked": {"btc": "0", "stx": "0"}, "paid_out": {"btc": "0"}, "rewards": {"btc": {"distributed": "0", "accrued": "0", "claimed": "0"}}}}`)

	s0, s1 := `{"staker": "<s0>", "max_sats": "50000000"}`, `{"staker": "<s1>", "max_sats": "30000000"}`
	list := []string{s1, s0}
	if stakers.Stakers[0] > stakers.Stakers[1] {
		list = []string{s0, s1}
	}
	w.expect(base+"/bonds/0/allowlist", 200, one(20, 2, "2:2147483647:0:2", list...))
	w.expect(base+"/bonds/0/allowlist?limit=1&cursor=2:2147483647:0:1", 200, `{"total": 2, "limit": 1, "results": [`+list[1]+`],
		"cursor": {"next": null, "previous": "2:2147483647:0:2", "current": "2:2147483647:0:1"}}`)
	w.expect(base+"/bonds/0/allowlist?limit=1", 200, `{"total": 2, "limit": 1, "results": [`+list[0]+`],
		"cursor": {"next": "2:2147483647:0:1", "previous": null, "current": "2:2147483647:0:2"}}`)
	w.expect(base+"/bonds/0/allowlist?cursor=2:2147483647:0", 200, one(20, 2, "2:2147483647:0:2", list...))
	w.expect(base+"/bonds/0/allowlist/<s0>", 200, s0)
	w.expect(base+"/bonds/0/allowlist/<s2>", 404, missing("Bond allowlist entry not found"))
	w.expect(base+"/bonds/7/allowlist", 200, one(20, 0, ""))

	r0 := `"staker": "<s0>", "signer": "<B>", "type": "l2", "balances": {"btc": "20000000", "stx": "60000000000"}`
	r1 := `"staker": "<s1>", "signer": "<A>", "type": "l1", "balances": {"btc": "0", "stx": "10000000000"}`
	w.expect(base+"/bonds/0/registrations", 200, one(20, 2, "3:2147483647:1:0", "{"+r1+"}", "{"+r0+"}"))
	w.expect(base+"/bonds/7/registrations", 200, one(20, 0, ""))
	w.expect(base+"/bonds/0/registrations/<s0>", 200, "{"+r0+`, "l2_lockup": {"tx_id": "<b3:0>"}}`)
	w.expect(base+"/bonds/0/registrations/<s1>", 200, "{"+r1+`, "l1_lockup": {"transactions": [{"tx_id": "0x01`+strings.Repeat("00", 30)+`ab", "output_index": 1}]}}`)
	w.expect(base+"/bonds/0/registrations/<s2>", 404, missing("Bond registration not found"))

	signer := map[string]string{
		"<A>": `{"signer": "<A>", "signer_key": "<key4>"}`, "<B>": `{"signer": "<B>", "signer_key": "<key2>"}`, "<C>": `{"signer": "<C>", "signer_key": "<key3>"}`,
	}
	var sorted []string
	for _, name := range w.sorted("<A>", "<B>", "<C>") {
		sorted = append(sorted, signer[name])
	}
	w.expect(base+"/signers", 200, one(100, 3, w.sorted("<A>", "<B>", "<C>")[0], sorted...))
	w.expect(base+"/signers/<A>", 200, `{"signer": "<A>", "signer_key": "<key4>", "transaction": {"tx_id": "<b7:0>", `+place(7, 156, 0)+`}}`)
	w.expect(base+"/signers/<s0>", 404, missing("Staking signer not found"))
	w.expect(base+"/signers/<A>/stakers", 200, one(100, 1, "<s1>", `{"staker": "<s1>", "types": ["btc"]}`))
	types := map[string]string{"<s0>": "btc", "<s2>": "stx"}
	sorted = nil
	for _, name := range w.sorted("<s0>", "<s2>") {
		sorted = append(sorted, `{"staker": "`+name+`", "types": ["`+types[name]+`"]}`)
	}
	w.expect(base+"/signers/<B>/stakers", 200, one(100, 2, w.sorted("<s0>", "<s2>")[0], sorted...))
	w.expect(base+"/signers/<s0>/stakers", 200, one(100, 0, ""))

	w.expect(base, 200, `{"locked": {"stx": {"stx_only": "76000000000", "bonds": "70000000000", "total": "146000000000"}, "btc": {"total": "20000000"}}}`)
	w.expect(base+"/rewards", 200, `{"btc": {"reward_amount": "0", "burn_amount": "0", "total_amount": "0"}}`)
	cycleOne := `{"number": 1, "status": "reward_phase",
		"schedule": {"start": {"bitcoin_height": 100, "<time:100>"}, "prepare_phase_start": {"bitcoin_height": 190, "<projected:190>"}, "end": {"bitcoin_height": 199, "<projected:199>"}},
		"locked": {"stx": {"stx_only": "75000000000", "bonds": "70000000000", "total": "145000000000"}, "btc": {"total": "20000000", "native": "0", "sbtc": "20000000"}},
		"participants": {"stakers": {"stx_only": 2, "bonds": 2}, "signers": 2}, "bonds": {"total": 1, "indexes": [0]},
		"rewards": {"btc": {"total": "100000", "waterfall": {"bonds": "30000", "stx_only": "59500", "reserve_deposit": "10500"}, "claimed": "0"}}}`
	w.expect(base+"/cycles/current", 200, cycleOne)
	w.expect(base+"/cycles/1", 200, cycleOne)
	w.expect(base+"/cycles/next", 200, `{"number": 2, "status": "upcoming",
		"schedule": {"start": {"bitcoin_height": 200, "<projected:200>"}, "prepare_phase_start": {"bitcoin_height": 290, "<projected:290>"}, "end": {"bitcoin_height": 299, "<projected:299>"}},
		"locked": {"stx": {"stx_only": "76000000000", "bonds": "70000000000", "total": "146000000000"}, "btc": {"total": "20000000", "native": "0", "sbtc": "20000000"}},
		"participants": {"stakers": {"stx_only": 2, "bonds": 2}, "signers": null}, "bonds": {"total": 1, "indexes": [0]},
		"rewards": {"btc": {"total": "0", "waterfall": {"bonds": "0", "stx_only": "0", "reserve_deposit": "0"}, "claimed": "0"}}}`)
	w.expect(base+"/cycles/previous", 200, `{"number": 0, "status": "finished",
		"schedule": {"start": {"bitcoin_height": 0, "time": null, "time_iso": null, "projected_time": null, "projected_time_iso": null},
			"prepare_phase_start": {"bitcoin_height": 90, "<time:90>"}, "end": {"bitcoin_height": 99, "<time:99>"}},
		"locked": {"stx": {"stx_only": "0", "bonds": "0", "total": "0"}, "btc": {"total": "0", "native": "0", "sbtc": "0"}},
		"participants": {"stakers": {"stx_only": 0, "bonds": 0}, "signers": null}, "bonds": {"total": 0, "indexes": []},
		"rewards": {"btc": {"total": "0", "waterfall": {"bonds": "0", "stx_only": "0", "reserve_deposit": "0"}, "claimed": "5000"}}}`)
	upcoming := `"status": "upcoming", "locked": {"stx": {"stx_only": "0", "bonds": "0", "total": "0"}, "btc": {"total": "0", "native": "0", "sbtc": "0"}},
		"participants": {"stakers": {"stx_only": 0, "bonds": 0}, "signers": null}, "bonds": {"total": 0, "indexes": []},
		"rewards": {"btc": {"total": "0", "waterfall": {"bonds": "0", "stx_only": "0", "reserve_deposit": "0"}, "claimed": "0"}}`
	w.expect(base+"/cycles/14", 200, `{"number": 14, `+upcoming+`, "schedule": {"start": {"bitcoin_height": 1400, "<projected:1400>"},
		"prepare_phase_start": {"bitcoin_height": 1490, "<projected:1490>"}, "end": {"bitcoin_height": 1499, "<projected:1499>"}}}`)
	never := `"time": null, "time_iso": null, "projected_time": null, "projected_time_iso": null`
	w.expect(base+"/cycles/999999999", 200, `{"number": 999999999, `+upcoming+`, "schedule": {"start": {"bitcoin_height": 99999999900, `+never+`},
		"prepare_phase_start": {"bitcoin_height": 99999999990, `+never+`}, "end": {"bitcoin_height": 99999999999, `+never+`}}}`)

	key1 := `{"signing_key": "<key1>", "weight": {"amount": 70, "percent": 48.275862068965516}, "staked_stx": {"amount": "70000000000", "percent": 48.275862068965516},
		"signer_managers": [{"signer_manager": "<A>", "registered_at": {"block_height": 1, "bitcoin_block_height": 5, "tx_id": "<b1:0>"},
			"granted_keys": [{"signer_key": "<key1>", "auth_id": "1", "tx_id": "<b1:0>"}], "grant_active": true,
			"pending_key_update": {"signer_key": "<key4>", "effective_cycle": 2, "tx_id": "<b7:0>"}}]}`
	key2 := `{"signing_key": "<key2>", "weight": {"amount": 75, "percent": 51.724137931034484}, "staked_stx": {"amount": "75000000000", "percent": 51.724137931034484},
		"signer_managers": [{"signer_manager": "<B>", "registered_at": {"block_height": 1, "bitcoin_block_height": 5, "tx_id": "<b1:1>"},
			"granted_keys": [{"signer_key": "<key2>", "auth_id": "2", "tx_id": "<b1:1>"}], "grant_active": true, "pending_key_update": null}]}`
	w.expect(base+"/cycles/current/signers", 200, one(100, 2, "<key2>", key2, key1))
	w.expect(base+"/cycles/1/signers?limit=1&cursor=<key1>", 200, `{"total": 2, "limit": 1, "cursor": {"next": null, "previous": "<key2>", "current": "<key1>"}, "results": [`+key1+`]}`)
	w.expect(base+"/cycles/current/signers?cursor=<key3>", 404, missing("Cursor not found"))
	w.expect(base+"/cycles/next/signers", 404, missing("No reward set for this PoX cycle"))
	w.expect(base+"/cycles/999999999/signers", 404, missing("No reward set for this PoX cycle"))

	cycleStakers := map[string]string{
		"<s0>": `{"staker": "<s0>", "signer": "<A>", "type": "btc", "bond_index": 0, "locked": {"btc": "20000000", "stx": "60000000000"}, "rewards": {"btc": {"accrued": "20000", "claimed": "0"}}}`,
		"<s1>": `{"staker": "<s1>", "signer": "<A>", "type": "btc", "bond_index": 0, "locked": {"btc": "0", "stx": "10000000000"}, "rewards": {"btc": {"accrued": "10000", "claimed": "0"}}}`,
		"<s2>": `{"staker": "<s2>", "signer": "<B>", "type": "stx", "bond_index": null, "locked": {"btc": "0", "stx": "75000000000"}, "rewards": {"btc": {"accrued": "59499", "claimed": "0"}}}`,
		"<s3>": `{"staker": "<s3>", "signer": "<C>", "type": "stx", "bond_index": null, "locked": {"btc": "0", "stx": "1000000000"}, "rewards": {"btc": {"accrued": "0", "claimed": "0"}}}`,
	}
	sorted = nil
	for _, name := range w.sorted("<s0>", "<s1>", "<s2>", "<s3>") {
		sorted = append(sorted, cycleStakers[name])
	}
	w.expect(base+"/cycles/1/stakers", 200, one(100, 4, w.sorted("<s0>", "<s1>", "<s2>", "<s3>")[0], sorted...))
	w.expect(base+"/signer-keys/<key2>/rewards", 200, one(20, 1, "1", `{"cycle": 1, "weight": 75, "staked_stx": "75000000000", "signer_managers": ["<B>"],
		"rewards": {"btc": {"stx_only": "59499", "bonds": "0", "total": "59499"}}}`))
	w.expect(base+"/signer-keys/<key1>/rewards", 200, one(20, 1, "1", `{"cycle": 1, "weight": 70, "staked_stx": "70000000000", "signer_managers": ["<A>"],
		"rewards": {"btc": {"stx_only": "0", "bonds": "30000", "total": "30000"}}}`))

	reward := func(accrued, claimed, claimable string) string {
		return `{"btc": {"accrued": "` + accrued + `", "claimed": "` + claimed + `", "claimable": "` + claimable + `"}}`
	}
	none := reward("0", "0", "0")
	w.expect("/extended/v3/principals/<s0>/staking", 200, `{"stx": {"locked": "0", "rewards": `+none+`},
		"bonds": {"count": 1, "locked": {"btc": "20000000", "stx": "60000000000"}, "rewards": `+reward("20000", "5000", "15000")+`}}`)
	w.expect("/extended/v3/principals/<s2>/staking", 200, `{"stx": {"locked": "75000000000", "rewards": `+reward("59499", "0", "59499")+`},
		"bonds": {"count": 0, "locked": {"btc": "0", "stx": "0"}, "rewards": `+none+`}}`)
	w.expect("/extended/v3/principals/<s3>/staking", 200, `{"stx": {"locked": "1000000000", "rewards": `+none+`},
		"bonds": {"count": 0, "locked": {"btc": "0", "stx": "0"}, "rewards": `+none+`}}`)
	w.expect("/extended/v3/principals/<s0>/staking/bonds", 200, one(20, 1, "0", `{"bond_index": 0, "status": "running", "active": true,
		"enrollment": {"tx_id": "<b3:0>", "btc_lockup": {"amount": "20000000"}}, "locked": {"btc": "20000000", "stx": "60000000000"}, "rewards": `+reward("20000", "5000", "15000")+`}`))
	w.expect("/extended/v3/principals/<s1>/staking/bonds", 200, one(20, 1, "0", `{"bond_index": 0, "status": "early_exit", "active": false,
		"enrollment": {"tx_id": "<b3:1>", "btc_lockup": {"amount": "10000000"}}, "locked": {"btc": "0", "stx": "10000000000"}, "rewards": `+reward("10000", "0", "10000")+`}`))
	w.expect("/extended/v3/principals/<A>/staking/bonds", 200, one(20, 0, ""))
}

// TestEvents compares the events of a bond, and those of the contract in the shape of its older siblings.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := func(name, tx string, block, burn, index, event int64, data string) string {
		return fmt.Sprintf(`{"name": %q, "bond_index": 0, "transaction": {"tx_id": %q, "event_index": %d}, %s, "data": %s}`, name, tx, event, place(block, burn, index), data)
	}
	all := []string{
		event("announce-l1-early-exit", "<b7:2>", 7, 156, 2, 0, `{"staker": "<s1>", "signer": "<A>", "released": {"btc": "10000000"}}`),
		event("update-bond-registration", "<b7:1>", 7, 156, 1, 0,
			`{"staker": "<s0>", "signer": "<B>", "old_signer": "<A>", "type": "l2", "balances": {"btc": "20000000", "stx": "60000000000"}}`),
		event("claim-staker-rewards-for-signer", "<b6:1>", 6, 155, 1, 0, `{"signer_manager": "<A>", "staker": "<s0>", "reward_cycle": 0, "claimed": {"btc": "5000"}}`),
		event("bond-distribution", "<b6:0>", 6, 155, 0, 0, `{"calculation": {"bitcoin_height": 149, "reward_cycle": 1}, "target_yield": "30000", "rewards": {"btc": "30000"},
			"staked": {"btc": "30000000"}, "accrued_rewards_per_sat": "1000000000000000", "cumulative_rewards_per_sat": "1000000000000000"}`),
		event("register-for-bond", "<b3:1>", 3, 10, 1, 0, `{"staker": "<s1>", "signer": "<A>", "type": "l1", "balances": {"btc": "10000000", "stx": "10000000000"}}`),
		event("register-for-bond", "<b3:0>", 3, 10, 0, 0, `{"staker": "<s0>", "signer": "<A>", "type": "l2", "balances": {"btc": "20000000", "stx": "60000000000"}}`),
	}
	events := base + "/bonds/0/events"
	w.expect(events+"?limit=6", 200, `{"total": 9, "limit": 6, "cursor": {"next": "2:2147483647:0:2", "previous": null, "current": "7:2147483647:2:0"}, "results": [`+strings.Join(all, ",")+`]}`)
	w.expect(events+"?limit=2&cursor=6:2147483647:1:0", 200, `{"total": 9, "limit": 2, "cursor": {"next": "3:2147483647:1:0", "previous": "7:2147483647:2:0", "current": "6:2147483647:1:0"},
		"results": [`+all[2]+","+all[3]+`]}`)
	setup := event("setup-bond", "<b2:0>", 2, 6, 0, 0, `{"parameters": {"target_rate_bps": 500, "stx_value_ratio": 2500, "minimum_stx_ratio": 2000}, "early_unlock_bytes": "0xac",
		"schedule": {"enrollment_cutoff": {"bitcoin_height": 90, "pox_cycle": 0, "<time:90>"}, "activation": {"bitcoin_height": 100, "pox_cycle": 1, "<time:100>"},
			"unlock": {"bitcoin_height": 1300, "pox_cycle": 13, "<projected:1300>"}}}`)
	w.expect(events+"?limit=1&cursor=2:2147483647:0:0", 200, `{"total": 9, "limit": 1, "cursor": {"next": null, "previous": "2:2147483647:0:1", "current": "2:2147483647:0:0"}, "results": [`+setup+`]}`)
	w.expect(base+"/bonds/7/events", 200, one(20, 0, ""))

	stake := `{"block_height": 4, "tx_id": "<b4:0>", "tx_index": 0, "event_index": 0, "stacker": "<s2>", "locked": "75000000000", "balance": null, "burnchain_unlock_height": "400",
		"pox_addr": null, "pox_addr_raw": null, "name": "stake", "data": {"amount_ustx": "75000000000", "first_reward_cycle": "1", "num_cycles": "3", "signer": "<B>", "staker": "<s2>",
		"unlock_burn_height": "400", "unlock_cycle": "4"}}`
	w.expect("/extended/v1/pox5/stacker/<s2>", 200, `{"limit": 1000, "offset": 0, "total": 1, "next_cursor": null, "prev_cursor": null, "cursor": "1", "results": [`+stake+`]}`)
	w.expect("/extended/v1/pox5/tx/<b4:0>", 200, `{"results": [`+stake+`]}`)
	w.expect("/extended/v1/pox5/tx/<b5:0>", 404, missing("could not find transaction by ID"))
	w.expect("/extended/v1/pox5/stacker/SP000000000000000000002Q6VF78", 200, `{"limit": 1000, "offset": 0, "total": 0, "next_cursor": null, "prev_cursor": null, "cursor": null, "results": []}`)
	if page := w.Object("/extended/v1/pox5/events?limit=1"); page["total"] != float64(18) || len(page["results"].([]any)) != 1 {
		t.Errorf("got %v", page)
	}
}

// TestRefusals checks limits, cursors and selectors.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{
		"/bonds?limit=51", "/bonds?limit=0", "/bonds?cursor=x", "/bonds/x", "/bonds/2147483648", "/bonds/0/allowlist?limit=51", "/bonds/0/allowlist?cursor=1:2", "/bonds/0/allowlist/nobody",
		"/bonds/0/registrations?limit=51", "/bonds/0/events?limit=51", "/bonds/0/events?cursor=1:2:3", "/signers?limit=251", "/signers/nobody", "/signers/<A>/stakers?limit=201",
		"/cycles/now", "/cycles/-1", "/cycles/current/signers?limit=251", "/cycles/current/signers?cursor=0x12", "/cycles/current/stakers?limit=201", "/signer-keys/12/rewards",
	} {
		w.ExpectTexts(w.names.Replace(base+path), 400)
	}
	for _, cursor := range []string{"5:0:32768:0", "2147483648:0:0:0", "5:2147483648:0:0", "5:0:0:2147483648", strings.Repeat("9", 30) + ":0:0:0"} {
		want := `{"statusCode": 400, "error": "Bad Request", "message": "Cursor value out of range: ` + cursor + `"}`
		for _, list := range []string{"events", "allowlist", "registrations"} {
			w.expect(base+"/bonds/0/"+list+"?cursor="+cursor, 400, want)
		}
	}
	w.expect(base+"/bonds/0/allowlist?cursor=1:0:32768", 400, `{"statusCode": 400, "error": "Bad Request", "message": "Cursor value out of range: 1:0:32768"}`)
	w.expect(base+"/bonds/0/events?cursor=1:2147483647:32767:2147483647", 200, `{"total": 9, "limit": 20, "cursor": {"next": null, "previous": "7:2147483647:2:0", "current": null}, "results": []}`)
	for _, index := range []string{"-1", "-2147483648"} {
		w.expect(base+"/bonds/"+index, 404, missing("Bond not found"))
		w.expect(base+"/bonds/"+index+"/events", 200, one(20, 0, ""))
		w.expect(base+"/bonds/"+index+"/registrations", 200, one(20, 0, ""))
		w.expect(base+"/bonds/"+index+"/allowlist/<s0>", 404, missing("Bond allowlist entry not found"))
	}
	first := w.Get(base + "/bonds")
	check.Equal(t, "the answer to a known tag", w.Request("GET", base+"/bonds", "If-None-Match", first.Header.Get("ETag")).Status, 304)
}

// TestTraces asks where answers come from.
func TestTraces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{
		base + "/bonds", base + "/bonds/0", base + "/bonds/0/allowlist", base + "/bonds/0/allowlist/<s0>", base + "/bonds/0/registrations", base + "/bonds/0/registrations/<s1>",
		base + "/bonds/0/events", base + "/signers", base + "/signers/<A>", base + "/signers/<A>/stakers", base + "/cycles/1/signers", base + "/cycles/1/stakers",
		base + "/signer-keys/<key1>/rewards", "/extended/v3/principals/<s0>/staking", "/extended/v3/principals/<s0>/staking/bonds", "/extended/v1/pox5/events",
		"/extended/v1/pox5/tx/<b4:0>", "/extended/v1/pox5/stacker/<s2>",
	} {
		path = w.names.Replace(path)
		w.ExpectTexts(apitest.TracePath(path), 200, "source_seq")
	}
}
