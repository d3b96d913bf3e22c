package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// CheckAddress returns an error for an address that must not be listened on with this token: without a token, only a
// loopback address is allowed. loopback says whether it is one.
func CheckAddress(address, token string) (loopback bool, err error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return false, fmt.Errorf("%q is not an address to listen on: %w", address, err)
	}
	loopback = resolved.IP.IsLoopback() // no IP means all interfaces of the machine
	if !loopback && token == "" {
		return false, fmt.Errorf("%s can be reached from other machines, and whoever reaches it may drop tables: set a token, or listen on 127.0.0.1", address)
	}
	return loopback, nil
}

// guard refuses requests that have no access. It comes before everything else, reads and the description included.
func (a *API) guard(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // the handler of reads sets its own
		// A stranger can let a host name of his own resolve to this machine (DNS rebinding). His page then has the same
		// origin as the API. On other addresses than loopback such a page lacks the token.
		if a.config.Loopback && !namesThisMachine(r.Host) {
			writeFailure(w, &failureError{StatusCode: http.StatusForbidden, Message: fmt.Sprintf("%q is not a name of this machine: ask for 127.0.0.1 or localhost", r.Host)})
			return
		}
		// Check lets all reads through, so it is given a write: the read API allows any origin to read, but pages of
		// other origins must not reach this API at all.
		write := *r
		write.Method = http.MethodPost
		if err := protection.Check(&write); err != nil {
			writeFailure(w, &failureError{StatusCode: http.StatusForbidden, Message: "Requests from pages of other origins are refused"})
			return
		}
		if !a.authorized(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="strata"`)
			writeFailure(w, &failureError{StatusCode: http.StatusUnauthorized, Message: "Send the header Authorization: Bearer, with the token of --admin-token or STRATA_ADMIN_TOKEN"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authorized reports whether a request has the token. It takes the same time however much of the token is right.
func (a *API) authorized(r *http.Request) bool {
	if a.config.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(a.config.Token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// namesThisMachine reports whether the Host of a request is a name that always means this machine.
func namesThisMachine(host string) bool {
	name := host
	if split, _, err := net.SplitHostPort(host); err == nil {
		name = split
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}
