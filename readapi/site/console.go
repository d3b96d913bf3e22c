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

// consoleFiles holds the files of the console: a page, its style sheet and its modules.
//
//go:embed console
var consoleFiles embed.FS

// consolePolicy lets the page load only files of its own origin. It requires trusted types and allows none, so that
// scripts cannot create elements from markup: the contents of events stay text.
const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

var consoleTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// registerConsole adds the console at /console/. The console reads the API as any client does (docs/console.md).
func (a *api) registerConsole() {
	files := consoleAnswers()
	a.Plain("GET /console", "console", func(w http.ResponseWriter, r *http.Request) {
		// The page loads its files by relative paths, so that it works behind a path prefix; that takes the trailing
		// slash. The engine has removed the slash from the request, so look for it in the original target.
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

// consoleAnswers returns the answers with the files of the console, by file name.
func consoleAnswers() map[string]*answer.Answer {
	answers := map[string]*answer.Answer{}
	names, err := fs.Glob(consoleFiles, "console/*")
	if err != nil {
		panic(err) // the pattern is a valid constant
	}
	for _, name := range names {
		body, err := consoleFiles.ReadFile(name)
		if err != nil {
			panic(err) // the file is embedded in the program
		}
		answers[path.Base(name)] = answer.New(answer.Config{
			ContentType: consoleTypes[path.Ext(name)], Body: body, Class: answer.Tip,
			Fields: []answer.Field{
				{Name: "Content-Security-Policy", Values: []string{consolePolicy}},
				{Name: "Referrer-Policy", Values: []string{"no-referrer"}},
				{Name: "X-Content-Type-Options", Values: []string{"nosniff"}},
			},
		})
	}
	return answers
}
