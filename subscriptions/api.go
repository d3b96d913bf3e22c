package subscriptions

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/internal/dberror"
	"strata/internal/destination"
	"strata/subscriptions/filter"
)

// Subscription is one as the API shows it.
type Subscription struct {
	ID            string          `json:"id" format:"uuid"`
	Name          string          `json:"name"`
	Filter        json.RawMessage `json:"filter" doc:"As it was given. It never changes: make another subscription for another filter."`
	URL           string          `json:"url,omitempty" doc:"Where messages are posted; missing if they are pulled."`
	Secret        string          `json:"secret,omitempty" doc:"Key of the signatures (Standard Webhooks). Only the answer that creates the subscription has it."`
	State         string          `json:"state" enum:"healthy,catching_up,failing,paused" doc:"healthy: everything has been looked at and delivered, or is being; failing: the last attempt failed, and there will be another."`
	Reason        string          `json:"reason,omitempty" doc:"Why it is paused."`
	Position      string          `json:"position" doc:"What has been looked at, as in the header Strata-Position."`
	LagSteps      int64           `json:"lag_steps" doc:"Blocks and other steps of the chain that have not been looked at yet."`
	Messages      int64           `json:"messages" doc:"How many there are: the sequence of the last one."`
	Delivered     int64           `json:"delivered" doc:"How many of them were acknowledged: by an answer 2xx, or by being pulled past."`
	Pending       int64           `json:"pending" doc:"How many were not."`
	Failures      int             `json:"failures" doc:"Attempts of the next message that failed."`
	LastError     string          `json:"last_error,omitempty" doc:"Of the last attempt, if it failed."`
	NextAttemptAt *time.Time      `json:"next_attempt_at,omitempty" doc:"When the next message is tried again, after a failure."`
	CreatedAt     time.Time       `json:"created_at"`
}

// Start says where a subscription begins.
type Start struct {
	Height   *int64 `json:"height,omitempty" minimum:"0" doc:"With the block at this height of the canonical chain; 0 is genesis."`
	Position string `json:"position,omitempty" pattern:"^log=[0-9]{1,18}(;.*)?$" doc:"After what an answer with this Strata-Position has."`
}

type createInput struct {
	Body struct {
		Name          string          `json:"name" minLength:"1" maxLength:"200"`
		Filter        json.RawMessage `json:"filter" doc:"What to be told of: see docs/subscriptions.md."`
		URL           string          `json:"url,omitempty" maxLength:"2000" doc:"Where to post messages; missing to pull them."`
		Authorization string          `json:"authorization,omitempty" maxLength:"2000" pattern:"^[!-~]([ -~]*[!-~])?$" doc:"Value of the header Authorization of deliveries."`
		Secret        string          `json:"secret,omitempty" pattern:"^whsec_[A-Za-z0-9+/]{32,88}={0,2}$" doc:"Key of the signatures: whsec_ and 24 to 64 bytes in base64. Missing: one is made."`
		Start         *Start          `json:"start,omitempty" doc:"Missing: with the next block."`
	}
}

type idInput struct {
	ID string `path:"id" format:"uuid"`
}

type listInput struct {
	Limit int    `query:"limit" default:"100" minimum:"1" maximum:"500"`
	After string `query:"after" format:"uuid" doc:"The id of the last subscription of the page before."`
}

type pullInput struct {
	ID    string `path:"id" format:"uuid"`
	After int64  `query:"after" minimum:"0" doc:"The sequence of the last message that you have: of a subscription without url, this acknowledges it and all before it."`
	Limit int    `query:"limit" default:"100" minimum:"1" maximum:"500"`
}

// Pulled is a message as it would be posted.
type Pulled struct {
	ID   string          `json:"id" doc:"webhook-id"`
	Body json.RawMessage `json:"body" doc:"The bytes that are posted."`
}

// Attempt is an attempt to deliver a message.
type Attempt struct {
	MessageID string    `json:"message_id"`
	Attempt   int       `json:"attempt" doc:"From 1."`
	At        time.Time `json:"at"`
	TookMS    int       `json:"took_ms"`
	Status    int       `json:"status" doc:"Of HTTP; 0 without an answer."`
	Error     string    `json:"error,omitempty"`
	Answer    string    `json:"answer,omitempty" doc:"The first bytes of the answer's body."`
}

