// Package tlsfile serves TLS with a certificate and key from files, and takes new ones when the files change, so that a
// certificate can be renewed without a restart.
package tlsfile

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// Pair is a certificate with its key. It is safe for concurrent use.
type Pair struct {
	certificate, key string // paths
	logger           *slog.Logger
	interval         time.Duration

	mu      sync.Mutex
	current *tls.Certificate
	stamp   string    // of the files that current, or the last attempt, came from
	looked  time.Time // at the files
}

// interval is how often the files are looked at, at most, and only while clients connect.
const interval = time.Second

// Open reads the files, so that mistakes are reported at the start.
func Open(certificate, key string, logger *slog.Logger) (*Pair, error) {
	p := &Pair{certificate: certificate, key: key, logger: logger, interval: interval}
	stamp, err := p.stampOf()
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	if p.current, err = p.load(); err != nil {
		return nil, err
	}
	p.stamp, p.looked = stamp, time.Now()
	return p, nil
}

// Listener returns l with TLS. It offers HTTP/1.1 only, because streams take over their connections.
func (p *Pair) Listener(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.get(), nil },
	})
}

// get returns the certificate for a new connection. Files that can't be read change nothing: the certificate before is better
// than none, and the log has the reason.
func (p *Pair) get() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < p.interval {
		return p.current
	}
	p.looked = time.Now()
	stamp, err := p.stampOf()
	if err == nil && stamp == p.stamp {
		return p.current
	}
	var loaded *tls.Certificate
	if err == nil {
		loaded, err = p.load()
	}
	if err != nil {
		if p.stamp != stamp { // once for each change
			p.logger.LogAttrs(context.Background(), slog.LevelWarn, "can't read the new TLS certificate; the one before is still used", slog.Any("error", err))
		}
	} else {
		p.current = loaded
		p.logger.LogAttrs(context.Background(), slog.LevelInfo, "TLS certificate reloaded", slog.String("file", p.certificate), slog.Time("not_after", loaded.Leaf.NotAfter))
	}
	p.stamp = stamp
	return p.current
}

func (p *Pair) load() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(p.certificate, p.key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", p.certificate, p.key, err)
	}
	return &pair, nil
}

// stampOf returns a text that changes when the files do.
func (p *Pair) stampOf() (stamp string, err error) {
	for _, path := range []string{p.certificate, p.key} {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		stamp += fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), " ")
	}
	return stamp, nil
}
