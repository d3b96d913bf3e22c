package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"strata/domain/fetch"
	"strata/internal/edge"
)

// dialer connects to allowed destinations. It resolves a host once, and dials the addresses that it has checked. So the
// host's name server gains nothing by giving another answer the second time.
type dialer struct {
	resolver  Resolver
	allowList *allowList
	timeout   time.Duration
}

// dial implements http.Transport's DialContext.
func (d *dialer) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	addresses, err := d.destinations(ctx, canonicalHost(host), port)
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
func (d *dialer) destinations(ctx context.Context, host, port string) ([]netip.Addr, error) {
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

func (d *dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	if endsInNumber(host) {
		return nil, refused("%s is an IPv4 address in disguise", host)
	}
	addresses, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		// The error of net names the resolver of this network, which must not get into a report.
		var unknown *net.DNSError
		if errors.As(err, &unknown) {
			return nil, &failure{fetch.FailureConnection, fmt.Sprintf("lookup of %s: %s", host, unknown.Err)}
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
	return &failure{fetch.FailureRefused, fmt.Sprintf(format, arguments...)}
}
