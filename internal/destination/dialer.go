// Package destination keeps requests to addresses that strangers name away from machines that are not public.
package destination

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"strata/internal/edge"
)

// Resolver resolves host names. *net.Resolver implements it.
type Resolver interface {
	// LookupNetIP returns the IP addresses of a host; network is "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Dialer connects to allowed destinations. It resolves a host once, and dials the addresses that it has checked. So the
// host's name server gains nothing by giving another answer the second time.
type Dialer struct {
	resolver  Resolver
	allowList *allowList
	timeout   time.Duration
}

// NewDialer returns a dialer that also connects to what is allowed though it is not public (see CheckAllowed), or to everything. A nil
// resolver stands for the system's. A connection has a timeout.
func NewDialer(resolver Resolver, allowed []string, all bool, timeout time.Duration) *Dialer {
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	return &Dialer{resolver: resolver, allowList: newAllowList(allowed, all), timeout: timeout}
}

// RefusedError says why a destination gets no request.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// UnknownError is the error for a host that has no address. It does not name the resolver of this network, so that anybody may see it.
type UnknownError struct{ Host, Reason string }

func (e *UnknownError) Error() string { return fmt.Sprintf("lookup of %s: %s", e.Host, e.Reason) }

// Dial implements http.Transport's DialContext.
func (d *Dialer) Dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	addresses, err := d.destinations(ctx, Canonical(host), port)
	if err != nil {
		return nil, err
	}
	end, _ := ctx.Deadline()
	var failed error
	for i, ip := range addresses {
		// Each address gets an equal share of the remaining time, in case it does not answer at all.
		share := time.Until(end) / time.Duration(len(addresses)-i)
		single := edge.Dial(&net.Dialer{Timeout: max(share, time.Millisecond)})
		conn, err := single(ctx, network, net.JoinHostPort(ip.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// destinations returns the addresses of a host, at least one. It returns an error unless all of them are allowed. The
// host must be in canonical form.
func (d *Dialer) destinations(ctx context.Context, host, port string) ([]netip.Addr, error) {
	addresses, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(addresses) == 0 {
		return nil, refused("%s has no address", host)
	}
	if d.allowList.host(host, port) {
		return addresses, nil
	}
	for _, ip := range addresses {
		if !d.allowList.address(ip) {
			return nil, refused("%s leads to %s, which is not a public address", host, ip)
		}
	}
	return addresses, nil
}

func (d *Dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	if endsInNumber(host) {
		return nil, refused("%s is an IPv4 address in disguise", host)
	}
	addresses, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		var unknown *net.DNSError
		if errors.As(err, &unknown) {
			return nil, &UnknownError{host, unknown.Err}
		}
		return nil, fmt.Errorf("lookup of %s: %w", host, err)
	}
	return addresses, nil
}

// endsInNumber reports whether a host ends in a number, such as 2130706433, 0x7f.1 or 0177.0.0.1. No host name does,
// but old resolvers read such hosts as IPv4 addresses (WHATWG URL, "ends in a number").
func endsInNumber(host string) bool {
	label := host[strings.LastIndexByte(host, '.')+1:]
	if label != "" && strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(label, "0x")
	if !ok {
		return false
	}
	_, err := strconv.ParseUint(hex, 16, 64)
	return hex == "" || err == nil || errors.Is(err, strconv.ErrRange)
}

func refused(format string, arguments ...any) error {
	return &RefusedError{fmt.Sprintf(format, arguments...)}
}

// Canonical returns a host in canonical form: lower case, no dot at the end, and the short form of IPv6.
func Canonical(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}