type dryRunInput struct {
	Body struct {
		Filter json.RawMessage `json:"filter"`
		Start  Start           `json:"start"`
	}
}

// DryRun is what a subscription would get.
type DryRun struct {
	Blocks   int64   `json:"blocks" doc:"Blocks of the canonical chain that were looked at."`
	Messages int64   `json:"messages" doc:"How many of them have something for the filter."`
	Matches  int64   `json:"matches" doc:"Things in them that match."`
	Samples  []Match `json:"samples" doc:"The first ones."`
	Next     *int64  `json:"next_height,omitempty" doc:"Go on from this height; missing at the tip."`
}

type list[T any] struct {
	Results []T `json:"results"`
}

type answer[T any] struct{ Body T }

// Register adds the operations to an API, for whoever may subscribe.
func (r *Role) Register(api huma.API) {
	add(api, http.MethodPost, "", "create-subscription", "Subscribe", http.StatusCreated, r.create)
	add(api, http.MethodGet, "", "list-subscriptions", "List subscriptions", http.StatusOK, r.shownList)
	add(api, http.MethodGet, "/{id}", "get-subscription", "Get a subscription", http.StatusOK, func(ctx context.Context, in *idInput) (*Subscription, error) {
		return r.shown(ctx, uuid.MustParse(in.ID))
	})
	add(api, http.MethodDelete, "/{id}", "delete-subscription", "Delete a subscription with its messages", http.StatusOK, func(ctx context.Context, in *idInput) (*Subscription, error) {
		s, err := r.shown(ctx, uuid.MustParse(in.ID))
		if err == nil {
			err = r.remove(ctx, uuid.MustParse(in.ID))
		}
		return s, err
	})
	add(api, http.MethodPost, "/{id}/pause", "pause-subscription", "Pause a subscription, which keeps its place", http.StatusOK, func(ctx context.Context, in *idInput) (*Subscription, error) {
		return r.changed(ctx, in, r.pause(ctx, uuid.MustParse(in.ID), "by a person"))
	})
	add(api, http.MethodPost, "/{id}/resume", "resume-subscription", "Let a paused subscription go on where it was", http.StatusOK, func(ctx context.Context, in *idInput) (*Subscription, error) {
		return r.changed(ctx, in, r.resume(ctx, uuid.MustParse(in.ID)))
	})
	add(api, http.MethodGet, "/{id}/messages", "pull-messages", "Pull messages", http.StatusOK, r.pull)
	add(api, http.MethodGet, "/{id}/attempts", "list-attempts", "List the last attempts to deliver messages, the newest first", http.StatusOK, r.attempts)
	add(api, http.MethodPost, "/dry-run", "dry-run-filter", "Try a filter over a part of the history", http.StatusOK, r.dryRun)
}

func add[In, Out any](api huma.API, method, path, id, summary string, status int, handler func(context.Context, *In) (Out, error)) {
	huma.Register(api, huma.Operation{
		Method: method, Path: "/subscriptions/v1" + path, OperationID: id, Summary: summary, Tags: []string{"Subscriptions"}, DefaultStatus: status,
		Errors: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusServiceUnavailable},
	}, func(ctx context.Context, in *In) (*answer[Out], error) {
		out, err := handler(ctx, in)
		if err != nil {
			return nil, refusal(err)
		}
		return &answer[Out]{out}, nil
	})
}

// refusal returns the answer for an error.
func refusal(err error) error {
	var known huma.StatusError
	var wrong *filter.Error
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &wrong):
		return huma.Error400BadRequest(wrong.Error())
	case errors.Is(err, ErrNotFound):
		return huma.Error404NotFound(err.Error())
	case errors.Is(err, errNoChain), dberror.Passing(err):
		return huma.Error503ServiceUnavailable(err.Error())
	case errors.As(err, &pg):
		return huma.Error500InternalServerError("the database refused it", err)
	}
	return huma.Error500InternalServerError(err.Error())
}

