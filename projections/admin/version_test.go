package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/admin"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/ft"
	"strata/projections/version"
)

type switched struct{ Switches []version.Switch }

// A version is built, compared, read beside the active one, refused, activated, rolled back and dropped.
func TestVersions(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	active, next := balances.Version, balances.Version+1
	made := projections.Schema{Name: "balances", Version: next}
	versionPath := fmt.Sprintf("/balances/versions/%d", next)
	diffPath := fmt.Sprintf("/balances/diff?v1=%d&v2=%d", active, next)
	chosen := fmt.Sprintf("balances=%d", next)
	var list struct {
		Projections []struct {
			Name    string
			Version int
			Active  bool
			State   string
			Lag     *int64
		}
	}
	s.must(http.StatusOK, http.MethodGet, "", "", &list)
	if len(list.Projections) != len(s.lines.Definitions()) || list.Projections[0].Name != "balances" || !list.Projections[0].Active || list.Projections[0].Lag == nil {
		t.Errorf("got %+v, want the active versions", list)
	}
	var needed struct {
		Parts []version.EstimatePart
		Fits  bool
		Bytes int64
	}
	s.must(http.StatusOK, http.MethodGet, fmt.Sprintf("/balances/rebuild?to=%d&throttle=100", next+1), "", &needed)
	if len(needed.Parts) != 1 || needed.Parts[0].Version != next+1 || needed.Bytes == 0 || needed.Parts[0].Seconds == nil || !needed.Fits {
		t.Errorf("got %+v, want what version %d takes", needed, next+1)
	}
	var rebuilt struct{ Made []projections.Schema }
	s.must(http.StatusAccepted, http.MethodPost, "/balances/rebuild", `{"throttle": 1}`, &rebuilt)
	if len(rebuilt.Made) != 1 || rebuilt.Made[0] != made {
		t.Fatalf("made %v, want %s", rebuilt, made)
	}
	if got := s.ask(http.MethodPost, "/admin/v1/projections"+versionPath+"/activate", ""); got.status != http.StatusUnprocessableEntity ||
		!strings.Contains(got.body, `"check":"it has caught up"`) || !strings.Contains(got.body, `"advice":"Wait until`) {
		t.Errorf("what is behind: got %d %s", got.status, got.body)
	}
	var one struct{ Throttle *int }
	if s.must(http.StatusOK, http.MethodPost, versionPath+"/throttle", `{"per_second": 70000}`, &one); one.Throttle == nil || *one.Throttle != 70000 {
		t.Errorf("got throttle %v, want 70000", one.Throttle)
	}
	one.Throttle = nil
	if s.must(http.StatusOK, http.MethodPost, versionPath+"/throttle", `{"per_second": 0}`, &one); one.Throttle != nil {
		t.Errorf("got throttle %v, want none", *one.Throttle)
	}
	s.caughtUp(made)
	var named struct {
		Rules    *int
		Versions []version.Status
	}
	if s.must(http.StatusOK, http.MethodGet, "/balances", "", &named); named.Rules == nil || len(named.Versions) != 2 || named.Versions[1].Version != next || named.Versions[1].Active {
		t.Errorf("got %+v, want two versions", named)
	}
	var verified struct {
		version.Verification
		OK bool
	}
	if s.must(http.StatusOK, http.MethodPost, versionPath+"/verify", "", &verified); !verified.OK || verified.Findings == nil || verified.Version != next {
		t.Errorf("got %+v, want no findings", verified)
	}
	if got := s.must(http.StatusOK, http.MethodGet, diffPath, "", nil); got.body != "" || got.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("got %q (%v), want no differences", got.body, got.header)
	}

	// After an edit of its rows, the new version differs, can be read beside the active one, and can't be activated.
	var account, was string
	must.Do(t, s.pool().QueryRow(t.Context(), `SELECT account, balance::text FROM `+made.Table("holding")+` WHERE asset = 'stx' AND balance > 0 ORDER BY account LIMIT 1`).Scan(&account, &was))
	s.exec(`UPDATE `+made.Table("holding")+` SET balance = balance + 1 WHERE asset = 'stx' AND account = $1`, account)
	got := s.must(http.StatusOK, http.MethodGet, diffPath, "", nil)
	var difference version.Difference
	if err := json.Unmarshal([]byte(got.body), &difference); err != nil {
		t.Fatalf("got %q: %v", got.body, err)
	}
	if difference.Table != "holding" || *difference.Key[0].Text != account || len(difference.Columns) != 1 || *difference.Columns[0].Old != was || *difference.OldSeq == 0 {
		t.Errorf("got %s, want the holding of %s, of %s", got.body, account, was)
	}
	path := "/extended/v1/address/" + account + "/stx"
	before := s.ask(http.MethodGet, path, "")
	beside := s.ask(http.MethodGet, path, "", "Strata-Projection", chosen)
	if !strings.Contains(before.body, `"balance":"`+was+`"`) || before.header.Get("Strata-Projection") != "" {
		t.Errorf("the active version: got %v %s, want %s", before.header, before.body, was)
	}
	if strings.Contains(beside.body, `"balance":"`+was+`"`) || beside.header.Get("Strata-Projection") != chosen {
		t.Errorf("%s: got %v %s, want another balance than %s", made, beside.header, beside.body, was)
	}
	var unfit struct {
		StatusCode int
		Findings   []version.Finding
		Advice     string
	}
	s.must(http.StatusUnprocessableEntity, http.MethodPost, versionPath+"/activate", "", &unfit)
	if unfit.StatusCode != http.StatusUnprocessableEntity || len(unfit.Findings) == 0 || !strings.Contains(unfit.Advice, "build it again") {
		t.Errorf("got %+v, want findings", unfit)
	}
	if s.must(http.StatusOK, http.MethodPost, versionPath+"/verify", "", &verified); verified.OK || len(verified.Findings) == 0 {
		t.Errorf("got %+v, want findings", verified)
	}
	s.exec(`UPDATE ` + made.Table("holding") + ` SET source_seq = source_seq + 1`)
	if got := s.must(http.StatusOK, http.MethodGet, diffPath+"&limit=3", "", nil); strings.Count(got.body, "\n") != 3 {
		t.Errorf("got %q, want three lines", got.body)
	}
	s.exec(`UPDATE ` + made.Table("holding") + ` SET source_seq = source_seq - 1`)
	s.exec(`UPDATE `+made.Table("holding")+` SET balance = balance - 1 WHERE asset = 'stx' AND account = $1`, account)

	var turn switched
	s.must(http.StatusOK, http.MethodPost, versionPath+"/activate", "", &turn)
	if want := (version.Switch{Name: "balances", From: active, To: next}); len(turn.Switches) != 1 || turn.Switches[0] != want {
		t.Errorf("got %v, want %v", turn, want)
	}
	if got := s.must(http.StatusOK, http.MethodPost, versionPath+"/activate", "", nil); got.body != `{"switches":[]}`+"\n" {
		t.Errorf("again: got %s, want nothing to do", got.body)
	}
	if got := s.ask(http.MethodDelete, "/admin/v1/projections"+versionPath, ""); got.status != http.StatusConflict {
		t.Errorf("dropping the active version: got %d %s", got.status, got.body)
	}
	s.must(http.StatusOK, http.MethodPost, "/balances/rollback", "", &turn)
	if want := (version.Switch{Name: "balances", From: next, To: active}); len(turn.Switches) != 1 || turn.Switches[0] != want {
		t.Errorf("got %v, want %v", turn, want)
	}
	if got := s.must(http.StatusOK, http.MethodDelete, versionPath, "", nil); got.body != fmt.Sprintf(`{"dropped":{"name":"balances","version":%d}}`+"\n", next) {
		t.Errorf("got %s", got.body)
	}
	if got := s.ask(http.MethodGet, path, "", "Strata-Projection", chosen); got.status != http.StatusNotFound {
		t.Errorf("the dropped version: got %d %s, want 404", got.status, got.body)
	}
	if got := s.ask(http.MethodGet, path, ""); got.body != before.body {
		t.Errorf("got %s, want the same as before: %s", got.body, before.body)
	}
}

