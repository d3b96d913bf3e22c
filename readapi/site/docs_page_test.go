package site_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// The documentation in a browser: search, requests to this server, programs, the way to the console, and phones.
func TestDocs(t *testing.T) {
	short.Skip(t, "starts a browser")
	t.Parallel()
	browser := newBrowser(t)
	site := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{})
	server := httptest.NewServer(site.API)
	defer server.Close()
	tb := openTab(t, browser)
	tb.open(server.URL + "/docs")
	tb.until("the operations are there", `document.querySelectorAll("article").length > 100`)
	const shown = `[...document.querySelectorAll("article")].filter((e) => e.checkVisibility()).map((e) => e.id).join()`
	search := func(text string) {
		tb.value(nil, `{ const f = document.querySelector("#search"); f.value = $1; f.dispatchEvent(new Event("input")); } 0`, text)
	}
	search("HEALTHZ process")
	tb.until("one is found", shown+` === "get-health" && document.querySelector("#found").textContent === "1 operation" && [...document.querySelectorAll("#toc a, #toc h2")].filter((e) => e.checkVisibility()).length === 2`)
	search("nothing like this")
	tb.until("none is found", shown+` === "" && document.querySelector("#found").textContent === "0 operations"`)
	search("")
	tb.until("all are there again", `document.querySelectorAll("article:not([hidden])").length > 100 && document.querySelector("#found").textContent === ""`)
	tb.value(nil, `document.activeElement.blur(), 0`)
	const press = `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}))` // chromedp's would not be prevented
	tb.until("a slash leads to the search, and is not written there", `!`+press+` && document.activeElement.id === "search"`)
	tb.until("a slash can be written there", press)

	// A request to this server.
	tb.value(nil, `location.hash = "#get-health"`)
	tb.until("it is open", `document.querySelector("#get-health details").open && document.querySelector("#get-health .sample pre").textContent.startsWith("curl ")`)
	tb.value(nil, `[...document.querySelectorAll("#get-health button")].find((b) => b.textContent === "Send to this server").click()`)
	tb.until("it is answered", `document.querySelector("#get-health .result .ok")?.textContent === "200" && document.querySelector("#get-health [aria-live] pre").textContent.includes('"status": "ok"')`)
	// Path parameters, queries and bodies come into the program.
	tb.value(nil, `location.hash = "#get-stx-balance-v1"`)
	tb.until("it is open", `document.querySelector("#get-stx-balance-v1 .sample pre")`)
	tb.value(nil, `{ const f = document.querySelector('#get-stx-balance-v1 input[aria-label=principal]'); f.value = "SP1 x"; f.dispatchEvent(new Event("input")); } 0`)
	tb.until("the program asks for it", `document.querySelector("#get-stx-balance-v1 .sample pre").textContent.includes("/extended/v1/address/SP1%20x/stx")`)
	tb.value(nil, `location.hash = "#refreshToken"`)
	tb.until("a body is there", `document.querySelector("#refreshToken textarea")?.value.includes("contract_id") && document.querySelector("#refreshToken .sample pre").textContent.includes("-X POST")`)

	programs := map[string]string{}
	for _, operation := range []string{"get-health", "refreshToken"} {
		for _, language := range []string{"curl", "Go", "TypeScript", "Python"} {
			var text string
			tb.value(&text, `(() => { const e = document.getElementById($1); [...e.querySelectorAll(".tabs button")].find((b) => b.textContent === $2).click(); return e.querySelector(".sample pre").textContent; })()`, operation, language)
			if programs[operation+" "+language] = text; !strings.Contains(text, server.URL) {
				t.Errorf("%s in %s does not name this server: %s", operation, language, text)
			}
			if language == "Go" {
				if _, err := parser.ParseFile(token.NewFileSet(), "main.go", text, parser.AllErrors); err != nil {
					t.Errorf("%s: %v in\n%s", operation, err, text)
				}
			}
		}
	}
	runPrograms(t, programs)

	// On a phone, the list of operations is a menu.
	tb.run(emulation.SetDeviceMetricsOverride(360, 740, 2, true))
	tb.open(server.URL + "/docs")
	tb.until("it is as wide as a phone", `innerWidth === 360 && document.querySelectorAll("article").length > 100 && document.documentElement.scrollWidth <= 360`)
	tb.until("the list is closed", `!document.querySelector("#toc").checkVisibility() && document.querySelector("#menu").checkVisibility() && document.querySelector("#menu").ariaExpanded === "false"`)
	tb.value(nil, `document.querySelector("#menu").click()`)
	tb.until("the list is open", `document.querySelector("#toc").checkVisibility() && document.querySelector("#menu").ariaExpanded === "true"`)
	tb.value(nil, `document.querySelector('#toc a[href="#get-health"]').click()`)
	tb.until("the operation is shown", `!document.querySelector("#toc").checkVisibility() && document.querySelector("#get-health details").open`)
	tb.until("there is a way to the console and to the start", `document.querySelector('nav a[href="console/"]').checkVisibility() && document.querySelector('nav a[href="./"]').checkVisibility()`)
	tb.calm(server.URL)
}

// runPrograms runs what the page shows, where its language is installed.
func runPrograms(t *testing.T, programs map[string]string) {
	t.Helper()
	for _, language := range []struct{ name, file, program string }{{"curl", "a.sh", "bash"}, {"Python", "a.py", "python3"}, {"TypeScript", "a.mjs", "node"}} {
		if _, err := exec.LookPath(language.program); err != nil {
			t.Logf("%s is not installed: what is shown in %s is not run", language.program, language.name)
			continue
		}
		for operation, want := range map[string]string{"get-health": `{"status":"ok"}`, "refreshToken": "Not Found"} {
			file := filepath.Join(t.TempDir(), language.file)
			must.Do(t, os.WriteFile(file, []byte(programs[operation+" "+language.name]), 0o600))
			var said bytes.Buffer
			program := exec.CommandContext(t.Context(), language.program, file)
			program.Stdout, program.Stderr = &said, &said
			if err := program.Run(); err != nil || !strings.Contains(said.String(), want) {
				t.Errorf("%s in %s: got %q (%v), want %q", operation, language.name, said.String(), err, want)
			}
		}
	}
}
