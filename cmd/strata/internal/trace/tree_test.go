package trace

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"strata/internal/testkit/must"
)

// Text from outside does not move the cursor of a terminal.
func TestTreeIsVisible(t *testing.T) {
	t.Parallel()
	next := "1:entries of it's"
	trace := answer{Path: "/a\x1b[2J", Operation: "x", Status: 200}
	trace.Cursor.Next = &next
	must.Do(t, json.Unmarshal([]byte(`[{"table":"brc20_v1.token","key":{"ticker":"\u001b[31m\u009b"},"values":{"tick":null,"decimals":18,"parents":["\u001b"]},"sources":[{"column":"source_seq","seq":4,"pointers":["","/a\u0007"]}]}]`), &trace.Rows))
	trace.Events = []event{{Seq: 4, Path: "/\x1bp", Body: "/body", Proof: "/proof"}}
	var b bytes.Buffer
	must.Do(t, trace.write(&b, "http://127.0.0.1:3999"))
	if strings.ContainsAny(b.String(), "\x1b\x07\u009b") {
		t.Errorf("got %q", b.String())
	}
	for _, want := range []string{"decimals=18", "at all of it, /a", `--cursor '1:entries of it'\''s'`, "http://127.0.0.1:3999/proof"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
	if strings.Contains(b.String(), "tick=") {
		t.Errorf("got %q, want no column that is null", b.String())
	}
}