// With a leader, its followers are built and switched too.
func TestLeader(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var made struct{ Made []projections.Schema }
	s.must(http.StatusAccepted, http.MethodPost, "/chain/rebuild", "", &made)
	if len(made.Made) != len(s.lines.Definitions()) {
		t.Fatalf("made %v, want the line", made)
	}
	s.caughtUp(made.Made...)
	next := fmt.Sprintf("ft=%d", ft.Version+1)
	if got := s.ask(http.MethodGet, "/extended/v2/blocks/latest", "", "Strata-Projection", next); got.status != http.StatusOK || got.header.Get("Strata-Projection") != fmt.Sprintf("chain=%d", chain.Version+1) {
		t.Errorf("got %d %v, want the version of chain whose steps the new version of ft folds", got.status, got.header)
	}
	if got := s.ask(http.MethodGet, "/extended/v2/blocks/latest", "", "Strata-Projection", fmt.Sprintf("%s, balances=%d", next, balances.Version)); got.status != http.StatusConflict {
		t.Errorf("of two lists of steps: got %d %s", got.status, got.body)
	}
	if got := s.ask(http.MethodPost, fmt.Sprintf("/admin/v1/projections/ft/versions/%d/activate", ft.Version+1), ""); got.status != http.StatusConflict || !strings.Contains(got.body, "activate them together") {
		t.Errorf("without its leader: got %d %s", got.status, got.body)
	}
	var turn switched
	if s.must(http.StatusOK, http.MethodPost, fmt.Sprintf("/chain/versions/%d/activate", chain.Version+1), "", &turn); len(turn.Switches) != len(s.lines.Definitions()) {
		t.Errorf("got %v, want a switch for each projection of the line", turn)
	}
	if got := s.ask(http.MethodDelete, fmt.Sprintf("/admin/v1/projections/chain/versions/%d", chain.Version), ""); got.status != http.StatusConflict || !strings.Contains(got.body, "drop these first") {
		t.Errorf("a leader that is followed: got %d %s", got.status, got.body)
	}
}

