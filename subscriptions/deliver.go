package subscriptions

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"strata/eventstore"
	"strata/internal/destination"
	"strata/subscriptions/filter"
)

// Bounds of deliveries.
const (
	connectTimeout = 10 * time.Second
	attemptTimeout = 20 * time.Second // of all of an attempt: Standard Webhooks asks for 15 to 30 s
	atOnce         = 64               // endpoints
	answerMost     = 512              // bytes of an answer that are kept
	keptMessages   = 1000             // that were acknowledged, to be pulled again
	keptAttempts   = 100
)

// delays are those before each further attempt of a message: 77 hours in all. The first ones are short, because most endpoints are only
// being restarted.
var delays = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
	14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// retryAfterMost bounds what an endpoint asks for.
const retryAfterMost = 24 * time.Hour

// deliveries brings messages to endpoints, to each one after the other.
type deliveries struct {
	role   *Role
	delays []time.Duration
	client *http.Client
	wake   chan struct{}
	slots  chan struct{}

	mu  sync.Mutex
	all map[uuid.UUID]*delivery
}

// delivery is what has to be delivered to an endpoint. The holder of the row has one for each active subscription.
type delivery struct {
	id                         uuid.UUID
	filter                     *filter.Filter
	url, authorization, secret string
	sequence, delivered        int64
	failures                   int
	next                       time.Time
	busy                       bool
}

// newClient returns a client that follows no redirects, and reaches public addresses and those that are allowed.
func newClient(allowed []string, resolver destination.Resolver) *http.Client {
	return &http.Client{
		Timeout:       attemptTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{ // no Proxy: one from the environment would connect to addresses that were not checked
			DialContext:         destination.NewDialer(resolver, allowed, false, connectTimeout).Dial,
			TLSHandshakeTimeout: connectTimeout, ForceAttemptHTTP2: true, MaxIdleConns: 2 * atOnce, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}
}

// replace takes over all active subscriptions. What is under way goes on.
func (d *deliveries) replace(all []*subscription) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.all
	d.all = map[uuid.UUID]*delivery{}
	for _, s := range all {
		one := &delivery{
			id: s.id, filter: s.filter, url: s.url, authorization: s.authorization, secret: s.secret, sequence: s.sequence, delivered: s.delivered,
			failures: s.failures, next: s.nextAttempt,
		}
		if was := before[s.id]; was != nil && was.busy {
			was.sequence = s.sequence
			one = was
		}
		d.all[s.id] = one
	}
	d.signal()
}

func (d *deliveries) remove(id uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all, id)
}

// made says that there are messages up to a number.
func (d *deliveries) made(id uuid.UUID, sequence int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one := d.all[id]; one != nil {
		one.sequence = sequence
		d.signal()
	}
}

// delivered returns how many messages of a subscription were acknowledged.
func (d *deliveries) delivered(s *subscription) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one := d.all[s.id]; one != nil && one.url != "" {
		return one.delivered
	}
	return s.delivered
}

