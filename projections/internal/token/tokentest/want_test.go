package tokentest

import (
	"slices"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// checkFailed compares the delay, the counts and the severity of a failed want.
func (w *world) checkFailed(what string, kind token.Kind, name string, delay time.Duration, attempts, waits, severity int) {
	w.t.Helper()
	s := w.openWant(kind, name)
	if got := s.due.Sub(w.now); got != delay || s.attempts != attempts || s.waits != waits || s.severity != severity {
		w.t.Errorf("%s: %s is due after %v with %d attempts, %d waits, severity %d; want %v, %d, %d, %d",
			what, name, got, s.attempts, s.waits, s.severity, delay, attempts, waits, severity)
	}
}

// try answers a want at the time at which it is due.
func (w *world) try(kind token.Kind, name string) {
	w.t.Helper()
	if due := w.openWant(kind, name).due; due.After(w.now) {
		w.now = due
	}
	w.ask(kind, name)
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

func TestWants(t *testing.T) { each(t, wantRules) }

var wantRules = map[string]func(w *world){
	// A contract with wrong answers is tried again after growing delays, for ever. A further mint does not make the want
	// due earlier; a notification and a refresh do.
	"RetriesOfWrongContract": func(w *world) {
		punksWith(w, 1)
		w.outside.says(punks, "get-token-uri", clarity.NewErr(value.Uint(1)))
		const name = "read punks 1"
		w.refresh(punks, "1")
		for i, delay := range []time.Duration{time.Hour, 6 * time.Hour, day, week, week, week} {
			w.try(token.NFT, name)
			w.checkFailed("wrong", token.NFT, name, delay, i+1, 0, int(fetch.Wrong))
		}
		w.mine(by(mintNFT(punks, 1)))
		w.checkFailed("after a mint", token.NFT, name, week, 6, 0, int(fetch.Wrong))
		if s := w.openWant(token.NFT, name); s.minHeight == nil || *s.minHeight != 2 || s.priority != 3 {
			w.t.Errorf("after a mint: %+v", s)
		}
		w.mine(by(announce(punks, "nft")))
		s := w.openWant(token.NFT, name)
		if s.due.After(w.now.Add(5*time.Minute)) || s.attempts != 0 || s.priority != 2 {
			w.t.Errorf("after a notification: %+v", s)
		}
		w.try(token.NFT, name)
		w.checkFailed("after a notification", token.NFT, name, time.Hour, 1, 0, int(fetch.Wrong))
		w.refresh(punks, "1")
		if s := w.openWant(token.NFT, name); s.due.After(w.now) || s.attempts != 0 || s.priority != 1 {
			w.t.Errorf("after a refresh: %+v", s)
		}
	},
	// A person can have everything tried again that failed, or only interfaces; what did not fail stays as it is.
	"RetryFailed": func(w *world) {
		w.outside.web["http://m.io/1.png"] = status(404)
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		w.mine(alice.Deploys("usdc", nil))
		w.try(token.NFT, "interface usdc")
		w.mine(by(mintNFT(punks, 2)))
		later := w.openWant(token.NFT, "read punks 2")
		w.record(&fetch.Refresh{Failed: true, Kind: fetch.ContractInterface, RequestedAt: w.now})
		w.checkFailed("of another kind", token.NFT, "image http://m.io/1.png", time.Hour, 1, 0, int(fetch.Wrong))
		if s := w.openWant(token.NFT, "interface usdc"); s.due.After(w.now) || s.attempts != 0 || s.severity != 0 || s.priority != 1 {
			w.t.Errorf("the interface: got %+v", s)
		}
		w.record(&fetch.Refresh{Failed: true, RequestedAt: w.now})
		if s := w.openWant(token.NFT, "image http://m.io/1.png"); s.due.After(w.now) || s.attempts != 0 || s.severity != 0 || s.priority != 1 {
			w.t.Errorf("the image: got %+v", s)
		}
		if s := w.openWant(token.NFT, "read punks 2"); !s.due.Equal(later.due) || s.priority != later.priority {
			w.t.Errorf("what did not fail: got %+v, want %+v", s, later)
		}
		if touched := w.touched[token.NFT]; touched != nil {
			w.t.Errorf("a retry of any number of tokens names what it touched")
		}
	},
	"RetriesOfTroubledServer": func(w *world) {
		punk(w, `{"name":"Punk"}`)
		const name = "document http://m.io/1.json"
		w.outside.web["http://m.io/1.json"] = status(503)
		w.refresh(punks, "")
		for i, delay := range []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, day, week, week} {
			w.try(token.NFT, name)
			w.checkFailed("troubled", token.NFT, name, delay, i+1, 0, int(fetch.Troubled))
		}
		w.outside.web["http://m.io/1.json"] = has(`{"name":"Better"}`)
		w.try(token.NFT, name)
		w.check("document", token.NFT, documentRows, `http://m.io/1.json {"name":"Better"}`)
	},
	// D5 and D6: a node that is down, or a host with a rate limit, costs no attempt, however long it lasts.
	"D5D6WaitingCostsNoAttempt": func(w *world) {
		w.outside.ft(usdc, "USD Coin", "USDC", 6, 5, clarity.NewSome(utf8("http://m.io/1.json")))
		w.mine(alice.Deploys("usdc", sip010))
		node := w.outside.node
		w.outside.node = map[string]fetch.Exchange{}
		for function, broken := range map[string]fetch.Exchange{
			"get-name": down, "get-symbol": status(502), "get-decimals": status(404), "get-token-uri": has("<html>"), "get-total-supply": down,
		} {
			w.outside.node[usdc+" "+function] = broken
		}
		steps := []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 10 * time.Minute}
		for i, delay := range steps {
			w.try(token.FT, "read usdc")
			w.checkFailed("node is down", token.FT, "read usdc", delay, 0, i+1, int(fetch.Waiting))
		}
		w.check("counters", token.FT, `SELECT name || ' ' || n FROM {schema}.counter WHERE n <> 0 ORDER BY name`, "contracts 1", "pending 1", "tokens 1")
		w.outside.node = node
		w.outside.web["http://m.io/1.json"] = status(429)
		w.try(token.FT, "read usdc")
		for range 50 {
			w.try(token.FT, "document http://m.io/1.json")
		}
		w.checkFailed("host is busy", token.FT, "document http://m.io/1.json", 10*time.Minute, 0, 50, int(fetch.Waiting))
		w.outside.web["http://m.io/1.json"] = has(`{"name":"Coin"}`)
		w.try(token.FT, "document http://m.io/1.json")
		w.check("document", token.FT, documentRows, `http://m.io/1.json {"name":"Coin"}`)
	},
	// D7: a slow host is tried again, and the document's row says why it has no content yet.
	"D7SlowHost": func(w *world) {
		punk(w, `{}`)
		w.outside.web["http://m.io/1.json"] = fetch.Exchange{Failure: fetch.FailureTimeout}
		for range 20 {
			w.try(token.NFT, "document http://m.io/1.json")
		}
		w.check("document", token.NFT, documentRows, "http://m.io/1.json - 103")
	},
	// D8: a later failure keeps what is known of the contract, the document and the image.
	"D8FailureKeepsWhatIsKnown": func(w *world) {
		w.outside.web["http://m.io/1.png"] = has("pixels")
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		w.outside.web["http://m.io/1.json"], w.outside.web["http://m.io/1.png"] = status(404), has("pixels")
		w.outside.says(punks, "get-token-uri", clarity.NewErr(value.Uint(1)))
		w.refresh(punks, "")
		broken := w.answer(token.NFT, "image http://m.io/1.png")
		broken.Image = nil
		w.record(broken)
		w.settle(token.NFT)
		w.check("token", token.NFT, factRows, "punks 1 http://m.io/1.json - - - - 109")
		w.check("document", token.NFT, documentRows, `http://m.io/1.json {"name":"Punk","image":"http://m.io/1.png"} 107`)
		w.check("image", token.NFT, imageRows, "http://m.io/1.png image/png 30x20 106")
	},
	// D20: a report for a want that is no longer open changes nothing.
	"D20ReportWithoutWant": func(w *world) {
		w.outside.web["http://m.io/1.png"] = has("pixels")
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(1)))
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://m.io/{id}.json"))))
		w.outside.web["http://m.io/1.json"] = has(`{"name":"Punk","image":"http://m.io/1.png"}`)
		w.mine(alice.Deploys("punks", sip009))
		var late []*fetch.Report
		for _, name := range []string{"last punks", "read punks 1", "document http://m.io/1.json", "image http://m.io/1.png"} {
			late = append(late, w.answer(token.NFT, name))
			w.ask(token.NFT, name)
		}
		before := w.dump(token.NFT)
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(7)))
		for _, r := range late {
			other := w.outside.report(r.Want, w.tip(), w.now)
			for i := range other.Exchanges {
				if other.Want.Kind == fetch.Document {
					other.Exchanges[i].Body = fetch.Body(`{"name":"Other"}`)
				}
			}
			w.record(other)
			w.record(w.failing(r.Want))
		}
		foldtest.Compare(w.t, "rows", w.dump(token.NFT), before)
	},
	// D20: a read at a block that is not canonical is no answer.
	"D20ReportOfOrphan": func(w *world) {
		punksWith(w, 1)
		w.mine()
		w.refresh(punks, "1")
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://orphan.io"))))
		late := w.answer(token.NFT, "read punks 1")
		last := w.outside.report(fetch.Want{Kind: fetch.ContractRead, Contract: punks, Calls: []fetch.Call{token.LastTokenIDCall()}}, w.tip(), w.now)
		w.revert(1)
		w.apply(w.on("b", 1))
		w.refresh(punks, "")
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewNone()))
		w.record(late)
		w.record(last)
		w.check("token", token.NFT, factRows, "punks 1 - - - - -")
		w.check("contract", token.NFT, `SELECT read_height::text FROM {schema}.contract`, "1")
		w.checkWants("that go on", token.NFT, "last punks", "read punks 1")
		// The want is due again soon, and the report costs no attempt.
		w.checkFailed("orphan", token.NFT, "read punks 1", 5*time.Second, 0, 1, int(fetch.Waiting))
		w.now = w.now.Add(time.Minute)
		w.settle(token.NFT)
		w.checkWants("after all", token.NFT)
	},
	// A report that does not count neither changes the reason of an earlier failure, nor makes the next attempt come
	// earlier.
	"LateReportKeepsDistance": func(w *world) {
		punksWith(w, 1)
		w.mine(by(mintNFT(punks, 1)))
		w.outside.says(punks, "get-token-uri", clarity.NewErr(value.Uint(1)))
		for range 4 {
			w.try(token.NFT, "read punks 1")
		}
		w.record(w.outside.report(w.openWant(token.NFT, "read punks 1").want, w.tipAt(1), w.now))
		w.checkFailed("late", token.NFT, "read punks 1", week, 4, 1, int(fetch.Wrong))
	},
	// D16 as far as the fold is concerned: failures that are the contract's, and failures that are the node's.
	"CausesOfNodes": func(w *world) {
		for cause, severity := range map[string]fetch.Severity{
			`RuntimeCheck(NoSuchContract("a.b"))`: fetch.Troubled, `Unchecked(NoSuchContract("a.b"))`: fetch.Troubled,
			"DivisionByZero": fetch.Wrong, `RuntimeCheck(UndefinedFunction("f"))`: fetch.Wrong,
		} {
			if len(w.chain) == 0 {
				punksWith(w, 1)
			}
			w.refresh(punks, "1")
			w.outside.node[punks+" get-token-uri"] = refuses(cause)
			w.try(token.NFT, "read punks 1")
			if s := w.openWant(token.NFT, "read punks 1"); s.severity != int(severity) || s.attempts != 1 {
				w.t.Errorf("%s: severity %d, attempts %d", cause, s.severity, s.attempts)
			}
		}
	},
	// The burn of a token that never existed raises no want.
	"BurnOfNothing": func(w *world) {
		w.mine(alice.Deploys("deeds", sip013))
		w.apply(w.next(by(printSFT(deeds, "sft_burn", value.Uint(5), 1))))
		w.checkWants("after the burn", token.SFT)
		w.mine(by(printSFT(deeds, "sft_burn", value.Uint(6), 1), printSFT(deeds, "sft_mint", value.Uint(6), 1), printSFT(deeds, "sft_transfer", value.Uint(6), 1)))
		w.checkWants("after the mint", token.SFT, "read deeds 6")
		w.mine(by(printSFT(deeds, "sft_burn", value.Uint(6), 1)))
		w.checkWants("after both", token.SFT, "read deeds 6", "supply deeds 6")
		w.revert(3)
		w.checkWants("after the rollback", token.SFT)
	},
}