// A rebuild that does not fit on the disk is refused, unless it is forced.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	const full = "/proc" // has no free space
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	s := newSite(t, func(c *admin.Config) { c.DataDir = full })
	if got := s.ask(http.MethodPost, "/admin/v1/projections/ft/rebuild", ""); got.status != http.StatusInsufficientStorage || !strings.Contains(got.body, `\"force\": true`) {
		t.Errorf("got %d %s, want no room", got.status, got.body)
	}
	s.must(http.StatusAccepted, http.MethodPost, "/ft/rebuild", `{"force": true}`, nil)
}

// A projection without any version can't be rebuilt: its first version is built by itself, and a rebuilt one would not
// become active.
func TestFirstVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.exec(`DELETE FROM strata.active WHERE name = 'ft'`)
	s.exec(`UPDATE strata.projection SET name = 'other' WHERE name = 'ft'`)
	for _, name := range []string{"ft", "chain"} {
		if got := s.ask(http.MethodPost, "/admin/v1/projections/"+name+"/rebuild", ""); got.status != http.StatusConflict || !strings.Contains(got.body, "projection ft: there is no version of it yet") {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
	s.must(http.StatusAccepted, http.MethodPost, "/balances/rebuild", "", nil)
}

// A stopped version can be resumed.
func TestResume(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.stop() // A follower may write that the version is live.
	s.exec(`UPDATE strata.projection SET state = 'failed', error = 'a bug', error_position = 5 WHERE name = 'ft'`)
	if got := s.must(http.StatusOK, http.MethodGet, "/ft", "", nil); !strings.Contains(got.body, `"error":"a bug"`) {
		t.Errorf("got %s", got.body)
	}
	s.must(http.StatusOK, http.MethodPost, "/ft/resume", "", nil)
	var state string
	if err := s.pool().QueryRow(t.Context(), `SELECT state FROM strata.projection WHERE name = 'ft'`).Scan(&state); err != nil || state != version.StateBuilding {
		t.Errorf("it is %s (%v), want it to be built", state, err)
	}
}

// Operations that can't be done are refused with a reason and advice.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.must(http.StatusAccepted, http.MethodPost, "/ft/rebuild", `{"to": 7}`, nil)
	s.caughtUp(projections.Schema{Name: "ft", Version: 7})
	for _, tc := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/none", "", 404, "no such projection"},
		{"GET", "/none/rebuild", "", 404, "no such projection"},
		{"POST", "/none/rebuild", "{}", 404, "no such projection"},
		{"POST", "/none/rollback", "", 404, "no such projection"},
		{"POST", "/none/resume", "", 404, "no such projection"},
		{"POST", "/none/versions/1/verify", "", 404, "no such projection"},
		{"POST", "/none/versions/1/activate", "", 404, "no such version"},
		{"GET", "/none/diff?v1=1&v2=2", "", 404, "no such projection"},
		{"POST", "/ft/versions/9/verify", "", 404, "no such version"},
		{"POST", "/ft/versions/9/activate", "", 404, "no such version"},
		{"POST", "/ft/versions/9/throttle", `{"per_second": 1}`, 404, "no such version"},
		{"DELETE", "/ft/versions/9", "", 404, "no such version"},
		{"GET", "/ft/diff?v1=1&v2=9", "", 404, "no such version"},
		{"POST", "/ft/rebuild", `{"to": 7}`, 409, "Leave the number out"},
		{"GET", "/ft/rebuild?to=7", "", 409, "Leave the number out"},
		{"POST", "/ft/rollback", "", 409, "Activate the version that you want"},
		{"POST", "/ft/resume", "", 409, "no version of projection ft has stopped"},
		{"DELETE", fmt.Sprintf("/ft/versions/%d", ft.Version), "", 409, "Activate another version first"},
		{"DELETE", fmt.Sprintf("/chain/versions/%d", chain.Version), "", 409, "active version"},
		{"POST", "/ft/rebuild", `{"to": -1}`, 400, ""},
		{"POST", "/ft/rebuild", `{"to": "x"}`, 400, ""},
		{"POST", "/ft/rebuild", `{`, 400, ""},
		{"POST", "/ft/versions/0/activate", "", 400, ""},
		{"POST", "/ft/versions/x/activate", "", 400, ""},
		{"POST", "/ft/versions/1073741824/activate", "", 400, ""},
		{"POST", "/FT/rollback", "", 400, ""},
		{"GET", "/ft/diff?v1=1", "", 400, ""},
		{"POST", "/ft/versions/7/throttle", ``, 400, ""},
		{"GET", "/ft/nothing", "", 404, "/openapi.json"},
		{"PUT", "/ft/rollback", "", 404, "/openapi.json"},
	} {
		got := s.ask(tc.method, "/admin/v1/projections"+tc.path, tc.body)
		var said struct {
			StatusCode     int
			Error, Message string
		}
		if err := json.Unmarshal([]byte(got.body), &said); err != nil {
			t.Errorf("%s %s: got %s: %v", tc.method, tc.path, got.body, err)
		}
		if got.status != tc.status || said.StatusCode != tc.status || said.Error != http.StatusText(tc.status) || said.Message == "" || !strings.Contains(got.body, tc.want) {
			t.Errorf("%s %s %s: got %d %s, want %d with %q", tc.method, tc.path, tc.body, got.status, got.body, tc.status, tc.want)
		}
	}
	s.exec(`UPDATE strata.projection SET rules = 9 WHERE name = 'ft' AND version = 7`)
	for _, path := range []string{"/ft/versions/7/activate", "/ft/versions/7/verify"} {
		if got := s.ask(http.MethodPost, "/admin/v1/projections"+path, ""); got.status != http.StatusConflict || !strings.Contains(got.body, "other rules than this program") {
			t.Errorf("%s, of other rules: got %d %s", path, got.status, got.body)
		}
	}
	if logged := s.logged.String(); !strings.Contains(logged, fmt.Sprintf("level=WARN msg=administration operation=drop-version projection=ft_v%d error=", ft.Version)) ||
		!strings.Contains(logged, "level=INFO msg=administration operation=rebuild-projection projection=ft to=7") {
		t.Errorf("the log is %s", logged)
	}
}
