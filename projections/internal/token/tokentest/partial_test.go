package tokentest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/rig/body"
)

// causes are answers of a node to a call that it fails to run.
var causes = map[string]fetch.Exchange{
	"cost":          refuses("Unchecked(CostBalanceExceeded(ExecutionCost { runtime: 1 }, ExecutionCost { runtime: 0 }))"),
	"overflow":      refuses("RuntimeCheck(CostOverflow)"),
	"computation":   refuses(`RuntimeCheck(CostComputationFailed("x"))`),
	"memory":        refuses("RuntimeCheck(MemoryBalanceExceeded(2, 1))"),
	"time":          refuses("RuntimeCheck(ExecutionTimeExpired)"),
	"no contract":   refuses(`RuntimeCheck(NoSuchContract("a.b"))`),
	"internal":      refuses(`Internal(Expect("x"))`),
	"budget":        status(400),
	"busy":          status(503),
	"down":          down,
	"trap":          refuses("DivisionByZero"),
	"no function":   refuses(`RuntimeCheck(UndefinedFunction("x"))`),
	"not read-only": refuses("NotReadOnly"),
	"err":           says(clarity.NewErr(value.Uint(1))),
}

// settledAtOnce are the causes for which a missing supply is not tried again.
var settledAtOnce = []string{"budget", "trap", "no function", "not read-only", "err"}

// Of a token of each kind, one property after the other is refused for each cause. The others are known at once, and the
// token is complete once the node answers.
func TestRefusedProperties(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		type refused struct {
			kind            token.Kind
			name, cause     string // name is that of the token in wants
			property        int
			before, settled string // its facts
		}
		var all []refused
		id := uint64(0)
		facts := map[token.Kind][]string{token.FT: {"http://m.io/1.json", "Foo", "FOO", "6", "7"}, token.SFT: {"http://m.io/1.json", "-", "-", "6", "7"}}
		properties := []string{"get-token-uri", "get-name", "get-symbol", "get-decimals", "get-total-supply"}
		w.outside.web["http://m.io/1.json"] = has(`{"name":"Foo"}`)
		deploys := []body.Transaction{alice.Deploys("deeds", sip013)}
		for _, kind := range []token.Kind{token.FT, token.SFT} {
			for property, function := range properties {
				for _, cause := range slices.Sorted(maps.Keys(causes)) {
					if facts[kind][property] == "-" {
						continue
					}
					id++
					contract, suffix := deeds, fmt.Sprint(" ", id)
					name := fmt.Sprint("deeds ", id)
					if kind == token.FT {
						name = fmt.Sprint("coin-", id)
						contract, suffix = alice.Contract(name), ""
						w.outside.ft(contract, "Foo", "FOO", 6, 7, clarity.NewSome(utf8("http://m.io/1.json")))
						deploys = append(deploys, alice.Deploys(name, sip010))
					} else {
						for function, v := range map[string]clarity.Value{
							"get-token-uri": clarity.NewSome(utf8("http://m.io/1.json")), "get-decimals": value.Uint(6), "get-total-supply": value.Uint(7),
						} {
							w.outside.says(contract, function+suffix, clarity.NewOk(v))
						}
						deploys = append(deploys, by(printSFT(deeds, "sft_mint", value.Uint(id), 5)))
					}
					w.outside.node[contract+" "+function+suffix] = causes[cause]
					left := slices.Clone(facts[kind])
					left[property] = "-"
					all = append(all, refused{kind, name, cause, property, strings.Join(left, " "), strings.Join(facts[kind], " ")})
				}
			}
		}
		w.mine(deploys...)
		shown := func(kind token.Kind) map[string]string {
			shown := map[string]string{}
			for _, row := range w.rows(kind, `
				SELECT split_part(contract_id, '.', 2) || CASE '`+string(kind)+`' WHEN 'sft' THEN ' ' || token_id ELSE '' END || '|' ||
				       concat_ws(' ', coalesce(uri, '-'), coalesce(name, '-'), coalesce(symbol, '-'), coalesce(decimals::text, '-'), coalesce(total_supply::text, '-')) || '|' ||
				       coalesce((failed_seq = read_seq)::text, 'complete')
				FROM {schema}.token`) {
				name, rest, _ := strings.Cut(row, "|")
				shown[name] = rest
			}
			return shown
		}
		check := func(what string, expect func(r refused) (row string, wanted bool)) {
			t.Helper()
			for _, kind := range []token.Kind{token.FT, token.SFT} {
				rows := shown(kind)
				_, wants := w.wants(kind)
				for _, r := range all {
					if r.kind != kind {
						continue
					}
					row, wanted := expect(r)
					if _, open := wants["read "+r.name]; rows[r.name] != row || open != wanted {
						t.Errorf("%s: %s without its %s because of %s: got %s, wanted again %t; want %s, %t", what, kind, properties[r.property], r.cause, rows[r.name], open, row, wanted)
					}
				}
			}
		}
		w.settle(token.FT)
		w.settle(token.SFT)
		final := func(r refused) bool {
			return properties[r.property] == "get-total-supply" && slices.Contains(settledAtOnce, r.cause)
		}
		check("after the first attempt", func(r refused) (string, bool) {
			if final(r) {
				return r.before + "|complete", false
			}
			return r.before + "|true", true
		})
		for _, r := range all { // the nodes answer
			contract, suffix := deeds, strings.TrimPrefix(r.name, "deeds")
			if r.kind == token.FT {
				contract, suffix = alice.Contract(r.name), ""
			}
			w.outside.says(contract, properties[r.property]+suffix, clarity.NewOk(map[string]clarity.Value{
				"get-token-uri": clarity.NewSome(utf8("http://m.io/1.json")), "get-name": value.Text("Foo"), "get-symbol": value.Text("FOO"),
				"get-decimals": value.Uint(6), "get-total-supply": value.Uint(7),
			}[properties[r.property]]))
		}
		w.later()
		w.settle(token.FT)
		w.settle(token.SFT)
		check("once the node answers", func(r refused) (string, bool) {
			if final(r) {
				return r.before + "|complete", false
			}
			return r.settled + "|complete", false
		})
	})
}

