package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func (w *world) dump(base string, r row, got answer) {
	dir := os.Getenv("TRACEDUMP")
	if dir == "" || r.method != "GET" || r.varying == streaming {
		return
	}
	os.MkdirAll(dir, 0o755)
	get := func(u string) string {
		resp, err := http.Get(base + u)
		if err != nil {
			w.T.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return fmt.Sprint(resp.StatusCode, "\n", string(b))
	}
	text := get("/audit/v1/trace?limit=200&path=" + url.QueryEscape(got.target))
	status, body, _ := strings.Cut(text, "\n")
	var v any
	json.Unmarshal([]byte(body), &v)
	b, _ := json.Marshal(map[string]any{"target": got.target, "op": r.operation, "status": status, "body": v, "source": got.header.Get("Strata-Source")})
	f, _ := os.OpenFile(dir+"/all.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	f.Write(append(b, 10))
	f.Close()
}
