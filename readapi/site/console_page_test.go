package site_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// The console in a browser, on a real API. Each part has a tab of its own; they take turns, since some change the answers.
func TestConsole(t *testing.T) {
	short.Skip(t, "starts a browser")
	t.Parallel()
	browser := newBrowser(t)
	s := newConsoleSite(t)
	open := func(t *testing.T, fragment string) *tab {
		t.Helper()
		tb := openTab(t, browser)
		tb.open(s.url + "/console/" + fragment)
		return tb
	}
	for _, part := range []struct {
		name string
		test func(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab)
	}{
		{"panels", consolePanels}, {"sparse", consoleSparse}, {"walk", consoleWalk}, {"proofs", consoleProofs}, {"tampering", consoleTampering},
		{"onward", consoleOnward}, {"history", consoleHistory}, {"differences", consoleDifferences}, {"hostile", consoleHostile}, {"large", consoleLarge}, {"insecure", consoleInsecure}, {"readings", consoleReadings}, {"JSON", consoleJSON},
		{"looks", consoleLooks}, {"looking", consoleLooking},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.test(t, s, open) }) {
			t.Logf("the API says: %s", s.Log)
		}
	}
}

const consoleRow = `document.querySelector('[data-version=' + $1 + '] ' + $2)?.textContent`

// Every panel says what the API says.
func consolePanels(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "")
	tb.hurry(s.url + "/console/")
	size, versions := s.TableVersions()
	tb.until("the log is shown", `document.querySelector("#log-size")?.textContent === $1`, strconv.FormatInt(size, 10))
	checkpoint := strings.Split(s.Get("/audit/v1/log/checkpoint").Body, "\n")
	tb.until("the checkpoint is shown", `document.querySelector("#checkpoint-origin")?.textContent === $1 && document.querySelector("#checkpoint-size").textContent === $2`, checkpoint[0], checkpoint[1])
	for _, v := range versions {
		name := fmt.Sprintf("%s_v%d", v.Name, v.Version)
		for is, want := range map[string]string{"position": strconv.FormatInt(v.Position, 10), "input": v.Input, "quarantined": strconv.FormatInt(v.Quarantined, 10), "state": v.State} {
			tb.until(name+" has "+is+" "+want, consoleRow+`?.startsWith($3)`, name, "[data-is="+is+"]", want)
		}
		tb.until(name+" is marked", `document.querySelector('[data-version=' + $1 + '] th .badge').hidden === !$2`, name, v.Active)
	}
	tb.until("the build shows its progress", schemas.In(`(() => { const p = document.querySelector("[data-version={balances+1}] progress"); return p.checkVisibility() && p.value === $1 && p.max === $2 })()`), versions[1].Position, versions[1].Head)
	tb.until("the build shows its pace", consoleRow+`.includes(" % · 20/s · ") && `+consoleRow+`.includes(" left · at most 20/s")`, schemas.In("{balances+1}"), ".pace")
	tb.until("no progress is shown of what is at the tip", schemas.In(`!document.querySelector("[data-version={balances}] progress").checkVisibility()`))
	tb.until("the failure is shown", consoleRow+` === $3`, schemas.In("{balances+2}"), ".reason", hostile)
	tb.until("the nodes are shown", `document.querySelector("[data-node=near]")?.textContent.startsWith("near servingblock 1,234,567 · 3 requests under way · ") && document.querySelector("[data-node=far]").textContent.includes("7 blocks behind")`)
	tb.until("the quarantine is shown", `document.querySelectorAll("#quarantine li").length === 1 && document.querySelector("#quarantine a").textContent === "event " + $1`, s.broken)

	// What comes is shown at the next look, and the rate with it.
	replay.Append(t, s.events, replay.Post{Path: "/new_burn_block", Body: []byte(`{}`)}, replay.Post{Path: "/new_burn_block", Body: []byte(`[]`)})
	s.sign(t)
	tb.until("two more events are seen", `document.querySelector("#log-size").textContent === $1 && Number(document.querySelector("#log-rate").textContent) > 0`, strconv.FormatInt(size+2, 10))
	tb.until("the next checkpoint is seen", `document.querySelector("#checkpoint-size").textContent === $1`, strconv.FormatInt(size+2, 10))
	tb.calm(s.url)

	// What can't be read is said, and what was seen before stays.
	s.changed("/audit/v1/projections", func(int, []byte) (int, []byte) { return 500, []byte(`{"message":"<i>no</i>"}`) }, func() {
		tb.until("the failure is shown", `document.querySelector("#projections .problem:not([hidden])")?.textContent.startsWith("Could not read /audit/v1/projections: <i>no</i>. What is shown is of ")`)
		tb.until("the rows are still there", `document.querySelectorAll("#projections tbody tr").length === $1`, len(versions))
	})
	tb.until("it is over", `document.querySelector("#projections .problem").hidden && document.querySelector("#announcer").textContent === "Projections can be read again."`)
}

