package site

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// consoleFiles are the console: a page, its style and its modules, as they are.
//
//go:embed console
var consoleFiles embed.FS

// consolePolicy lets the page load what is next to it, and make elements but from no markup: what events say stays text.
const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

var consoleTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// registerConsole adds the console at /console/. It reads the API as any client does (docs/console.md).
func (a *api) registerConsole() {
	files := consoleAnswers()
	a.Plain("GET /console", "console", func(w http.ResponseWriter, r *http.Request) {
		// The page names what it loads relative to itself, so that it can be behind a prefix. The slash at the end is gone by now.
		if before, query, found := strings.Cut(engine.ExchangeOf(r.Context()).Target, "?"); !strings.HasSuffix(before, "/") {
			location := "console/"
			if found {
				location += "?" + query
			}
			w.Header().Set("Location", location)
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		files["index.html"].Serve(w, r, answer.Moment{})
	})
	a.Plain("GET /console/{file}", "console", func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.PathValue("file")]
		if !ok {
			engine.RouteNotFound(w, r)
			return
		}
		file.Serve(w, r, answer.Moment{})
	})
}

// consoleAnswers are the files as answers, by name.
func consoleAnswers() map[string]*answer.Answer {
	answers := map[string]*answer.Answer{}
	names, err := fs.Glob(consoleFiles, "console/*")
	if err != nil {
		panic(err) // the pattern is our own
	}
	for _, name := range names {
		body, err := consoleFiles.ReadFile(name)
		if err != nil {
			panic(err) // it is part of the program
		}
		answers[path.Base(name)] = answer.New(answer.Config{
			ContentType: consoleTypes[path.Ext(name)], Body: body, Class: answer.Tip, Tag: engine.TagOf(engine.KeyOf(body)),
			Fields: []answer.Field{
				{Name: "Content-Security-Policy", Values: []string{consolePolicy}},
				{Name: "Referrer-Policy", Values: []string{"no-referrer"}},
				{Name: "X-Content-Type-Options", Values: []string{"nosniff"}},
			},
		})
	}
	return answers
}
