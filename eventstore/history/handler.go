package history

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Handler serves the history in a folder, as OpenSource reads it. Files never change, so that caches may keep them; head is asked for
// again each time.
func Handler(dir string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "a history is only read", http.StatusMethodNotAllowed)
			return
		}
		digest := strings.TrimSuffix(strings.TrimPrefix(path, "manifests/"), ".json")
		if path != headName && !paths.MatchString(path) && (!isDigest(digest) || path != ManifestPath(digest)) {
			http.NotFound(w, r)
			return
		}
		f, err := os.OpenInRoot(dir, filepath.FromSlash(path))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer func() { _ = f.Close() }()
		info, err := f.Stat()
		if err != nil || info.IsDir() {
			http.NotFound(w, r)
			return
		}
		kind, cache := "application/zstd", "public, max-age=31536000, immutable"
		switch {
		case path == headName:
			kind, cache = "text/plain; charset=utf-8", "no-cache"
		case strings.HasSuffix(path, ".json"):
			kind = "application/json"
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", cache)
		http.ServeContent(w, r, "", info.ModTime(), f)
	})
}