// A server without a pool, a log to show and projections has a console, too.
func consoleSparse(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	bare := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{})
	server := httptest.NewServer(bare.API)
	defer server.Close()
	tb := open(t, "")
	tb.open(server.URL + "/console/")
	tb.until("all is said", `["No pool of nodes is configured", "does not show its log", "Every event could be read.", "newest eventnone"].every((text) => document.querySelector("main").textContent.includes(text))`)
	for _, trouble := range tb.noted() { // the browser itself tells of answers that are failures
		if !strings.Contains(trouble, "Failed to load resource") {
			t.Error(trouble)
		}
	}
}

// Somebody with a keyboard alone goes from an account to the bytes and the proof.
func consoleWalk(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "")
	tb.until("the page is there", `document.querySelector("#log-size")`)
	at := func(selector string) bool {
		var there, seen bool
		tb.value(&there, `document.activeElement.matches($1)`, selector)
		tb.value(&seen, `getComputedStyle(document.activeElement).outlineStyle !== "none" || document.activeElement.matches("h2, main")`)
		if !seen {
			t.Errorf("the focus can't be seen on the way to %s", selector)
		}
		return there
	}
	tabTo := func(selector string) {
		t.Helper()
		for range 150 {
			tb.press(kb.Tab)
			if at(selector) {
				return
			}
		}
		t.Fatalf("nobody comes to %s with the key Tab", selector)
	}
	tabTo("#skip")
	tb.press(kb.Enter)
	tb.until("the content has the focus", `document.activeElement.id === "main" && location.hash === ""`)
	tb.press(kb.Shift + kb.Tab)
	tb.run(chromedp.Evaluate(`document.activeElement.blur(), scrollTo(0, 0)`, nil))
	tb.open(s.url + "/console/")
	tabTo("#asked")
	tb.press(s.principal, kb.Enter)
	tb.until("it may be several things", `document.activeElement.id === "readings-title" && document.querySelectorAll("#readings .finding.good").length === 2`)
	tabTo("#readings a")
	tb.press(kb.Enter)
	tb.until("the rows are there", `document.activeElement.id === "rows-title" && document.querySelector("#rows .group")`)
	path := "/extended/v1/address/" + s.principal + "/stx"
	traced := s.TracePage(path, "&limit=50")
	var links int
	if tb.value(&links, `document.querySelectorAll("#rows a[data-seq]").length`); links < len(traced.Rows) || len(traced.In("balances.ledger")) < 3 {
		t.Fatalf("got %d links to events of %d rows", links, len(traced.Rows))
	}
	tabTo(`#rows a[data-seq][href*="pointer=%2F"]`)
	tb.press(kb.Enter)
	tb.until("the proof holds", `document.activeElement.id === "event-title" && document.querySelector("#proof .verdict.good")?.textContent === "The proof holds."`)
	tb.until("it is said to those who listen", `document.querySelector("#announcer").textContent === "The proof holds."`)
	if steps := tb.text(".steps"); strings.Count(steps, "Right: ") != 6 || strings.Contains(steps, "Not checked") {
		t.Errorf("got the steps %s, want six that are right", steps)
	}
	check.Equal(t, "the checkpoint", tb.text("#proof .note"), s.Get("/audit/v1/log/checkpoint").Body)

	// What the pointer names is marked, in view, and as it was written.
	var fragment string
	tb.value(&fragment, `location.hash`)
	asked, err := url.ParseQuery(strings.TrimPrefix(fragment, "#/trace?"))
	if err != nil || asked.Get("path") != path || asked.Get("q") != s.principal {
		t.Fatalf("got the fragment %s (%v)", fragment, err)
	}
	seq := must.Get(strconv.ParseInt(asked.Get("seq"), 10, 64))(t)
	const inView = `(() => { const [box, mark] = [document.querySelector("#event .body"), document.querySelector("#event .pointed")].map((e) => e.getBoundingClientRect()); return mark.top >= box.top && mark.top < box.bottom })()`
	tb.until("what is marked can be seen", inView)
	tabTo("[data-form=verbatim]")
	tb.press(" ")
	want := s.Pointed(seq, asked.Get("pointer"))
	tb.until("the bytes are marked", `document.querySelector("#event mark").textContent === $1 && document.querySelector("#event pre").textContent === $2`, want, s.Get(fmt.Sprintf("/audit/v1/events/%d/body", seq)).Body)
	tb.until("what is marked can be seen", inView)
	tb.calm(s.url)

	// The address leads others to the same, and back leads back.
	other := open(t, fragment)
	other.until("the same is shown", `document.querySelector("#proof .verdict.good") && document.querySelector("#event-title").textContent === "Event " + $1 && document.querySelector("#rows [aria-current]") && document.querySelector("#asked").value === $2`, seq, s.principal)
	other.calm(s.url)
	tb.run(chromedp.Evaluate(`history.back()`, nil))
	tb.until("the event is gone, and the rows are there", `document.querySelector("#event").hidden && document.querySelector("#rows a[data-seq]")`)
	tb.run(chromedp.Evaluate(`history.back()`, nil))
	tb.until("the readings are there", `document.querySelector("#rows").hidden && document.querySelector("#readings a")`)
}

