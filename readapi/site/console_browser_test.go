package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// insecureHost is a name of this machine that browsers don't know as such.
const insecureHost = "console.test"

// newBrowser starts a headless Chromium, which ends with the test. Without one the test is skipped, but for CI, where it
// fails.
func newBrowser(t testing.TB) context.Context {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		const missing = "no Chromium is installed, which the console is tested in: `scripts/tools.sh chromium` installs Debian's"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(program),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("host-resolver-rules", "MAP "+insecureHost+" 127.0.0.1"),
		chromedp.WSURLReadTimeout(time.Minute))
	if os.Geteuid() == 0 || os.Getenv("CI") == "true" {
		options = append(options, chromedp.NoSandbox) // Chromium has none as root, and in many containers
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closeBrowser := chromedp.NewContext(ctx)
	t.Cleanup(closeBrowser)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	return ctx
}

// tab is a tab of a browser that notes what goes wrong in it, and what it asks for.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	troubles []string
	requests []string
}

// openTab opens a tab, which ends with the test. Nothing is cached in it.
func openTab(t testing.TB, browser context.Context) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	tb := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			tb.troubles = append(tb.troubles, "exception: "+e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			tb.troubles = append(tb.troubles, fmt.Sprintf("console.%s: %v", e.Type, e.Args))
		case *cdplog.EventEntryAdded:
			tb.troubles = append(tb.troubles, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
		case *network.EventRequestWillBeSent:
			tb.requests = append(tb.requests, e.Request.URL)
		}
	})
	if err := chromedp.Run(ctx); err != nil { // what makes the tab lives as long as this context: a shorter one would end it
		t.Fatalf("open a tab: %v", err)
	}
	tb.run(network.Enable(), cdplog.Enable(), network.SetCacheDisabled(true), emulation.SetDeviceMetricsOverride(1180, 900, 1, false), media("light"))
	return tb
}

func media(scheme string, more ...*emulation.MediaFeature) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures(append(more, &emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme}))
}

func (tb *tab) run(actions ...chromedp.Action) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, time.Minute)
	defer cancel()
	must.Do(tb.t, chromedp.Run(ctx, actions...))
}

// open goes to an address; the page is made anew even when only the fragment is another.
func (tb *tab) open(address string) {
	tb.t.Helper()
	tb.run(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
}

// hurry opens an address with timers that go ten times as fast.
func (tb *tab) hurry(address string) {
	tb.t.Helper()
	tb.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`{ const slow = setTimeout; globalThis.setTimeout = (f, after, ...more) => slow(f, after / 10, ...more); }`).Do(ctx)
		return err
	}))
	tb.open(address)
}

// value is what JavaScript comes to, awaited when it is a promise. Arguments stand in it as JSON.
func (tb *tab) value(into any, script string, arguments ...any) {
	tb.t.Helper()
	for i, argument := range arguments {
		text := must.Get(json.Marshal(argument))(tb.t)
		script = strings.ReplaceAll(script, fmt.Sprintf("$%d", i+1), string(text))
	}
	tb.run(chromedp.Evaluate(script, into, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

func (tb *tab) text(selector string) (text string) {
	tb.t.Helper()
	tb.value(&text, `document.querySelector($1)?.textContent ?? "(none)"`, selector)
	return text
}

// until waits for a condition in JavaScript. One that fails does not hold: an element that it looks into is not there yet.
func (tb *tab) until(what, condition string, arguments ...any) {
	tb.t.Helper()
	happened := false
	defer func() {
		if !happened {
			tb.t.Logf("the page says:\n%s\n%s", tb.text("main"), strings.Join(tb.noted(), "\n"))
		}
	}()
	eventually.Holds(tb.t, what, func() bool {
		tb.value(&happened, "(() => { try { return Boolean("+condition+") } catch { return false } })()", arguments...)
		return happened
	})
}

// press presses keys, one after the other.
func (tb *tab) press(keys ...string) {
	tb.t.Helper()
	for _, key := range keys {
		tb.run(chromedp.KeyEvent(key))
	}
}

// noted is what went wrong.
func (tb *tab) noted() []string {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return slices.Clone(tb.troubles)
}

// calm checks that nothing went wrong, and that nothing was asked of another server.
func (tb *tab) calm(server string) {
	tb.t.Helper()
	for _, trouble := range tb.noted() {
		tb.t.Errorf("in the browser: %s", trouble)
	}
	for _, address := range tb.asked("") {
		if !strings.HasPrefix(address, server+"/") && address != "about:blank" {
			tb.t.Errorf("the page asked for %s", address)
		}
	}
}

// asked are the addresses that were asked for and hold a text.
func (tb *tab) asked(part string) (addresses []string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, address := range tb.requests {
		if strings.Contains(address, part) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
