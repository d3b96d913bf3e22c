package observer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// bearerToken compares digests, so that the time of a comparison does not even reveal the token's length.
type bearerToken struct {
	digest [sha256.Size]byte
}

func newBearerToken(token string) *bearerToken {
	if token == "" {
		return nil
	}
	return &bearerToken{digest: sha256.Sum256([]byte(token))}
}

// isIn reports whether the Authorization header carries the token (RFC 6750 section 2.1).
func (t *bearerToken) isIn(h http.Header) bool {
	scheme, credentials, _ := strings.Cut(h.Get("Authorization"), " ")
	digest := sha256.Sum256([]byte(strings.TrimSpace(credentials)))
	equal := subtle.ConstantTimeCompare(digest[:], t.digest[:]) == 1
	return strings.EqualFold(scheme, "Bearer") && equal
}
