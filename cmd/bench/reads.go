package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections/balances"
)

// What is read through the cache: few accounts again and again, or ever other ones. The number is prime, so that all
// accounts have changes.
const (
	readAccounts = 199_999
	readRows     = 400_000
	readBlocks   = readRows / ledgerPerBlock
	hotAccounts  = 299
)

const blocksTarget = "/extended/v2/blocks"

func balanceTarget(account int) string {
	return "/extended/v2/addresses/" + benchAccount(account) + "/balances/stx"
}

func hotTargets() []string {
	targets := make([]string, hotAccounts)
	for i := range targets {
		targets[i] = balanceTarget(i)
	}
	return targets
}

// reads is the database of all these measurements, made for the first of them.
func (b *bench) reads(ctx context.Context) (url string, err error) {
	if b.readsURL != "" {
		return b.readsURL, nil
	}
	if url, err = b.ledger(ctx, "reads", readAccounts, readRows); err != nil {
		return "", err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	for _, query := range []string{
		balances.Spec().SQL(`INSERT INTO {schema}.stx_lock (height, source_seq, unlock_height, position, tx_index, pox_version, amount, account, cause, pointer, txid)
			SELECT 1, 1, 1000000000, 0, 0, 4, 5, name, 'stx_lock_event', '/events/0', sha256(name::bytea) FROM public.account`),
		balances.Spec().SQL(`ANALYZE {schema}.stx_lock`),
	} {
		if _, err := pool.Exec(ctx, query); err != nil {
			return "", fmt.Errorf("%.60s…: %w", query, err)
		}
	}
	b.readsURL = url
	return url, nil
}

// asked is what a request says beside its target. The zero value is nothing.
type asked struct {
	encoding string // that is accepted
	repeated bool   // the client has the answer
}

// record has the server answer each target, keeps what it says, and prepares the requests that have to get the same.
func record(ctx context.Context, server *server, targets []string, asked asked) (*constants, *aims, error) {
	c, a := &constants{Answers: map[string]constant{}}, &aims{}
	for _, target := range targets {
		header := http.Header{}
		if asked.encoding != "" {
			header.Set("Accept-Encoding", asked.encoding)
		}
		answer, err := get(ctx, server.api+target, header)
		if err == nil && asked.repeated {
			header.Set("If-None-Match", answer.Header.Get("Etag"))
			answer, err = get(ctx, server.api+target, header)
		}
		if err != nil {
			return nil, nil, err
		}
		answer.Header.Del("Date") // net/http sets it
		c.Answers[target] = answer
		a.all = append(a.all, aim{request(target, header), answer.Status, len(answer.Body)})
	}
	return c, a, nil
}

// request is a GET as it goes over the wire.
func request(target string, header http.Header) []byte {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "GET %s HTTP/1.1\r\nHost: strata\r\n", target)
	_ = header.Write(&text)
	text.WriteString("\r\n")
	return []byte(text.String())
}

// verbatim leaves bodies in the encoding that they were sent in.
var verbatim = &http.Client{Transport: &http.Transport{DisableCompression: true}}

func get(ctx context.Context, url string, header http.Header) (c constant, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return c, err
	}
	r.Header = header.Clone()
	response, err := verbatim.Do(r)
	if err != nil {
		return c, err
	}
	defer func() { _ = response.Body.Close() }()
	c = constant{Status: response.StatusCode, Header: response.Header}
	if c.Body, err = io.ReadAll(response.Body); err != nil {
		return c, err
	}
	if c.Status != http.StatusOK && c.Status != http.StatusNotModified {
		return c, fmt.Errorf("%s: %s %s", url, response.Status, c.Body)
	}
	return c, nil
}
