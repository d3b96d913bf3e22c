package answer

import "net/http"

// Class says how long an answer holds, and so which Cache-Control it gets (RFC 9111 section 5.2.2).
type Class uint8

// The numbers of the classes are part of the binary form.
const (
	// NoStore is for answers that nobody may keep. They have no entity tag.
	NoStore Class = iota + 1
	// Tip is for answers that hold until the next block, or until the mempool changes. Clients may keep them, and have to ask
	// each time.
	Tip
	// Settled is for answers about blocks so deep that a reorganisation is not expected: good for an hour.
	Settled
	// Immutable is for answers that can't change: good for a year.
	Immutable
	// TipPlainErrors is Tip for clients that know errors without Cache-Control: those that are theirs (4xx) have none.
	TipPlainErrors

	classes // one more than the last
)

// noStore is what errors get too, whatever their class: an error that a client keeps outlives its cause.
var noStore = []string{"no-store"}

var cacheControls = [classes][]string{
	NoStore:   noStore,
	Tip:       {"public, no-cache, must-revalidate"},
	Settled:   {"public, max-age=3600, must-revalidate"},
	Immutable: {"public, max-age=31536000, immutable"},

	TipPlainErrors: {"public, no-cache, must-revalidate"},
}

// cacheControl is the value of Cache-Control at a height of the Bitcoin chain; nil for none.
func (a *Answer) cacheControl(burnHeight int64) []string {
	switch {
	case a.class == TipPlainErrors && a.status >= http.StatusBadRequest && a.status < http.StatusInternalServerError:
		return nil
	case a.status >= http.StatusBadRequest:
		return noStore
	case a.class == Tip && a.settlesAt != 0 && burnHeight >= a.settlesAt:
		return cacheControls[Settled]
	default:
		return cacheControls[a.class]
	}
}

// CacheControl is the value of Cache-Control of a successful answer of the class, before it has settled.
func (c Class) CacheControl() string { return cacheControls[c][0] }