// The browser finds the proof of each event right, and no proof right of another event.
func consoleProofs(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "")
	var wrong []string
	tb.value(&wrong, `(async () => {
		const { verify, holds, digestOf } = await import("/console/proof.js");
		const read = async (path) => (await fetch(path)).json();
		const key = await (await fetch("/audit/v1/log/key")).text();
		const wrong = [];
		let before;
		for (let seq = 1; seq <= $1; seq += 3) {
			const event = await read("/audit/v1/events/" + seq);
			const body = await digestOf(new Uint8Array(await (await fetch(event.body)).arrayBuffer()));
			const proof = await read("/audit/v1/log/proofs/inclusion?seq=" + seq);
			const steps = await verify({ event, body, proof, key });
			if (!holds(steps) || steps.some((step) => !step.ok) || steps.length !== 6) wrong.push(seq + ": " + JSON.stringify(steps));
			if (before && holds(await verify({ event, body, proof: before, key }))) wrong.push(seq + ": the proof of another event holds");
			if (before && holds(await verify({ event, body, proof: { ...before, leaf: proof.leaf, leaf_hash: proof.leaf_hash }, key }))) wrong.push(seq + ": another path leads to the root");
			for (const size of [proof.size - 1, proof.size + 1]) if (holds(await verify({ event, body, proof: { ...proof, size }, key }))) wrong.push(seq + ": it holds for the size " + size);
			before = proof;
		}
		return wrong;
	})()`, s.broken)
	for _, w := range wrong {
		t.Error(w)
	}
	tb.calm(s.url)
}

// Whatever is changed on the way is seen.
func consoleTampering(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "#/trace")
	const seq = 7
	event, proof := fmt.Sprintf("/audit/v1/events/%d", seq), "/audit/v1/log/proofs/inclusion"
	flip := func(text any) string {
		bytes := must.Get(base64.StdEncoding.DecodeString(text.(string)))(t)
		bytes[len(bytes)/2] ^= 1
		return base64.StdEncoding.EncodeToString(bytes)
	}
	in := func(change func(answer apitest.Fields)) func(int, []byte) (int, []byte) {
		return func(status int, body []byte) (int, []byte) {
			var answer apitest.Fields
			apitest.DecodeJSON(t, string(body), &answer)
			change(answer)
			made, err := json.Marshal(answer)
			if err != nil {
				t.Error(err)
			}
			return status, made
		}
	}
	whole := func(body []byte) (answer apitest.Fields) {
		apitest.DecodeJSON(t, string(body), &answer)
		return answer
	}
	for _, tc := range []struct {
		name, path string
		change     func(status int, body []byte) (int, []byte)
		want       string
	}{
		{"a byte of the body", event + "/body", func(status int, body []byte) (int, []byte) {
			body[len(body)/2] ^= 1
			return status, body
		}, "and the event states another."},
		{"the digest of the event", event, in(func(e apitest.Fields) { e["sha256"] = "0x" + strings.Repeat("0", 64) }), "The leaf record states another digest than the event."},
		{"the path of the event", event, in(func(e apitest.Fields) { e["path"] = "/other" }), "The leaf record states another path than the event."},
		{"the time of the event", event, in(func(e apitest.Fields) { e["received_at"] = "2026-01-01T00:00:00.000001Z" }), "The leaf record states another time than the event."},
		{"the leaf", proof, in(func(p apitest.Fields) { p["leaf"] = flip(p["leaf"]) }), "The leaf record does not hash to the leaf hash."},
		{"the first hash", proof, in(func(p apitest.Fields) { p["hashes"].([]any)[0] = flip(p["hashes"].([]any)[0]) }), "hashes do not lead from leaf 6 to the root"},
		{"the last hash", proof, in(func(p apitest.Fields) { h := p["hashes"].([]any); h[len(h)-1] = flip(h[len(h)-1]) }), "hashes do not lead from leaf 6 to the root"},
		{"a hash less", proof, in(func(p apitest.Fields) { p["hashes"] = p["hashes"].([]any)[1:] }), "hashes do not lead from leaf 6 to the root"},
		{"the root", proof, in(func(p apitest.Fields) { p["root"] = flip(p["root"]) }), "hashes do not lead from leaf 6 to the root"},
		{"the index", proof, in(func(p apitest.Fields) { p["index"] = 5 }), "hashes do not lead from leaf 5 to the root"},
		{"the checkpoint", proof, in(func(p apitest.Fields) {
			p["checkpoint"] = strings.Replace(p["checkpoint"].(string), "example.org/stacks\n", "example.net/stacks\n", 1)
		}), "The checkpoint is not signed with the key"},
		{"an earlier checkpoint", proof, in(func(p apitest.Fields) {
			p["checkpoint"] = s.Get("/audit/v1/log/checkpoints/" + strconv.FormatInt(s.large, 10)).Body
		}), "has another root or size."},
		{"no checkpoint", proof, in(func(p apitest.Fields) { delete(p, "checkpoint") }), "There is no checkpoint of this tree."},
		{"the proof of another event", proof, func(status int, _ []byte) (int, []byte) { return status, []byte(s.Get(proof + "?seq=8").Body) }, "The leaf record states another position than the event."},
		{"the key", "/audit/v1/log/key", func(status int, _ []byte) (int, []byte) {
			return status, []byte("example.org/stacks+00000000+" + base64.StdEncoding.EncodeToString(append([]byte{1}, make([]byte, 32)...)) + "\n")
		}, "The checkpoint is not signed with the key"},
	} {
		if tc.path == proof {
			if before := whole([]byte(s.Get(proof + "?seq=7").Body)); len(before["hashes"].([]any)) < 2 {
				t.Fatalf("the proof is too short: %v", before)
			}
		}
		s.changed(tc.path, tc.change, func() {
			tb.value(nil, `location.hash = "#/trace"`)
			tb.until("nothing is shown", `document.querySelector("#event").hidden`)
			tb.value(nil, `location.hash = "#/trace?seq=7"`)
			tb.until(tc.name+" is seen", `document.querySelector("#proof .verdict.bad")?.textContent === "The proof does not hold." && [...document.querySelectorAll("#proof .steps .bad")].some((step) => step.textContent.includes($1))`, tc.want)
		})
	}
	tb.open(s.url + "/console/#/trace?seq=7")
	tb.until("it holds again", `document.querySelector("#proof .verdict.good")`)
	tb.calm(s.url)
	tb.open(s.url + "/console/#/trace?seq=999999")
	tb.until("there is no such event", `document.querySelector("#event .problem")?.textContent === "Could not read /audit/v1/events/999999: no event 999999 in the log."`)
}

