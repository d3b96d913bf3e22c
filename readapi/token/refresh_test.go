package token_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/testkit/check"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// wishes notes what it is told.
type wishes struct {
	mu    sync.Mutex
	noted []fetch.Refresh
	err   error
}

func (w *wishes) note(_ context.Context, wish fetch.Refresh) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.noted = append(w.noted, wish)
	}
	return w.err
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	noted := &wishes{}
	s := apitest.NewTokenSiteOn(t, replay.Databases.New(t), readapi.Config{Refresh: noted.note})
	s.Contract(token.NFT, apitest.N1, nil)
	s.Unread(token.NFT, apitest.N1, "3", nil)
	all, third := `{"contract_id":"`+apitest.N1+`"}`, `{"contract_id":"`+apitest.N1+`","token_id":"003"}`
	const contractPattern = `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}$`
	for i, tc := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/metadata/v1/refresh", all, 202, `{"accepted":true}`},
		{"/metadata/refresh", third, 202, `{"accepted":true}`},
		{"/metadata/v1/refresh/", `{"contract_id":"` + apitest.N1 + `","more":1}`, 202, `{"accepted":true}`},
		{"/metadata/v1/refresh", `{"contract_id":"` + apitest.P1 + `"}`, 404, noContract},
		{"/metadata/v1/refresh", `{"contract_id":"` + apitest.N1 + `","token_id":"4"}`, 404, noToken},
		{"/metadata/v1/refresh", `{"contract_id":"` + apitest.N1 + `","token_id":"340282366920938463463374607431768211456"}`, 404, noToken},
		{"/metadata/v1/refresh", `{}`, 400, apitest.Invalid("body must have required property 'contract_id'")},
		{"/metadata/v1/refresh", `[]`, 400, apitest.Invalid("body must be object")},
		{"/metadata/v1/refresh", `null`, 400, apitest.Invalid("body must be object")},
		{"/metadata/v1/refresh", all + all, 400, apitest.Invalid("body must be object")},
		{"/metadata/v1/refresh", `{"contract_id":1}`, 400, apitest.Invalid("body/contract_id must be string")},
		{"/metadata/v1/refresh", `{"contract_id":null}`, 400, apitest.Invalid("body/contract_id must be string")},
		{"/metadata/v1/refresh", `{"contract_id":"x"}`, 400, apitest.Invalid(`body/contract_id must match pattern \"` + contractPattern + `\"`)},
		{"/metadata/v1/refresh", `{"contract_id":"` + apitest.N1 + `","token_id":3}`, 400, apitest.Invalid("body/token_id must be string")},
		{"/metadata/v1/refresh", `{"contract_id":"` + apitest.N1 + `","token_id":"-3"}`, 400, apitest.Invalid(`body/token_id must match pattern \"^[0-9]{1,39}$\"`)},
	} {
		got := s.Wish(tc.path, tc.body, fmt.Sprintf("192.0.2.%d:80", i))
		if got.Status != tc.status || got.Body != tc.want || got.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("POST %s %s\n got %d %s\nwant %d %s", tc.path, tc.body, got.Status, got.Body, tc.status, tc.want)
		}
		if _, found := got.Header["Cache-Control"]; found && got.Status == 404 {
			t.Errorf("%s: got Cache-Control %q", tc.body, got.Header.Get("Cache-Control"))
		}
	}
	for _, body := range []string{"", strings.Repeat(" ", 5000) + all} {
		if got := s.Wish("/metadata/v1/refresh", body, "192.0.2.99:80"); got.Status/100 != 4 || !strings.Contains(got.Body, `"statusCode":`) {
			t.Errorf("%d bytes: got %d %s", len(body), got.Status, got.Body)
		}
	}
	var got []string
	for _, wish := range noted.noted {
		got = append(got, wish.Contract+" "+wish.TokenID)
		if _, err := wish.Encode(); err != nil || time.Since(wish.RequestedAt) > time.Minute {
			t.Errorf("got %+v (%v)", wish, err)
		}
	}
	check.EqualSlices(t, "refreshes", got, []string{apitest.N1 + " ", apitest.N1 + " 3", apitest.N1 + " "})
	noted.err = errors.New("the log is gone")
	if got := s.Wish("/metadata/v1/refresh", all, "192.0.2.100:80"); got.Status != 500 || strings.Contains(got.Body, "gone") || !strings.Contains(s.Log.String(), "the log is gone") {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

// Without somebody who notes wishes, there is no such route.
func TestNoRefresh(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, nil, readapi.Config{})
	got := s.Wish("/metadata/v1/refresh", `{}`, "192.0.2.1:80")
	if got.Status != 404 || got.Body != `{"message":"Route POST:/metadata/v1/refresh not found","error":"Not Found","statusCode":404}` {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

func TestRefreshLimits(t *testing.T) {
	t.Parallel()
	noted := &wishes{}
	s := apitest.NewTokenSiteOn(t, replay.Databases.New(t), readapi.Config{Refresh: noted.note})
	s.Contract(token.NFT, apitest.N1, nil)
	body := `{"contract_id":"` + apitest.N1 + `"}`
	count := func(n int, from func(i int) string) (accepted int) {
		for i := range n {
			switch got := s.Wish("/metadata/v1/refresh", body, from(i)); got.Status {
			case 202:
				accepted++
			case 429:
				if seconds, err := strconv.Atoi(got.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 60 || !strings.Contains(got.Body, `"statusCode":429`) {
					t.Errorf("got Retry-After %q, %s", got.Header.Get("Retry-After"), got.Body)
				}
			default:
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
		}
		return accepted
	}
	// One more may pass, when a bucket has filled up a little meanwhile.
	if got := count(12, func(i int) string { return fmt.Sprintf("192.0.2.1:%d", 1000+i) }); got < 5 || got > 6 {
		t.Errorf("one client: got %d accepted, want 5", got)
	}
	if got := count(12, func(i int) string { return fmt.Sprintf("[2001:db8::%x]:80", i) }); got < 5 || got > 6 {
		t.Errorf("one network of IPv6: got %d accepted, want 5", got)
	}
	start := time.Now()
	got := count(400, func(i int) string { return fmt.Sprintf("198.51.%d.%d:80", i/200, i%200) })
	if most := 50 + int(time.Since(start)/(200*time.Millisecond)) + 2; got < 40 || got > most {
		t.Errorf("all clients: got %d accepted, want 40 to %d", got, most)
	}
	if len(noted.noted) > 100 {
		t.Errorf("got %d wishes", len(noted.noted))
	}
}