// Each kind of failure has its delay.
func TestFirstDelays(t *testing.T) {
	timeout := fetch.Exchange{Failure: fetch.FailureTimeout}
	limited := status(429)
	limited.Header = map[string]string{"retry-after": "120"}
	forever := status(429)
	forever.Header = map[string]string{"retry-after": "999999"}
	worlds(t, func(t *testing.T, w *world) {
		punk(w, `{"name":"Punk"}`)
		const name = "document http://m.io/1.json"
		for _, test := range []struct {
			what            string
			answer          fetch.Exchange
			delay           time.Duration
			attempts, waits int
			severity        fetch.Severity
			reason          fetch.Reason
		}{
			{"unreachable", down, 30 * time.Second, 1, 0, fetch.Troubled, fetch.ReasonMetadataHTTP},
			{"timeout", timeout, 30 * time.Second, 1, 0, fetch.Troubled, fetch.ReasonMetadataTimeout},
			{"server error", status(500), 30 * time.Second, 1, 0, fetch.Troubled, fetch.ReasonMetadataHTTP},
			{"not found", status(404), time.Hour, 1, 0, fetch.Wrong, fetch.ReasonMetadataHTTP},
			{"too large", fetch.Exchange{Failure: fetch.FailureTooLarge}, time.Hour, 1, 0, fetch.Wrong, fetch.ReasonMetadataTooLarge},
			{"private address", fetch.Exchange{Failure: fetch.FailureRefused}, time.Hour, 1, 0, fetch.Wrong, fetch.ReasonRefused},
			{"unparsable", has("<html>"), time.Hour, 1, 0, fetch.Wrong, fetch.ReasonMetadataUnparsable},
			{"limited", limited, 2 * time.Minute, 0, 1, fetch.Waiting, fetch.ReasonMetadataHTTP},
			{"limited for long", forever, time.Hour, 0, 1, fetch.Waiting, fetch.ReasonMetadataHTTP},
			{"limited without saying", status(429), 5 * time.Second, 0, 1, fetch.Waiting, fetch.ReasonMetadataHTTP},
		} {
			w.now = w.now.Add(week)
			w.refresh(punks, "1")
			w.outside.web["http://m.io/1.json"] = test.answer
			w.ask(token.NFT, name)
			w.checkFailed(test.what, token.NFT, name, test.delay, test.attempts, test.waits, int(test.severity))
			if got := w.openWant(token.NFT, name).reason; got != int(test.reason) {
				t.Errorf("%s: reason %d, want %d", test.what, got, test.reason)
			}
			// What is known stays unchanged.
			w.check(test.what, token.NFT, `SELECT (content = '{"name":"Punk"}') || ' ' || reason || ' ' || (failed_seq > source_seq) FROM {schema}.document`,
				"true "+itoa(int(test.reason))+" true")
		}
	})
}

