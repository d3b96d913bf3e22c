package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"strata/domain/fetch"
)

// parse reads an address that can be asked.
func parse(raw string) (*url.URL, error) {
	address, err := url.Parse(raw)
	if err != nil {
		// The error of url.Parse quotes the address, with credentials in it.
		var quoting *url.Error
		if errors.As(err, &quoting) {
			err = quoting.Err
		}
		return nil, &failure{fetch.FailureURI, fmt.Sprintf("the address can't be read: %v", err)}
	}
	return address, askable(address)
}

// askable says why an address can't be asked, and else makes sure that it is one word of a request line.
func askable(address *url.URL) error {
	if address.Scheme != "http" && address.Scheme != "https" {
		return &failure{fetch.FailureURI, fmt.Sprintf("scheme %q can't be asked: want http or https", address.Scheme)}
	}
	if address.Hostname() == "" {
		return &failure{fetch.FailureURI, "the address names no host"}
	}
	address.RawQuery = escapeQuery(address.RawQuery)
	return nil
}

// escapeQuery writes what a query may not hold (RFC 3986 3.4) as %XX: net/url keeps queries as they are, and a blank
// would end the address in the request line. What is escaped stays as it is.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// userinfo matches the beginning of an address up to its credentials, which end at the last @ of the authority.
var userinfo = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*:)?(//)?[^/?#]*@`)

// bare is an address without credentials, to be shown. It also takes what is no address.
func bare(raw string) string {
	return strings.ToValidUTF8(userinfo.ReplaceAllString(raw, "$1$2"), "\uFFFD")
}

// hostName is the name under which a host's state is kept: without a port when it is the scheme's own, so that http
// and https of a host are one.
func hostName(address *url.URL) string {
	host := canonicalHost(address.Hostname())
	if port := portOf(address); port != "80" && port != "443" {
		return net.JoinHostPort(host, port)
	}
	return host
}

// origin is scheme, host and port (RFC 6454 4).
func origin(address *url.URL) string {
	return address.Scheme + "://" + net.JoinHostPort(canonicalHost(address.Hostname()), portOf(address))
}

func portOf(address *url.URL) string {
	if port := address.Port(); port != "" {
		return port
	}
	if address.Scheme == "https" {
		return "443"
	}
	return "80"
}

// canonicalHost writes a host in one way: lower case, no dot at the end, the short form of IPv6.
func canonicalHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}
