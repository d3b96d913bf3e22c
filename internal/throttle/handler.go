package throttle

import (
	"io"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Handler returns a handler that answers 429 to clients with too many requests, and gives all others to next. Every answer
// has the fields that Show sets. A nil throttle has next as its handler.
func (t *Throttle) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowed, header := t.Take(r.RemoteAddr), w.Header()
		if allowed.Show(header) {
			next.ServeHTTP(w, r)
			return
		}
		header["Retry-After"] = []string{seconds(allowed.Wait)}
		header["Access-Control-Allow-Origin"] = []string{"*"}
		header["Cache-Control"] = []string{"no-store"}
		header["Content-Type"] = []string{"application/json; charset=utf-8"}
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"statusCode":429,"error":"Too Many Requests","message":"too many requests from your address; try again after the seconds in Retry-After"}`)
	})
}

// Show says in the header of an answer how many requests the client has left (RateLimit-Limit, RateLimit-Remaining), and in
// how many seconds it has all of them again (RateLimit-Reset), and reports whether the request is allowed. If another limit
// has said so before, and leaves the client less, that stays.
func (a Allowance) Show(header http.Header) (ok bool) {
	if a.Limit == 0 {
		return a.OK
	}
	if before := header["Ratelimit-Remaining"]; a.OK && len(before) == 1 {
		if left, err := strconv.Atoi(before[0]); err == nil && left < a.Left {
			return true
		}
	}
	header["Ratelimit-Limit"] = []string{strconv.Itoa(a.Limit)}
	header["Ratelimit-Remaining"] = []string{strconv.Itoa(a.Left)}
	header["Ratelimit-Reset"] = []string{seconds(a.Reset)}
	return a.OK
}

// seconds returns a time in seconds, rounded up to a thousandth at first, so that the time that a request takes does not
// count.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64(math.Ceil(d.Round(time.Millisecond).Seconds())), 10)
}