// failing returns a report of a lasting failure.
func (w *world) failing(want fetch.Want) *fetch.Report {
	nothing := newOutside()
	return nothing.report(want, w.tip(), w.now)
}

// D20: nor does a report for a want that was raised anew, if it is of a lower block.
func TestD20ReportForWantRaisedAnew(t *testing.T) {
	for name, anew := range map[string]func(w *world){
		"mint":         func(w *world) { w.mine(by(mintNFT(punks, 1))) },
		"notification": func(w *world) { w.mine(by(announce(punks, "nft", "token-ids", ids(1)))) },
		"refresh": func(w *world) {
			w.mine()
			w.refresh(punks, "1")
		},
		"clock": func(w *world) {
			w.mine(by(announce(punks, "nft", "update-mode", value.Text("dynamic"), "ttl", value.Uint(60))))
			w.settle(token.NFT)
		},
		"reorganisation": func(w *world) {
			w.mine(by(mintNFT(punks, 1)))
			w.mine(by(mintNFT(punks, 1)))
			w.revert(1)
		},
		"reorganisation of what was read": func(w *world) {
			w.mine(by(mintNFT(punks, 1)))
			w.mine(by(mintNFT(punks, 1)))
			w.settle(token.NFT)
			w.revert(1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			worlds(t, func(t *testing.T, w *world) {
				punksWith(w, 1)
				w.refresh(punks, "1")
				w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://old.io"))))
				late := w.answer(token.NFT, "read punks 1")
				w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewNone()))
				w.ask(token.NFT, "read punks 1")
				anew(w)
				before := w.rows(token.NFT, factRows)
				due := w.openWant(token.NFT, "read punks 1").due
				w.record(late)
				w.check("token", token.NFT, factRows, before...)
				if s := w.openWant(token.NFT, "read punks 1"); s.attempts != 0 || s.due.Before(due) {
					t.Errorf("due at %v, not %v, after %d attempts", s.due, due, s.attempts)
				}
				w.now = w.now.Add(time.Hour)
				w.settle(token.NFT)
				w.check("token", token.NFT, factRows, "punks 1 - - - - -")
			})
		})
	}
}

// A want that several blocks raise is one row, with the height of the newest of them.
func TestRaisedTwice(t *testing.T) {
	t.Parallel()
	pool := databases.lend(t)
	var want []string
	for _, together := range []bool{false, true} {
		t.Run("together="+map[bool]string{false: "no", true: "yes"}[together], func(t *testing.T) {
			w := newWorld(t, replay.Begin(t, pool), 1)
			w.forgetful = !together
			deedsRead(w)
			height := len(w.chain)
			mint := w.on("a", height, by(printSFT(deeds, "sft_mint", value.Uint(3), 1)))
			burn := w.on("a", height+1, by(printSFT(deeds, "sft_burn", value.Uint(3), 1)))
			w.apply(mint, burn)
			s := w.openWant(token.SFT, "supply deeds 3")
			if s.minHeight == nil || *s.minHeight != int64(height+2) || s.sourceSeq != w.seq {
				t.Errorf("wanted at %v because of event %d, want %d, %d", s.minHeight, s.sourceSeq, height+2, w.seq)
			}
			if want == nil {
				want = w.dump(token.SFT)
			}
			if got := w.dump(token.SFT); !slices.Equal(got, want) {
				foldtest.Compare(t, "rows", got, want)
			}
		})
	}
}
