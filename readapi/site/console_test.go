package site_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi"
	"strata/rig/apitest"
)

func TestConsoleFiles(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	page := s.Get("/console/")
	for _, target := range []string{"/console/", "/console/index.html", "/console/console.css", "/console/console.js", "/console/favicon.svg"} {
		got := s.Get(target)
		policy := got.Header.Get("Content-Security-Policy")
		if got.Status != http.StatusOK || got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("ETag") == "" ||
			got.Header.Get("Cache-Control") != "public, no-cache, must-revalidate" || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'; script-src 'self'; ") {
			t.Errorf("%s: got %d, %v", target, got.Status, got.Header)
		}
		check.Equal(t, fmt.Sprintf("%s: with its ETag", target), s.Request(http.MethodGet, target, "If-None-Match", got.Header.Get("ETag")).Status, http.StatusNotModified)
		if head := s.Request(http.MethodHead, target); head.Status != http.StatusOK || head.Body != "" || head.Header.Get("ETag") != got.Header.Get("ETag") {
			t.Errorf("HEAD %s: got %d, %d bytes", target, head.Status, len(head.Body))
		}
	}
	if got := page.Header.Get("Content-Type"); got != "text/html; charset=utf-8" || page.Body != s.Get("/console/index.html").Body {
		t.Errorf("got a page of type %q", got)
	}
	for target, location := range map[string]string{"/console": "console/", "/console?a=b": "console/?a=b"} {
		if got := s.Get(target); got.Status != http.StatusPermanentRedirect || got.Header.Get("Location") != location {
			t.Errorf("%s: got %d to %q, want 308 to %q", target, got.Status, got.Header.Get("Location"), location)
		}
	}
	for _, target := range []string{"/console/nothing", "/console/console", "/console/../console.go", "/console/a/b", "/console//"} {
		if got := s.Get(target); got.Status == http.StatusOK && target != "/console//" || strings.Contains(got.Body, "package") {
			t.Errorf("%s: got %d %.80q", target, got.Status, got.Body)
		}
	}
	if got := s.Request(http.MethodPost, "/console/"); got.Status == http.StatusOK {
		t.Errorf("POST: got %d", got.Status)
	}
}

// Each file is loaded by the page or another file, nothing is loaded from elsewhere, and no markup is made of data.
func TestConsoleIsSelfContained(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS("console"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile("console/" + name)
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
		text = strings.ReplaceAll(text, `"http://www.w3.org/2000/svg"`, "") // a name, which nobody loads
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
