package postgres

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// consulted matches the log that pg_upgrade refers to when it has failed.
var consulted = regexp.MustCompile(`last few lines of "([^"]+)"`)

// upgradeFailure says in a line why pg_upgrade failed: the errors in the logs that its output refers to, which are removed
// afterwards, or else the lines of its output that do not say that something is well.
func (h home) upgradeFailure(out []byte) string {
	var found []byte
	for _, match := range consulted.FindAllSubmatch(out, -1) {
		path := string(match[1])
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.workDir(), path)
		}
		log, err := os.ReadFile(path)
		if err != nil {
			continue // the output alone has to do
		}
		for line := range bytes.Lines(log) {
			if slices.ContainsFunc([]string{"error:", "ERROR:", "FATAL:", "DETAIL:", "HINT:"}, func(sign string) bool { return bytes.Contains(line, []byte(sign)) }) {
				found = append(append(found, bytes.TrimSpace(line)...), '\n')
			}
		}
	}
	if len(found) > 0 {
		return lastLines(found)
	}
	var kept []byte
	for line := range bytes.Lines(out) {
		text := bytes.TrimSpace(line)
		if !bytes.HasSuffix(text, []byte(" ok")) && !bytes.HasPrefix(text, []byte("---")) {
			kept = append(append(kept, text...), '\n')
		}
	}
	return lastLines(kept)
}