// Somebody goes from a block over its transactions to an account, by identifiers alone, and each path can be traced.
func consoleOnward(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "")
	tb.until("the tip leads on", schemas.In(`document.querySelector("#log-tip a") && document.querySelector("[data-version={balances}] [data-is=height] a")`))
	tb.value(nil, `document.querySelector("#log-tip a").click()`)
	tb.until("the block is traced", `document.querySelector("#rows .group") && document.querySelector(".onward a")`)
	tb.value(nil, `document.querySelector(".onward a").click()`)
	tb.until("the transactions are traced", `location.hash.includes("transactions") && document.querySelector('#rows a.id[href*="q=0x"]')`)
	tb.value(nil, `document.querySelector('#rows a.id[href*="q=0x"]').click()`)
	tb.until("it is found", `document.querySelector("#readings .finding.good")`)
	tb.open(s.url + "/console/#/trace?" + url.Values{"path": {"/extended/v1/address/" + s.principal + "/stx"}}.Encode())
	tb.until("a height of a row leads to its block", `document.querySelector('#rows a.id[href*="blocks"]')`)
	seq := s.blockEvent()
	tb.open(s.url + "/console/#/trace?seq=" + strconv.FormatInt(seq, 10) + "&pointer=%2Findex_block_hash")
	tb.until("an identifier in the bytes leads on", `document.querySelector("#event .pointed a.id")?.getAttribute("href").includes("q=0x")`)
	for _, trouble := range tb.noted() { // a reading that is not there answers 404, and the browser tells
		if !strings.Contains(trouble, "Failed to load resource") {
			t.Error(trouble)
		}
	}
	var all []string
	tb.value(&all, `import("/console/ids.js").then(({ onward }) => $1.flatMap((path) => onward(path).map(([, to]) => to)))`, []string{
		"/extended/v2/blocks/7", "/extended/v2/burn-blocks/7", "/extended/v1/tx/0x" + strings.Repeat("ab", 32), "/extended/v1/address/" + apitest.P1 + "/stx",
		"/extended/v1/contract/" + apitest.P1, "/metadata/v1/nft/" + apitest.P1 + "/1", "/ordinals/v1/inscriptions/7", "/ordinals/v1/brc-20/tokens/ordi", "/v1/names/muneeb.btc", "/bns/v2/names/muneeb.btc",
	})
	if len(all) < 14 {
		t.Errorf("got %d paths that go on: %v", len(all), all)
	}
	for _, path := range all {
		if traced := s.Get(apitest.TracePath(path)); traced.Status == 400 || strings.Contains(traced.Body, "this API has no") {
			t.Errorf("nobody can trace %s: %s", path, traced.Body)
		}
	}
}

// Accounts that differ from a node are counted, and the first ones named; those that are accepted apart from the others.
func consoleDifferences(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	const difference = `{"account":%q,"what":"nonce","table":"1","node":"2","seq":7,"block_height":9,"found_at":"2026-01-02T03:04:05Z","acceptance":%s}`
	accepted := fmt.Sprintf(difference, "SP3", `{"reason":"a schedule","at":"2026-01-02T03:04:05Z"}`)
	node := `"node":{"ok":false,"block_height":9,"differing_accounts":2,"accepted_accounts":1,"differences":[` +
		fmt.Sprintf(difference, "SP1", "null") + "," + fmt.Sprintf(difference, "<b>SP2</b>", "null") + "," + accepted + `]},`
	s.changed("/extended/v1/status", func(status int, body []byte) (int, []byte) {
		return status, bytes.Replace(body, []byte(`"strata":{`), []byte(`"strata":{`+node), 1)
	}, func() {
		tb := open(t, "")
		tb.until("accounts that differ are named", `document.querySelector("#log-differing")?.textContent === "2 accounts differing from the node: SP1, <b>SP2</b>"`)
		tb.until("what is accepted is no problem", `document.querySelector("#log-accepted").textContent === "1 account differing from the node as accepted: SP3"`)
		tb.calm(s.url)
	})
	tb := open(t, "")
	tb.until("nothing differs", `document.querySelector("#log-differing")?.hidden && document.querySelector("#log-accepted").hidden`)
}

