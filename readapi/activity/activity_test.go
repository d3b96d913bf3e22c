package activity_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	projection "strata/projections/activity"
	"strata/readapi"
	"strata/readapi/activity"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// The endpoint shows the days of the projection, in pages, each day with the event that it comes from.
func TestActivity(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	config := synthchain.Everything(5, synthchain.V40)
	config.SigningSample = 1000
	made := synthchain.New(config)
	posts := replay.Take(120, made.Next)
	replay.Append(t, log, posts...)
	replay.Run(t, log, apitest.NewChain(t), projection.New())
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
	activity.Mount(s.API.Engine)

	var contract string
	var days, addresses int64
	must.Do(t, s.Pool.QueryRow(t.Context(), `SELECT contract_id, count(*), sum(addresses) FROM activity_v1.day GROUP BY 1 ORDER BY 2 DESC, 3 DESC LIMIT 1`).Scan(&contract, &days, &addresses))
	var shown []string
	var sum int64
	path := "/extended/v1/contract/" + contract + "/activity"
	for target := path + "?limit=1"; target != ""; {
		got := s.Get(target)
		if got.Status != http.StatusOK || got.Header.Get("Strata-Source") == "" {
			t.Fatalf("%s: got %d %v %s", target, got.Status, got.Header, got.Body)
		}
		var page struct {
			Cursor  struct{ Next *string }
			Results []struct {
				Day       string
				Addresses int64
			}
		}
		must.Do(t, json.Unmarshal([]byte(got.Body), &page))
		for _, d := range page.Results {
			shown, sum = append(shown, d.Day), sum+d.Addresses
		}
		if target = ""; page.Cursor.Next != nil {
			target = path + "?limit=1&cursor=" + *page.Cursor.Next
		}
	}
	if newest := slices.Clone(shown); int64(len(shown)) != days || sum != addresses || !slices.IsSortedFunc(newest, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("got the days %v with %d addresses, want %d with %d, newest first", shown, sum, days, addresses)
	}
	if got := s.Get(apitest.TracePath(path)); got.Status != http.StatusOK || !strings.Contains(got.Body, `"table":"activity_v1.day"`) && !strings.Contains(got.Body, `"activity`) {
		t.Errorf("the trace: got %d %s", got.Status, got.Body)
	}
	for target, want := range map[string]int{path + "?limit=0": 400, path + "?cursor=x": 400, "/extended/v1/contract/" + apitest.P1 + "/activity": 200} {
		s.ExpectTexts(target, want)
	}
}