func TestPartialReads(t *testing.T) { each(t, partialRules) }

var partialRules = map[string]func(w *world){
	// A node that fails takes nothing away that is known; what is known is of one report.
	"KnownStays": func(w *world) {
		usdcRead(w)
		w.outside.ft(usdc, "New", "NEW", 8, 20, clarity.NewNone())
		w.outside.node[usdc+" get-decimals"] = causes["cost"]
		w.refresh(usdc, "")
		w.ask(token.FT, "read usdc")
		w.check("with the decimals refused", token.FT, factRows, "usdc 1 - USD Coin USDC 6 10000 109")
		w.checkFailed("with the decimals refused", token.FT, "read usdc", 5*time.Second, 0, 1, 0)
		w.outside.node[usdc+" get-decimals"] = causes["err"]
		w.try(token.FT, "read usdc")
		w.check("with decimals that the contract does not state", token.FT, factRows, "usdc 1 - New NEW - 20 109")
	},
	// A supply has a source of its own, so the other properties are renewed without it.
	"KnownSupplyStays": func(w *world) {
		usdcRead(w)
		w.outside.ft(usdc, "New", "NEW", 8, 20, clarity.NewNone())
		w.outside.node[usdc+" get-total-supply"] = causes["time"]
		w.refresh(usdc, "")
		first := w.rows(token.FT, `SELECT read_seq::text FROM {schema}.token`)[0]
		w.ask(token.FT, "read usdc")
		w.check("with the supply refused", token.FT, factRows, "usdc 1 - New NEW 8 10000 109")
		w.check("the source of the supply", token.FT, `SELECT supply_seq::text FROM {schema}.token`, first)
		w.try(token.FT, "read usdc")
		w.check("the source of the supply, again", token.FT, `SELECT supply_seq::text FROM {schema}.token`, first)
		w.outside.says(usdc, "get-total-supply", clarity.NewOk(value.Uint(20)))
		w.try(token.FT, "read usdc")
		w.check("with all", token.FT, factRows, "usdc 1 - New NEW 8 20")
		w.check("the source of the supply, with all", token.FT, `SELECT coalesce(supply_seq, 0)::text FROM {schema}.token`, "0")
		w.checkWants("with all", token.FT)
	},
	// A supply that only a node fails to tell stays, and the token says that it may be outdated until the next attempt.
	"SupplyAlone": func(w *world) {
		usdcRead(w)
		w.mine(by(mintFT(usdc)))
		const failed = `SELECT (failed_seq > read_seq)::text FROM {schema}.token`
		for _, end := range []fetch.Exchange{says(okNumber(12_000)), causes["trap"]} {
			w.mine(by(mintFT(usdc)))
			w.outside.node[usdc+" get-total-supply"] = causes["cost"]
			w.ask(token.FT, "supply usdc")
			w.check("failed", token.FT, failed, "true")
			w.outside.node[usdc+" get-total-supply"] = end
			w.try(token.FT, "supply usdc")
			w.check("after the answer", token.FT, factRows, "usdc 1 - USD Coin USDC 6 12000")
			w.checkWants("after the answer", token.FT)
		}
		// What is said of the read of all properties is not the supply's to take back.
		w.outside.node[usdc+" get-name"] = causes["cost"]
		w.refresh(usdc, "")
		w.ask(token.FT, "read usdc")
		w.mine(by(mintFT(usdc)))
		w.outside.says(usdc, "get-total-supply", okNumber(13_000))
		w.ask(token.FT, "supply usdc")
		w.check("with a name that is refused", token.FT, factRows, "usdc 1 - USD Coin USDC 6 13000 109")
	},
	// The same of a token of which a part is known.
	"SupplyAloneOfAPart": func(w *world) {
		w.outside.ft(usdc, "Foo", "FOO", 6, 7, clarity.NewNone())
		w.outside.node[usdc+" get-name"] = causes["cost"]
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		const failed = `SELECT (failed_seq = read_seq)::text FROM {schema}.token`
		for _, answer := range []fetch.Exchange{causes["time"], says(okNumber(8))} {
			w.mine(by(mintFT(usdc)))
			w.outside.node[usdc+" get-total-supply"] = answer
			w.try(token.FT, "supply usdc")
			w.check("the failure is that of the read", token.FT, failed, "true")
		}
		w.check("token", token.FT, factRows, "usdc 1 - - FOO 6 8 109")
	},
	// A document is fetched although the node refuses the decimals.
	"DocumentOfAPart": func(w *world) {
		w.outside.ft(usdc, "Foo", "FOO", 6, 7, clarity.NewSome(utf8("http://m.io/1.json")))
		w.outside.node[usdc+" get-decimals"] = causes["memory"]
		w.outside.web["http://m.io/1.json"] = has(`{"name":"Foo"}`)
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("document", token.FT, documentRows, `http://m.io/1.json {"name":"Foo"}`)
	},
	// What a dynamic token lacks is tried before it is due by the clock, at most six times, and its document is fetched by the
	// clock alone.
	"DynamicInPart": func(w *world) {
		deedsRead(w)
		w.mine(by(announce(deeds, "sft", "token-ids", ids(3), "update-mode", value.Text("dynamic"))))
		w.later()
		w.settle(token.SFT)
		w.checkFailed("complete", token.SFT, "read deeds 3", day, 0, 0, 0)
		w.outside.node[deeds+" get-total-supply"] = causes["cost"]
		for range 2 {
			w.try(token.SFT, "read deeds 3")
			w.ask(token.SFT, "document http://m.io/3.json")
			for n, delay := range []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute} {
				w.checkFailed("in part", token.SFT, "read deeds 3", delay, 0, n+1, 0)
				w.try(token.SFT, "read deeds 3")
				w.checkWants("in part", token.SFT, "read deeds 3")
			}
			w.checkFailed("after six attempts", token.SFT, "read deeds 3", day, 0, 0, 0)
		}
		w.check("token", token.SFT, factRows, "deeds 3 http://m.io/3.json - - 6 200 109")
	},
	// However often the rest is tried, the notification before counts once among those that brought nothing new.
	"NotificationCountsOnce": func(w *world) {
		usdcRead(w)
		w.outside.node[usdc+" get-total-supply"] = causes["cost"]
		w.mine(by(announce(usdc, "ft")))
		for range 5 {
			w.try(token.FT, "read usdc")
		}
		w.outside.says(usdc, "get-total-supply", okNumber(10_000))
		w.try(token.FT, "read usdc")
		w.check("fetches that found nothing new", token.FT, `SELECT in_vain::text FROM {schema}.token`, "1")
	},
}