// The last hour is drawn, with gaps where nothing is known.
func consoleHistory(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	at := time.Now().Add(-30 * time.Second).UTC()
	point := func(i int, more string) string {
		return fmt.Sprintf(`{"at":%q,"requests":7%s}`, at.Add(time.Duration(i)*10*time.Second).Format(time.RFC3339Nano), more)
	}
	const full = `,"events":%d,"lag":3,"slow":0.0123,"hits":0.975`
	points := []string{point(0, fmt.Sprintf(full, 2)), point(1, fmt.Sprintf(full, 4)), point(2, `,"events":null,"lag":null`), point(3, fmt.Sprintf(full, 1))}
	s.changed("/console/history.json", func(int, []byte) (int, []byte) {
		return 200, []byte(`{"interval":10,"span":3600,"points":[` + strings.Join(points, ",") + `],"notices":["The disk is <b>full</b>."]}`)
	}, func() {
		tb := open(t, "")
		tb.until("what an operator should know is said", `document.querySelector("#history .notices .problem")?.textContent === "The disk is <b>full</b>."`)
		tb.until("the series are drawn", `document.querySelectorAll("#history figure:not([hidden])").length === 4`)
		tb.until("they say what they show", `document.querySelector("[data-series=events] svg").ariaLabel === "events a second: now 1, at most 4 and at least 1 in the last hour"`)
		tb.until("a gap stays a gap", `document.querySelector("[data-series=events] .curve").getAttribute("d").split("M").length === 3`)
		tb.until("numbers have their units", `document.querySelector("[data-series=latency] .now").textContent === "12 ms" && document.querySelector("[data-series=hits] .now").textContent === "97.5 %"`)
		tb.calm(s.url)
	})
	if got := s.Get("/console/history.json"); got.Status != 200 || got.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(got.Body, `{"interval":10,"span":3600,"points":[`) {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
}

// Text of events stays text, wherever it comes to stand.
func consoleHostile(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "")
	unharmed := func() {
		t.Helper()
		var harm bool
		if tb.value(&harm, `window.hit !== undefined || document.querySelector("img, script:not([src]), iframe, [onerror], style") !== null`); harm {
			t.Errorf("text has become more than text: %s", tb.text("main"))
		}
	}
	tb.until("the panels show it", schemas.In(`document.querySelector("[data-node=far] .reason")?.textContent === $1 && document.querySelector("[data-version={balances+2}] .reason")?.textContent === $1`), hostile)
	unharmed()
	fragment := url.Values{"seq": {strconv.FormatInt(s.broken, 10)}, "pointer": {"/more/2/" + strings.ReplaceAll(strings.ReplaceAll(hostile, "~", "~0"), "/", "~1") + "/a~1b~0c", "/<img src=x onerror=window.hit=1>"}}
	tb.open(s.url + "/console/#/trace?" + fragment.Encode())
	tb.until("the value is found by a pointer with escapes, digits and all", `document.querySelector("#event .pointed .number")?.textContent === "12345678901234567890"`)
	tb.until("what is not there is said", `document.querySelector("#event .problem").textContent === "The body has nothing at /<img src=x onerror=window.hit=1>"`)
	tb.until("numbers are as they were written", `document.querySelector("#event .tree").textContent.includes("1.00,") && document.querySelector("#event .tree").textContent.includes("-0e5,")`)
	tb.value(nil, `document.querySelector("[data-form=verbatim]").click()`)
	tb.until("it is verbatim", `document.querySelector("#event pre").textContent === $1`, s.Get(fmt.Sprintf("/audit/v1/events/%d/body", s.broken)).Body)
	tb.until("nothing turns it around", `getComputedStyle(document.querySelector("#event pre")).unicodeBidi === "bidi-override"`)
	unharmed()
	tb.open(s.url + "/console/#/trace?seq=" + strconv.FormatInt(s.large, 10))
	tb.until("the path is shown", `document.querySelector("#event .facts")?.textContent.includes("<img src=x onerror=")`)
	unharmed()
	tb.calm(s.url)
	for _, asked := range []string{hostile, "//example.org/" + hostile, "/extended/v1/../" + hostile} {
		for _, name := range []string{"q", "path"} {
			tb.value(nil, `location.hash = "#/trace"`)
			tb.until("nothing is shown", `document.querySelector("#rows").hidden && document.querySelector("#readings").hidden`)
			tb.value(nil, `location.hash = $1`, "#/trace?"+url.Values{name: {asked}}.Encode())
			tb.until(name+" is refused", `document.querySelector("#rows .problem, #readings p")`)
			unharmed()
		}
	}
	for _, address := range tb.asked("") {
		if !strings.HasPrefix(address, s.url+"/") && address != "about:blank" {
			t.Errorf("the page asked for %s", address)
		}
	}
}