func (r *Role) create(ctx context.Context, in *createInput) (*Subscription, error) {
	compiled, err := filter.Compile(in.Body.Filter)
	if err != nil {
		return nil, err
	}
	if err := r.checkURL(in.Body.URL); err != nil {
		return nil, err
	}
	s := &subscription{
		id: uuid.New(), name: in.Body.Name, filterText: string(in.Body.Filter), filter: compiled, url: in.Body.URL, authorization: in.Body.Authorization,
		secret: in.Body.Secret, state: active,
	}
	if s.secret == "" {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		s.secret = "whsec_" + base64.StdEncoding.EncodeToString(key)
	} else if key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.secret, "whsec_")); err != nil || len(key) < 24 || len(key) > 64 {
		return nil, huma.Error400BadRequest("secret: want whsec_ and 24 to 64 bytes in base64")
	}
	c, err := r.chain(ctx)
	if err != nil {
		return nil, err
	}
	if s.at, err = r.start(ctx, c, in.Body.Start); err != nil {
		return nil, err
	}
	s.floor = s.at.height
	if err := r.insert(ctx, s); err != nil {
		return nil, err
	}
	shown, err := r.shown(ctx, s.id)
	if err == nil {
		shown.Secret = s.secret
	}
	return shown, err
}

// start returns the place before the first step that a subscription looks at.
func (r *Role) start(ctx context.Context, c stepList, start *Start) (place, error) {
	switch {
	case start == nil || start.Height == nil && start.Position == "":
		return r.tip(ctx, c)
	case start.Height != nil && start.Position != "":
		return place{}, huma.Error400BadRequest("start: want height or position, not both")
	case start.Height != nil:
		at, err := r.below(ctx, c, *start.Height)
		if errors.Is(err, pgx.ErrNoRows) {
			err = huma.Error400BadRequest(fmt.Sprintf("start: there is no canonical block at height %d; leave start out to begin with the next block", *start.Height))
		}
		return at, err
	}
	var seq int64
	if _, err := fmt.Sscanf(start.Position, "log=%d", &seq); err != nil {
		return place{}, huma.Error400BadRequest("start: the position is not as in the header Strata-Position")
	}
	n, err := r.lastStep(ctx, c, seq)
	if err != nil {
		return place{}, err
	}
	return r.placeAfter(ctx, c, n)
}

// checkURL refuses what is not to be posted to. Addresses are checked again when a connection is made: names may lead elsewhere by then.
func (r *Role) checkURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return huma.Error400BadRequest("url: want https://, a host, and a path if there is one")
	case u.Scheme == "https", u.Scheme == "http" && destination.Allows(r.allowed, u.Hostname(), u.Port()):
		return nil
	}
	return huma.Error400BadRequest("url: want https; plain http is for hosts that --subscription-allow names")
}

