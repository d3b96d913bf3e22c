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

// Sizes of the database of reads. Hot reads use a few accounts again and again, cold ones always another account. The
// number of accounts is prime, so that all of them have ledger rows.
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

// reads returns the database of the measurements of reads. The first call creates it.
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
	err = execAll(ctx, pool,
		balances.Spec().SQL(`INSERT INTO {schema}.stx_lock (height, source_seq, unlock_height, position, tx_index, pox_version, amount, account, cause, pointer, txid)
			SELECT 1, 1, 1000000000, 0, 0, 4, 5, name, 'stx_lock_event', '/events/0', sha256(name::bytea) FROM public.account`),
		balances.Spec().SQL(`ANALYZE {schema}.stx_lock`),
	)
	if err != nil {
		return "", err
	}
	b.readsURL = url
	return url, nil
}

// conditions are what a request's header contains. The zero value is nothing.
type conditions struct {
	encoding    string // accepted encoding
	conditional bool   // the client already has the answer
}

// record requests each target from the server. It returns the answers, and the requests that must get the same answers
// again.
func record(ctx context.Context, server *server, targets []string, with conditions) (*constants, *requestList, error) {
	c, list := &constants{Answers: map[string]constant{}}, &requestList{}
	for _, target := range targets {
		header := http.Header{}
		if with.encoding != "" {
			header.Set("Accept-Encoding", with.encoding)
		}
		answer, err := get(ctx, server.api+target, header)
		if err == nil && with.conditional {
			header.Set("If-None-Match", answer.Header.Get("Etag"))
			answer, err = get(ctx, server.api+target, header)
		}
		if err != nil {
			return nil, nil, err
		}
		answer.Header.Del("Date") // net/http sets it
		c.Answers[target] = answer
		list.all = append(list.all, preparedRequest{request(target, header), answer.Status, len(answer.Body)})
	}
	return c, list, nil
}

// request returns the bytes of a GET request.
func request(target string, header http.Header) []byte {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "GET %s HTTP/1.1\r\nHost: strata\r\n", target)
	_ = header.Write(&text)
	text.WriteString("\r\n")
	return []byte(text.String())
}

// verbatim is a client that does not decode bodies.
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