// A body that is large is not loaded, and its proof is checked all the same.
func consoleLarge(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "#/trace?seq="+strconv.FormatInt(s.large, 10))
	tb.until("the proof holds", `document.querySelector("#proof .verdict.good") && document.querySelector("#proof .steps .open").textContent.includes("The bytes were not read")`)
	body := fmt.Sprintf("/audit/v1/events/%d/body", s.large)
	tb.until("there is a link to the bytes", `document.querySelector("#event .part a").href === $1 && document.querySelector("#event .part").textContent.includes("are not loaded")`, s.url+body)
	if asked := tb.asked(body); len(asked) > 0 {
		t.Errorf("the page asked for %v", asked)
	}
	tb.calm(s.url)
	// Nor is one that is larger than its event says.
	s.changed("/audit/v1/events/7/body", func(status int, body []byte) (int, []byte) { return status, append(body, ' ') }, func() {
		tb.open(s.url + "/console/#/trace?seq=7")
		tb.until("it is refused", `document.querySelector("#event .part .problem")?.textContent.includes("the body is larger than its event states")`)
	})
}

// Where the browser computes no hashes the page says so, and shows the rest.
func consoleInsecure(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "")
	tb.open(strings.Replace(s.url, "127.0.0.1", insecureHost, 1) + "/console/#/trace?seq=7")
	tb.until("it is said", `document.querySelector("#proof .verdict")?.textContent.startsWith("It was not checked: browsers compute hashes for pages from https and from their own machine alone.")`)
	tb.until("the rest is there", `document.querySelector("#event .tree") && document.querySelector("#proof .note").textContent.startsWith("example.org/stacks\n") && !document.querySelector("#proof .steps")`)
}

// What people paste leads to reads that the API has.
func consoleReadings(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "#/trace")
	id := strings.Repeat("ab", 32)
	bitcoinBlock := strings.Repeat("0", 10) + id[10:]
	for _, tc := range []struct {
		text string
		want []string
	}{
		{apitest.P1, []string{"/metadata/v1/ft/" + apitest.P1, "/extended/v1/contract/" + apitest.P1, "/extended/v1/address/" + apitest.P1 + "/stx", "/extended/v3/principals/" + apitest.P1 + "/transactions", "/extended/v1/address/" + apitest.P1 + "/balances"}},
		{" " + apitest.Alice + "\n", []string{"/extended/v1/address/" + apitest.Alice + "/stx", "/extended/v3/principals/" + apitest.Alice + "/transactions", "/extended/v1/address/" + apitest.Alice + "/balances"}},
		{apitest.P1 + "::coin", []string{"/metadata/v1/ft/" + apitest.P1, "/extended/v1/contract/" + apitest.P1, "/extended/v1/address/" + apitest.P1 + "/stx", "/extended/v3/principals/" + apitest.P1 + "/transactions", "/extended/v1/address/" + apitest.P1 + "/balances"}},
		{apitest.P1 + "::art#12", []string{"/metadata/v1/nft/" + apitest.P1 + "/12", "/metadata/v1/sft/" + apitest.P1 + "/12"}},
		{apitest.P1 + "/12", []string{"/metadata/v1/nft/" + apitest.P1 + "/12", "/metadata/v1/sft/" + apitest.P1 + "/12"}},
		{apitest.P1 + " 12", []string{"/metadata/v1/nft/" + apitest.P1 + "/12", "/metadata/v1/sft/" + apitest.P1 + "/12"}},
		{strings.ToUpper(id) + "i0", []string{"/ordinals/v1/inscriptions/" + id + "i0", "/ordinals/v1/inscriptions/" + id + "i0/transfers"}},
		{id + ":1", []string{"/ordinals/v1/inscriptions?output=" + id + ":1"}},
		{"0x" + id, []string{"/extended/v1/tx/0x" + id, "/extended/v2/blocks/0x" + id, "/extended/v2/burn-blocks/0x" + id, "/ordinals/v1/inscriptions/" + id + "i0", "/ordinals/v1/inscriptions?output=" + id + ":0"}},
		{bitcoinBlock, []string{"/extended/v1/tx/0x" + bitcoinBlock, "/extended/v2/blocks/0x" + bitcoinBlock, "/extended/v2/burn-blocks/0x" + bitcoinBlock, "/ordinals/v1/inscriptions/" + bitcoinBlock + "i0", "/ordinals/v1/inscriptions?output=" + bitcoinBlock + ":0", "/ordinals/v1/inscriptions?genesis_block=" + bitcoinBlock}},
		{"bc1p8aq8s3z9xl87e74twfk93mljxq6alv4a79yheadx33t9np4g2wkqqt8kc5", []string{"/ordinals/v1/inscriptions?address=bc1p8aq8s3z9xl87e74twfk93mljxq6alv4a79yheadx33t9np4g2wkqqt8kc5", "/ordinals/v1/brc-20/balances/bc1p8aq8s3z9xl87e74twfk93mljxq6alv4a79yheadx33t9np4g2wkqqt8kc5"}},
		{"20", []string{"/extended/v2/blocks/20", "/audit/v1/events/20", "/extended/v2/burn-blocks/20", "/extended/v2/pox/cycles/20", "/ordinals/v1/inscriptions/20", "/ordinals/v1/sats/20"}},
		{"007", []string{"/extended/v2/blocks/7", "/audit/v1/events/7", "/extended/v2/burn-blocks/7", "/extended/v2/pox/cycles/7", "/ordinals/v1/inscriptions/7", "/ordinals/v1/sats/7"}},
		{"-5", []string{"/ordinals/v1/inscriptions/-5"}},
		{"latest", []string{"/extended/v2/blocks/latest", "/ordinals/v1/brc-20/tokens/latest"}},
		{"ordi", []string{"/ordinals/v1/brc-20/tokens/ordi"}},
		{"muneeb.btc", []string{"/bns/v2/names/muneeb.btc", "/v1/names/muneeb.btc"}},
		{"sub.muneeb.id", []string{"/v1/names/sub.muneeb.id"}},
		{"cycle 84", []string{"/extended/v2/pox/cycles/84"}},
		{"Event #7", []string{"/audit/v1/events/7"}},
		{"burn block 800000", []string{"/extended/v2/burn-blocks/800000"}},
		{"/extended/v2/blocks?limit=3", []string{"/extended/v2/blocks?limit=3"}},
		{"https://example.org/extended/v2/blocks?limit=3#x", []string{"/extended/v2/blocks?limit=3"}},
		{"", nil},
		{"what is this", nil},
	} {
		var got []struct{ About, Path string }
		tb.value(&got, `import("/console/candidates.js").then(({ candidates }) => candidates($1))`, tc.text)
		var paths []string
		for _, c := range got {
			paths = append(paths, c.Path)
			if c.About == "" {
				t.Errorf("%q: %s says nothing of itself", tc.text, c.Path)
			}
			if traced := s.Get(apitest.TracePath(c.Path)); traced.Status == 400 || strings.Contains(traced.Body, "this API has no") {
				t.Errorf("%q: nobody can trace %s: %s", tc.text, c.Path, traced.Body)
			}
		}
		check.Equal(t, tc.text, strings.Join(paths, " "), strings.Join(tc.want, " "))
	}
	// One reading is taken, and what is wrong with a path is said.
	tb.value(nil, `location.hash = "#/trace?q=%2Fextended%2Fv2%2Fblocks%2Flatest"`)
	tb.until("it is traced at once", `location.hash.includes("&path=") && document.querySelector("#rows .group")`)
	tb.calm(s.url)
	tb.value(nil, `location.hash = "#/trace?path=%2Fmetrics"`)
	tb.until("it is said why there is nothing to trace", `document.querySelector("#rows .problem")?.textContent.includes("/metrics has no rows to trace: ")`)
	// A block by its hash, found among what it may be.
	tb.value(nil, `location.hash = "#/trace?q=" + $1`, s.blockAt(5).String())
	tb.until("the block is found", `[...document.querySelectorAll("#readings li")].filter((li) => li.querySelector(".good")).map((li) => li.querySelector("code").textContent).join() === $1`, "/extended/v2/blocks/"+s.blockAt(5).String())
}

