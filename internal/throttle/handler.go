package throttle

import (
	"io"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Handler returns a handler that answers 429 to clients with too many requests, and gives all others to next. Every answer
// says how many requests the client has left (RateLimit-Limit, RateLimit-Remaining), and in how many seconds it has all of
// them again (RateLimit-Reset).
func (t *Throttle) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bucket := t.bucketOf(r.RemoteAddr)
		wait, ok := allow(bucket)
		left := max(bucket.Tokens(), 0)
		header := w.Header()
		header["Ratelimit-Limit"] = []string{strconv.Itoa(t.burst)}
		header["Ratelimit-Remaining"] = []string{strconv.Itoa(int(left))}
		header["Ratelimit-Reset"] = []string{strconv.Itoa(int(math.Ceil((float64(t.burst) - left) / float64(t.limit))))}
		if ok {
			next.ServeHTTP(w, r)
			return
		}
		header["Retry-After"] = []string{strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)}
		header["Access-Control-Allow-Origin"] = []string{"*"}
		header["Cache-Control"] = []string{"no-store"}
		header["Content-Type"] = []string{"application/json; charset=utf-8"}
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"statusCode":429,"error":"Too Many Requests","message":"too many requests from your address; try again after the seconds in Retry-After"}`)
	})
}
