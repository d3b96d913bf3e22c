package answer

import (
	"net/http"
	"strconv"
	"strings"
)

// rangesMax is the maximum number of ranges in a request.
const rangesMax = 4

// WithFewRanges returns a request without its ranges if there are many of them, or if they are not in ascending order, so that
// the body would be read here and there: the client then gets the whole body. A server may ignore ranges (RFC 9110 section
// 14.2). A single range stays, whatever it says.
func WithFewRanges(r *http.Request) *http.Request {
	lines := r.Header["Range"]
	if len(lines) == 0 || len(lines) == 1 && ascend(lines[0]) {
		return r
	}
	whole := *r
	whole.Header = r.Header.Clone()
	whole.Header.Del("Range")
	return &whole
}

// ascend reports whether ranges are few, and each begins after the one before has ended. A range of the last bytes, or one
// without an end, is the last one.
func ascend(line string) bool {
	ranges := strings.Split(strings.TrimPrefix(line, "bytes="), ",")
	if len(ranges) == 1 {
		return true
	}
	end := int64(-1) // of the ranges before
	for i, text := range ranges {
		first, last, ok := strings.Cut(strings.TrimSpace(text), "-")
		if !ok || i >= rangesMax {
			return false
		}
		isLast := i == len(ranges)-1
		if first == "" && isLast {
			return true
		}
		from, err := strconv.ParseInt(first, 10, 64)
		if err != nil || from <= end {
			return false
		}
		if last == "" {
			return isLast
		}
		if end, err = strconv.ParseInt(last, 10, 64); err != nil {
			return false
		}
	}
	return true
}