func (d *deliveries) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends.
func (d *deliveries) run(ctx context.Context) {
	var under sync.WaitGroup
	defer under.Wait()
	for ctx.Err() == nil {
		due, next := d.due(time.Now())
		for _, one := range due {
			select {
			case d.slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			under.Go(func() {
				defer func() { <-d.slots }()
				d.deliver(ctx, one)
			})
		}
		timer := time.NewTimer(next)
		select {
		case <-d.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// due returns those that have something to deliver now, and marks them as busy, and how long it takes until the next one has.
func (d *deliveries) due(now time.Time) (due []*delivery, next time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next = time.Minute
	for _, one := range d.all {
		switch wait := one.next.Sub(now); {
		case one.busy || one.url == "" || one.delivered >= one.sequence:
		case wait > 0:
			next = min(next, wait)
		default:
			one.busy = true
			due = append(due, one)
		}
	}
	return due, next
}

// deliver delivers what there is for an endpoint, until an attempt fails.
func (d *deliveries) deliver(ctx context.Context, one *delivery) {
	err := d.inTurn(ctx, one)
	if err != nil && ctx.Err() == nil {
		d.role.logger.LogAttrs(ctx, slog.LevelWarn, "can't deliver messages of a subscription now", slog.String("subscription", one.id.String()), slog.Any("error", err))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	one.busy = false
	if err != nil {
		one.next = time.Now().Add(time.Second)
	}
	d.signal()
}

// pageDeliveries is how many messages of an endpoint are read at once.
const pageDeliveries = 32

func (d *deliveries) inTurn(ctx context.Context, one *delivery) error {
	rows, err := d.role.messages(ctx, one.id, one.delivered, pageDeliveries)
	for _, m := range rows {
		blocks, err := d.role.blocksAt(ctx, []int64{m.blockSeq})
		if err != nil {
			return err
		}
		text, err := body(one.id, one.filter, m, blocks[m.blockSeq])
		if err != nil {
			return err
		}
		a := d.attempt(ctx, one, m.sequence, text)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := d.record(ctx, one, a); err != nil || a.err != "" {
			return err
		}
	}
	return err
}

// attempt is an attempt to deliver a message.
type attempt struct {
	sequence   int64
	at         time.Time
	took       time.Duration
	status     int
	err        string // empty for success
	answer     string
	retryAfter time.Duration
}

func (d *deliveries) attempt(ctx context.Context, one *delivery, sequence int64, text []byte) (a attempt) {
	a = attempt{sequence: sequence, at: time.Now()}
	defer func() { a.took = time.Since(a.at) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, one.url, bytes.NewReader(text))
	if err != nil {
		a.err = err.Error()
		return a
	}
	id := messageID(one.id, sequence)
	signature, err := sign(one.secret, id, a.at, text)
	if err != nil {
		a.err = err.Error()
		return a
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "strata-subscriptions/1")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(a.at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	if one.authorization != "" {
		request.Header.Set("Authorization", one.authorization)
	}
	response, err := d.client.Do(request)
	if err != nil {
		a.err = reason(err)
		return a
	}
	defer func() { _ = response.Body.Close() }()
	start, _ := io.ReadAll(io.LimitReader(response.Body, answerMost))
	a.status, a.answer = response.StatusCode, eventstore.StorableText(string(start))
	if a.status < 200 || a.status > 299 {
		a.err = eventstore.StorableText(response.Status)
		a.retryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	return a
}

// sign returns the signature of a message: https://www.standardwebhooks.com.
func sign(secret, id string, at time.Time, text []byte) (string, error) {
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return "", err
	}
	return w.Sign(id, at, text)
}

// reason returns what an error says, without what it says of this network.
func reason(err error) string {
	var refused *destination.RefusedError
	if errors.As(err, &refused) {
		return refused.Reason
	}
	text := err.Error()
	if i := strings.LastIndex(text, `": `); i >= 0 { // the method and the URL, which may have a secret
		text = text[i+3:]
	}
	return text
}

// retryAfter reads the header (RFC 9110 10.2.3); 0 for none.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return min(max(0, time.Duration(seconds)*time.Second), retryAfterMost)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, at.Sub(now)), retryAfterMost)
	}
	return 0
}

// delayed returns how long to wait after so many failures; ok is false once it is no use any more.
func delayed(delays []time.Duration, failures int, asked time.Duration, share float64) (wait time.Duration, ok bool) {
	if failures > len(delays) {
		return 0, false
	}
	wait = delays[failures-1]
	return max(wait+time.Duration(share*0.2*float64(wait)), asked), true
}

// record writes down an attempt and what follows from it, if this process still holds the row.
func (d *deliveries) record(ctx context.Context, one *delivery, a attempt) error {
	failures, next, stop := 0, time.Time{}, ""
	if a.err != "" {
		failures = one.failures + 1
		wait, ok := delayed(d.delays, failures, a.retryAfter, rand.Float64())
		next = time.Now().Add(wait)
		switch {
		case a.status == http.StatusGone:
			stop = "the endpoint answered 410 Gone"
		case !ok:
			stop = "the endpoint has failed for days: " + a.err
		}
	}
	err := pgx.BeginFunc(ctx, d.role.pool, func(tx pgx.Tx) error {
		var holds bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM log.subscription_progress WHERE holder = $1)`, d.role.name).Scan(&holds); err != nil {
			return err
		}
		if !holds {
			return errNotHolder
		}
		b := &pgx.Batch{}
		b.Queue(`
			INSERT INTO log.subscription_attempt (subscription, sequence, attempt, at, took_ms, status, error, answer)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT FROM log.subscription WHERE id = $1) ON CONFLICT DO NOTHING`,
			one.id, a.sequence, one.failures+1, a.at, a.took.Milliseconds(), a.status, a.err, a.answer)
		if a.err == "" {
			b.Queue(`UPDATE log.subscription SET delivered = $2, failures = 0, error = '', next_attempt_at = 'epoch' WHERE id = $1 AND delivered < $2`, one.id, a.sequence)
			b.Queue(`DELETE FROM log.subscription_message WHERE subscription = $1 AND sequence <= $2`, one.id, a.sequence-keptMessages)
			b.Queue(`DELETE FROM log.subscription_attempt WHERE subscription = $1 AND sequence <= $2`, one.id, a.sequence-keptAttempts)
		} else {
			b.Queue(`UPDATE log.subscription SET failures = $2, error = $3, next_attempt_at = $4 WHERE id = $1`, one.id, failures, a.err, next)
		}
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return err
	}
	d.mu.Lock()
	one.failures, one.next = failures, next
	if stop != "" { // until those that are active are read again
		one.next = time.Now().Add(time.Minute)
	}
	if a.err == "" {
		one.delivered = a.sequence
	}
	d.mu.Unlock()
	d.role.metrics.attempts.WithLabelValues(outcome(a)).Inc()
	if stop != "" {
		return d.role.pause(ctx, one.id, stop)
	}
	return nil
}

func outcome(a attempt) string {
	if a.err == "" {
		return "delivered"
	}
	return "failed"
}