// The page takes for JSON what Go does, keeps its text, and refuses what Go refuses.
func consoleJSON(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "#/trace")
	texts := []string{
		`{}`, `[]`, ` [ ] `, `0`, `-0`, `1.50e+300`, `"a\u0000\"\\"`, `true`, `null`, `{"a":[1,{"b":null}],"a":2}`, "\t{\"\": 1 ,\r\n\"b\" : [ 2 , 3 ] }\n", `"\u202e<img>"`,
		``, `{`, `[1,]`, `{"a"}`, `{"a":1,}`, `{a:1}`, `01`, `1.`, `.5`, `+1`, `tru`, `"a`, "\"\n\"", `"\x"`, `[1] 2`, `[1 2]`, `'a'`, "\u00a01", `NaN`, `{"a":1 "b":2}`, `[,]`, strings.Repeat("[", 9000),
	}
	var got []struct {
		OK   bool
		Text string
	}
	tb.value(&got, `import("/console/json.js").then(({ parse }) => $1.map((text) => {
		const write = (v) => v.kind === "object" ? "{" + v.members.map((m) => m.name + ":" + write(m.value)).join() + "}" : v.kind === "array" ? "[" + v.members.map((m) => write(m.value)).join() + "]" : text.slice(v.start, v.end);
		try { return { OK: true, Text: write(parse(text)) }; } catch (error) { if (!(error instanceof SyntaxError)) throw error; return { OK: false, Text: "" }; }
	}))`, texts)
	for i, text := range texts {
		var compact strings.Builder
		valid := json.Valid([]byte(text))
		if valid {
			var raw json.RawMessage
			apitest.DecodeJSON(t, text, &raw)
			compact.WriteString(compactJSON(t, raw))
		}
		if got[i].OK != valid || got[i].Text != compact.String() {
			t.Errorf("%.40q: got %v %q, want %v %q", text, got[i].OK, got[i].Text, valid, compact.String())
		}
	}
}

func compactJSON(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	inString, escaped := false, false
	for _, c := range raw {
		if inString || !strings.ContainsRune(" \t\r\n", rune(c)) {
			b.WriteByte(c)
		}
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		}
	}
	return b.String()
}

