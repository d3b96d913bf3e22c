package site

import (
	_ "embed"
	"net/http"
	"strconv"
	"strings"

	"strata/readapi/internal/answer"
)

// rootPage is the page that a browser sees first: what this is, how it is, and where to go.
//
//go:embed root.html
var rootPage []byte

// registerRoot adds the page at /. A program, which does not ask for a page, is led to /extended, which answers in JSON.
func (a *api) registerRoot() {
	page := answer.New(answer.Config{
		ContentType: "text/html; charset=utf-8", Body: rootPage, Class: answer.Tip, Fields: pageFields,
	})
	a.Plain("GET /{$}", "root", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if !wantsPage(r.Header.Values("Accept")) {
			http.Redirect(w, r, "/extended", http.StatusMovedPermanently)
			return
		}
		page.Serve(w, r, answer.Moment{})
	})
}

// wantsPage reports whether the header fields Accept (RFC 9110 section 12.5.1) name text/html, and prefer it to JSON.
// Browsers name it; most programs accept anything, or JSON.
func wantsPage(accept []string) bool {
	quality := map[string]float64{}
	for _, field := range accept {
		for element := range strings.SplitSeq(field, ",") {
			name, parameters, _ := strings.Cut(element, ";")
			q := 1.0
			for parameter := range strings.SplitSeq(parameters, ";") {
				if text, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q="); ok {
					if parsed, err := strconv.ParseFloat(text, 64); err == nil {
						q = parsed
					}
				}
			}
			quality[strings.ToLower(strings.TrimSpace(name))] = q
		}
	}
	return quality["text/html"] > 0 && quality["text/html"] >= quality["application/json"]
}
