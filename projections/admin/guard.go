package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// CheckAddress says whether an address may be listened on with a token, or without one when it is empty: without one, only
// where nobody but this machine comes. loopback says that it is such an address.
func CheckAddress(address, token string) (loopback bool, err error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return false, fmt.Errorf("%q is no address to listen on: %w", address, err)
	}
	loopback = resolved.IP.IsLoopback() // no IP is every interface of the machine
	if !loopback && token == "" {
		return false, fmt.Errorf("%s can be reached from other machines, and whoever reaches it may drop tables: set a token, or listen on 127.0.0.1", address)
	}
	return loopback, nil
}

// guard lets through who may ask. It comes before everything, reads and the description included.
func (a *API) guard(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // reads say themselves who may keep them
		// Under a name that its owner has made to mean this machine, a page is of the same origin as what it asks. Where
		// others come too, it does not have the token.
		if a.config.Loopback && !ofThisMachine(r.Host) {
			writeFailure(w, &failureError{StatusCode: http.StatusForbidden, Message: fmt.Sprintf("%q is no name of this machine's own: ask for 127.0.0.1 or localhost", r.Host)})
			return
		}
		// Reads are refused like writes: a page of others has no business here, and the read API lets any origin read.
		asked := *r
		asked.Method = http.MethodPost
		if err := protection.Check(&asked); err != nil {
			writeFailure(w, &failureError{StatusCode: http.StatusForbidden, Message: "Pages of other origins may not ask here"})
			return
		}
		if !a.allowed(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="strata"`)
			writeFailure(w, &failureError{StatusCode: http.StatusUnauthorized, Message: "Send the header Authorization: Bearer, with the token that --admin-token or STRATA_ADMIN_TOKEN says"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allowed says whether a request shows the token, in a time that does not tell how much of it was right.
func (a *API) allowed(r *http.Request) bool {
	if a.config.Token == "" {
		return true
	}
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(shown))), sha256.Sum256([]byte(a.config.Token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// ofThisMachine says whether the Host of a request is a name that means this machine everywhere.
func ofThisMachine(host string) bool {
	name := host
	if split, _, err := net.SplitHostPort(host); err == nil {
		name = split
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}