// shown returns a subscription as the API shows it.
func (r *Role) shown(ctx context.Context, id uuid.UUID) (*Subscription, error) {
	s, err := r.get(ctx, id)
	if err != nil {
		return nil, err
	}
	all, err := r.show(ctx, s)
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

func (r *Role) show(ctx context.Context, subscriptions ...*subscription) ([]Subscription, error) {
	all := []Subscription{}
	c, err := r.chain(ctx)
	if err != nil && !errors.Is(err, errNoChain) {
		return nil, err
	}
	var tip int64
	if err == nil {
		if tip, err = r.newestStep(ctx, c); err != nil {
			return nil, err
		}
	}
	for _, s := range subscriptions {
		shown := Subscription{
			ID: s.id.String(), Name: s.name, Filter: json.RawMessage(s.filterText), URL: s.url, State: "healthy", Reason: s.reason,
			Position: position(s.at.logSeq, s.at.height, s.at.block), LagSteps: max(0, tip-s.at.step), Messages: s.sequence, Delivered: s.delivered,
			Pending: s.sequence - s.delivered, Failures: s.failures, LastError: s.lastError, CreatedAt: s.created.UTC(),
		}
		switch {
		case s.state == paused:
			shown.State = "paused"
		case s.failures > 0:
			at := s.nextAttempt.UTC()
			shown.State, shown.NextAttemptAt = "failing", &at
		case !s.grouped:
			shown.State = "catching_up"
		}
		all = append(all, shown)
	}
	return all, nil
}

func (r *Role) shownList(ctx context.Context, in *listInput) (*list[Subscription], error) {
	after := uuid.Nil
	if in.After != "" {
		after = uuid.MustParse(in.After)
	}
	rows, err := r.list(ctx, after, in.Limit)
	if err != nil {
		return nil, err
	}
	shown, err := r.show(ctx, rows...)
	return &list[Subscription]{shown}, err
}

// changed returns a subscription after a change. One that is in the wanted state already is no error.
func (r *Role) changed(ctx context.Context, in *idInput, err error) (*Subscription, error) {
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	return r.shown(ctx, uuid.MustParse(in.ID))
}

// pulledBytes bounds the bodies of an answer.
const pulledBytes = 8 << 20

func (r *Role) pull(ctx context.Context, in *pullInput) (*list[Pulled], error) {
	id := uuid.MustParse(in.ID)
	s, err := r.get(ctx, id)
	if err != nil {
		return nil, err
	}
	if in.After > s.sequence {
		return nil, huma.Error409Conflict(fmt.Sprintf("there is no message %d: the last one is %d", in.After, s.sequence))
	}
	rows, err := r.messages(ctx, id, in.After, in.Limit)
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 && rows[0].sequence != in.After+1 {
		return nil, huma.NewError(http.StatusGone, fmt.Sprintf("messages up to %d were acknowledged, and are not kept any more: subscribe again from an earlier position", rows[0].sequence-1))
	}
	out, size := &list[Pulled]{[]Pulled{}}, 0
	for _, m := range rows {
		blocks, err := r.blocksAt(ctx, []int64{m.blockSeq})
		if err != nil {
			return nil, err
		}
		text, err := body(id, s.filter, m, blocks[m.blockSeq])
		if err != nil {
			return nil, err
		}
		if size += len(text); size > pulledBytes && len(out.Results) > 0 {
			break
		}
		out.Results = append(out.Results, Pulled{messageID(id, m.sequence), text})
	}
	if s.url != "" || in.After <= s.delivered {
		return out, nil
	}
	return out, r.acknowledge(ctx, id, in.After)
}

// acknowledge takes note that messages up to a number were pulled.
func (r *Role) acknowledge(ctx context.Context, id uuid.UUID, sequence int64) error {
	return pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`UPDATE log.subscription SET delivered = $2 WHERE id = $1 AND delivered < $2`, id, sequence)
		b.Queue(`DELETE FROM log.subscription_message WHERE subscription = $1 AND sequence <= $2`, id, sequence-keptMessages)
		return tx.SendBatch(ctx, b).Close()
	})
}

func (r *Role) attempts(ctx context.Context, in *idInput) (*list[Attempt], error) {
	id := uuid.MustParse(in.ID)
	if _, err := r.get(ctx, id); err != nil {
		return nil, err
	}
	rows, err := r.pool.Query(ctx, `
		SELECT sequence, attempt, at, took_ms, status, error, answer FROM log.subscription_attempt WHERE subscription = $1 ORDER BY at DESC LIMIT $2`, id, keptAttempts)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a Attempt, err error) {
		var sequence int64
		err = row.Scan(&sequence, &a.Attempt, &a.At, &a.TookMS, &a.Status, &a.Error, &a.Answer)
		a.MessageID, a.At = messageID(id, sequence), a.At.UTC()
		return a, err
	})
	return &list[Attempt]{append([]Attempt{}, found...)}, err
}

// Bounds of a dry run.
const (
	dryBlocks  = 2000
	drySamples = 20
)

func (r *Role) dryRun(ctx context.Context, in *dryRunInput) (*DryRun, error) {
	compiled, err := filter.Compile(in.Body.Filter)
	if err != nil {
		return nil, err
	}
	c, err := r.chain(ctx)
	if err != nil {
		return nil, err
	}
	from, err := r.start(ctx, c, &in.Body.Start)
	if err != nil {
		return nil, err
	}
	rows, err := r.pool.Query(ctx, `
		SELECT height, block_seq FROM `+c.Table("canonical")+` WHERE height > $1 ORDER BY height LIMIT $2`, from.height, dryBlocks+1)
	if err != nil {
		return nil, err
	}
	type canonical struct{ Height, Seq int64 }
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[canonical])
	if err != nil {
		return nil, err
	}
	out := &DryRun{Samples: []Match{}}
	for i, at := range found {
		if i == dryBlocks {
			out.Next = &at.Height
			break
		}
		blocks, err := r.blocksAt(ctx, []int64{at.Seq})
		if err != nil {
			return nil, err
		}
		out.Blocks++
		if all := matches(compiled, blocks[at.Seq]); len(all) > 0 {
			out.Messages++
			out.Matches += int64(len(all))
			out.Samples = append(out.Samples, all[:min(len(all), drySamples-len(out.Samples))]...)
		}
	}
	return out, nil
}
