package readapi_test

import (
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"strata/readapi"
)

func TestConsoleFiles(t *testing.T) {
	t.Parallel()
	s := newSiteOn(t, nil, readapi.Config{})
	page := s.get("/console/")
	for _, target := range []string{"/console/", "/console/index.html", "/console/console.css", "/console/console.js", "/console/favicon.svg"} {
		got := s.get(target)
		policy := got.header.Get("Content-Security-Policy")
		if got.status != http.StatusOK || got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("ETag") == "" ||
			got.header.Get("Cache-Control") != "public, no-cache, must-revalidate" || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'; script-src 'self'; ") {
			t.Errorf("%s: got %d, %v", target, got.status, got.header)
		}
		if again := s.request(http.MethodGet, target, "If-None-Match", got.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%s: got %d with its ETag, want 304", target, again.status)
		}
		if head := s.request(http.MethodHead, target); head.status != http.StatusOK || head.body != "" || head.header.Get("ETag") != got.header.Get("ETag") {
			t.Errorf("HEAD %s: got %d, %d bytes", target, head.status, len(head.body))
		}
	}
	if got := page.header.Get("Content-Type"); got != "text/html; charset=utf-8" || page.body != s.get("/console/index.html").body {
		t.Errorf("got a page of type %q", got)
	}
	for target, location := range map[string]string{"/console": "console/", "/console?a=b": "console/?a=b"} {
		if got := s.get(target); got.status != http.StatusPermanentRedirect || got.header.Get("Location") != location {
			t.Errorf("%s: got %d to %q, want 308 to %q", target, got.status, got.header.Get("Location"), location)
		}
	}
	for _, target := range []string{"/console/nothing", "/console/console", "/console/../console.go", "/console/a/b", "/console//"} {
		if got := s.get(target); got.status == http.StatusOK && target != "/console//" || strings.Contains(got.body, "package") {
			t.Errorf("%s: got %d %.80q", target, got.status, got.body)
		}
	}
	if got := s.request(http.MethodPost, "/console/"); got.status == http.StatusOK {
		t.Errorf("POST: got %d", got.status)
	}
}

// Each file is loaded by the page or another file, nothing is loaded from elsewhere, and no markup is made of data.
func TestConsoleIsSelfContained(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS("site/console"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile("site/console/" + name)
		files[name] = string(text)
		return err
	})
	if err != nil || len(files) < 10 {
		t.Fatalf("got %d files (%v)", len(files), err)
	}
	elsewhere := regexp.MustCompile(`https?://[a-z0-9-]|["'(]//|\bdata:|@import|url\(`)
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|setHTML|createContextualFragment|javascript:`)
	inline := regexp.MustCompile(`(?i)<style|<script(?:[^>]*)>[^<]|\sstyle=|\son[a-z]+=`)
	all := ""
	for _, text := range files {
		all += text
	}
	for name, text := range files {
		text = strings.ReplaceAll(text, `xmlns="http://www.w3.org/2000/svg"`, "")
		if found := elsewhere.FindString(text); found != "" {
			t.Errorf("%s names something elsewhere: %q", name, found)
		}
		if found := markup.FindString(text); found != "" {
			t.Errorf("%s makes markup or code of text: %q", name, found)
		}
		if found := inline.FindString(text); found != "" && strings.HasSuffix(name, ".html") {
			t.Errorf("%s has something inline, which its policy forbids: %q", name, found)
		}
		if name != "index.html" && !strings.Contains(all, `"`+name+`"`) && !strings.Contains(all, `"./`+name+`"`) {
			t.Errorf("%s is loaded by no other file", name)
		}
	}
}