// It can be read in the light and in the dark, on a phone, and without motion.
func consoleLooks(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	views := []struct{ fragment, there string }{
		{"", schemas.In(`document.querySelector("#log-size") && document.querySelector("#checkpoint-size") && document.querySelector("[data-version={balances}]") && document.querySelector("[data-node]") && document.querySelector("#quarantine li")`)},
		{"#/trace?" + url.Values{"path": {"/extended/v1/address/" + s.principal + "/stx"}, "seq": {"7"}, "pointer": {"/block_hash"}}.Encode(), `document.querySelector("#rows table") && document.querySelector("#proof .verdict")`},
	}
	grounds := map[string]string{}
	for _, view := range views {
		tb := open(t, view.fragment)
		for _, scheme := range []string{"light", "dark"} {
			tb.run(media(scheme, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"}))
			tb.until("the view is there", view.there)
			var ground string
			tb.value(&ground, `getComputedStyle(document.body).backgroundColor`)
			grounds[scheme] = ground
			// Contrast of text to what is behind it: at least 4.5 (WCAG 2.2, 1.4.3).
			var pale []string
			tb.value(&pale, `(() => {
				const parse = (c) => c.match(/[\d.]+/g).map(Number);
				const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
				const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } };
				const pale = [];
				for (const e of document.querySelectorAll("body *")) {
					if (!e.checkVisibility() || e.closest(".unseen") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
					const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
					const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
					if (contrast < 4.5) pale.push(e.tagName + "." + e.className + " " + contrast.toFixed(2));
				}
				return [...new Set(pale)];
			})()`)
			if len(pale) > 0 {
				t.Errorf("%s, %s: hard to read: %v", view.fragment, scheme, pale)
			}
			var moving int
			if tb.value(&moving, `[...document.querySelectorAll("a, button, progress")].filter((e) => getComputedStyle(e).transitionDuration !== "0s").length`); moving > 0 {
				t.Errorf("%d elements move", moving)
			}
		}
		tb.run(emulation.SetDeviceMetricsOverride(360, 740, 2, true))
		tb.until("it is as wide as a phone", `innerWidth === 360 && document.documentElement.scrollWidth <= 360`)
		// Landmarks, one heading of the first level, no level left out, and a name for all that can be used.
		var faults []string
		tb.value(&faults, `(() => {
			const faults = [], shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
			for (const landmark of ["header", "nav", "main", "search"]) if (shown(landmark).length !== 1) faults.push("landmark " + landmark);
			let level = 0;
			for (const h of shown("h1, h2, h3, h4, h5, h6")) { const n = Number(h.tagName[1]); if (n > level + 1) faults.push("heading " + h.textContent); level = n; }
			if (shown("h1").length !== 1) faults.push("h1");
			for (const e of shown("a, button, input, [tabindex='0']")) if (!(e.textContent.trim() || e.labels?.length || e.ariaLabel)) faults.push("no name: " + e.outerHTML);
			for (const s of shown("section")) if (!document.getElementById(s.getAttribute("aria-labelledby"))) faults.push("no label: " + s.id);
			const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
			if (new Set(ids).size !== ids.length) faults.push("an id comes twice");
			return faults;
		})()`)
		if len(faults) > 0 {
			t.Errorf("%q: %v", view.fragment, faults)
		}
		tb.calm(s.url)
	}
	if grounds["light"] == grounds["dark"] {
		t.Errorf("it is as dark as light: %v", grounds)
	}
}

// The page looks while somebody sees it, and not otherwise.
func consoleLooking(t *testing.T, s *consoleSite, open func(t *testing.T, fragment string) *tab) {
	tb := open(t, "")
	tb.hurry(s.url + "/console/")
	looks := func() int { return len(tb.asked("/audit/v1/projections")) }
	eventually.Holds(t, "it looks again", func() bool { return looks() >= 2 })
	see := func(state string) {
		tb.value(nil, `Object.defineProperty(document, "visibilityState", { value: $1, configurable: true }), document.dispatchEvent(new Event("visibilitychange")), 0`, state)
	}
	// passes waits until a timer of the page has gone off, after those that go off earlier.
	passes := func(d time.Duration) {
		t.Helper()
		tb.value(nil, `new Promise((resolve) => setTimeout(() => resolve(0), $1))`, d.Milliseconds())
	}
	// quiet checks that it does not look for longer than it takes until the next look, once what is under way has ended.
	quiet := func(why string) {
		t.Helper()
		passes(3 * time.Second)
		before := looks()
		passes(7 * time.Second)
		if now := looks(); now != before {
			t.Errorf("it looked %d times while %s", now-before, why)
		}
	}
	again := func() {
		t.Helper()
		before := looks()
		eventually.Holds(t, "it looks again", func() bool { return looks() > before })
	}
	see("hidden")
	quiet("nobody saw it")
	see("visible")
	again()
	tb.value(nil, `document.querySelector("#pause").click()`)
	quiet("it was told not to")
	tb.value(nil, `document.querySelector("#pause").click()`)
	again()
	tb.value(nil, `location.hash = "#/trace"`)
	quiet("another view was shown")
	tb.value(nil, `location.hash = "#/"`)
	again()
	tb.calm(s.url)
}
