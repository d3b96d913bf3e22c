package token

import (
	"context"
	"net/http"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// tokenProvenance says where what is known of a token comes from, and what is tried next.
type tokenProvenance struct {
	Contract     contractProvenance   `json:"contract"`
	Token        readingProvenance    `json:"token"`
	Documents    []resourceProvenance `json:"documents" nullable:"false" doc:"The token's own first, then those of its locales."`
	Images       []resourceProvenance `json:"images" nullable:"false"`
	Notification *tokenNotification   `json:"notification,omitempty" doc:"The SIP-019 notification in force; absent when there is none."`
}

type contractProvenance struct {
	ContractID  string           `json:"contract_id"`
	Kind        token.Kind       `json:"kind" enum:"ft,nft,sft"`
	SIP         string           `json:"sip" enum:"sip-009,sip-010,sip-013"`
	BlockHeight int64            `json:"block_height" doc:"Of the block that deployed it."`
	Event       string           `json:"event" format:"uri-reference"`
	LastTokenID schema.Amount    `json:"last_token_id,omitempty" doc:"As the contract last said it."`
	Read        *reportReference `json:"read,omitempty" doc:"When it did."`
	Failure     *failedAttempt   `json:"failure,omitempty"`
}

type readingProvenance struct {
	TokenID     tokenNumber      `json:"token_id"`
	BlockHeight int64            `json:"block_height" doc:"Of the block that made the token known."`
	Event       string           `json:"event" format:"uri-reference"`
	Read        *reportReference `json:"read,omitempty" doc:"The answer of the contract that is shown; absent without one."`
	Failure     *failedAttempt   `json:"failure,omitempty" doc:"The last attempt, when it failed."`
	Next        *nextAttempt     `json:"next,omitempty"`
}

type resourceProvenance struct {
	Locale      string           `json:"locale,omitempty" doc:"Absent for the token's own."`
	URI         string           `json:"uri" doc:"With the token's id and the locale filled in."`
	Content     *reportReference `json:"content,omitempty" doc:"What is shown; absent when it was never had."`
	SHA256      string           `json:"sha256,omitempty" doc:"Of the bytes of an image."`
	ContentType string           `json:"content_type,omitempty"`
	Width       *int32           `json:"width,omitempty" doc:"Pixels."`
	Height      *int32           `json:"height,omitempty" doc:"Pixels."`
	Failure     *failedAttempt   `json:"failure,omitempty" doc:"The last attempt, when it failed."`
	Next        *nextAttempt     `json:"next,omitempty"`
}

// reportReference is the report of an attempt that succeeded.
type reportReference struct {
	Seq         int64           `json:"seq"`
	Event       string          `json:"event" format:"uri-reference"`
	BlockHeight *int64          `json:"block_height,omitempty" doc:"The block at which the contract was asked."`
	At          schema.TimeText `json:"at,omitempty"`
}

// failedAttempt is the report of one that did not.
type failedAttempt struct {
	Seq     int64  `json:"seq"`
	Event   string `json:"event" format:"uri-reference"`
	Reason  int    `json:"reason" doc:"As a number of token-metadata-api: 100 to 110."`
	Message string `json:"message"`
}

// nextAttempt is what is to come.
type nextAttempt struct {
	DueAt    schema.TimeText `json:"due_at" doc:"Not before then."`
	Attempts int32           `json:"attempts" doc:"That failed so far."`
}

type tokenNotification struct {
	Mode        string         `json:"mode" enum:"standard,frozen,dynamic"`
	TTL         *schema.Amount `json:"ttl,omitempty" doc:"Seconds."`
	AllTokens   bool           `json:"all_tokens" doc:"Whether it is of all tokens of the contract."`
	BlockHeight int64          `json:"block_height"`
	Event       string         `json:"event" format:"uri-reference"`
	Pointer     string         `json:"pointer" doc:"JSON pointer of the print in the body of the event."`
}

func (a *api) registerTokenProvenance() {
	const summary, about = "Where what is known of a token comes from", "The events behind each part, and what is tried next and when. It is an answer also for tokens that have nothing to show."
	statuses := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	engine.Get(a.Engine, metadataResource(engine.Operation{
		ID: "getFtProvenance", Path: "/ft/{principal}/provenance", Summary: summary, Description: about, Statuses: statuses, Brief: true,
	}), func(ctx context.Context, s *engine.Snapshot, in *FTInput) (*tokenProvenance, error) {
		return readProvenance(ctx, s, token.FT, in.Named())
	})
	for id, kind := range map[string]token.Kind{"getNftProvenance": token.NFT, "getSftProvenance": token.SFT} {
		engine.Get(a.Engine, metadataResource(engine.Operation{
			ID: id, Path: "/" + string(kind) + "/{principal}/{token_id}/provenance", Summary: summary, Description: about, Statuses: statuses, Brief: true,
		}), func(ctx context.Context, s *engine.Snapshot, in *TokenInput) (*tokenProvenance, error) {
			return readProvenance(ctx, s, kind, in.Named())
		})
	}
}

func readProvenance(ctx context.Context, s *engine.Snapshot, likely token.Kind, named namedToken) (*tokenProvenance, error) {
	var notifications []*engine.Result[notificationRow]
	known, err := findToken(ctx, s, likely, locales{all: true}, named, func(b *engine.Batch) {
		for _, kind := range activeKinds(s) {
			notifications = append(notifications, queryNotification(b, kind, named))
		}
	})
	if err != nil {
		return nil, err
	}
	if err := known.missing(); err != nil {
		return nil, err
	}
	p := known.provenance(named)
	for _, n := range notifications {
		if row, ok := n.First(); ok {
			p.Notification = row.shape()
		}
	}
	return p, nil
}

type notificationRow struct {
	height, sourceSeq int64
	ttl, tokenID      *string
	mode, pointer     string
}

// queryNotification adds a query for the notification that counts: the last one, unless an earlier one froze the token.
func queryNotification(b *engine.Batch, kind token.Kind, named namedToken) *engine.Result[notificationRow] {
	return engine.Query(b, func(n *notificationRow) []any {
		return []any{&n.height, &n.sourceSeq, &n.ttl, &n.tokenID, &n.mode, &n.pointer}
	}, notificationSQL[kind], named.contract, named.text())
}

var notificationSQL = ofKinds(`
	SELECT ARRAY[source_seq], height, source_seq, ttl::text, token_id::text, mode, pointer
	FROM {projection}.notification
	WHERE contract_id = $1 AND (token_id IS NULL OR token_id = $2::text::numeric)
	ORDER BY mode = 'frozen' DESC, height DESC, tx_index DESC, event_index DESC LIMIT 1`)

func (n *notificationRow) shape() *tokenNotification {
	return &tokenNotification{
		Mode: n.mode, TTL: (*schema.Amount)(n.ttl), AllTokens: n.tokenID == nil, BlockHeight: n.height, Event: engine.EventLink(n.sourceSeq), Pointer: n.pointer,
	}
}

func (k *knownToken) provenance(named namedToken) *tokenProvenance {
	c, t := k.contract, k.token
	p := &tokenProvenance{
		Contract: contractProvenance{
			ContractID: c.id, Kind: c.kind, SIP: c.kind.SIP(), BlockHeight: c.height, Event: engine.EventLink(c.sourceSeq),
			LastTokenID: schema.Amount(schema.OrEmpty(c.lastTokenID)), Read: newReportReference(c.readSeq, c.readHeight, nil), Failure: newFailedAttempt(c.failedSeq, c.reason),
		},
		Token: readingProvenance{
			TokenID: tokenNumber(named.id.String()), BlockHeight: t.height, Event: engine.EventLink(t.sourceSeq),
			Read: newReportReference(t.readSeq, t.readHeight, t.readAt), Failure: newFailedAttempt(t.failedSeq, t.reason), Next: t.want.next(),
		},
		Documents: []resourceProvenance{}, Images: []resourceProvenance{},
	}
	for i := range k.resources {
		switch r := &k.resources[i]; r.role {
		case fetch.Document:
			p.Documents = append(p.Documents, r.provenance())
		case fetch.Image:
			p.Images = append(p.Images, r.provenance())
		}
	}
	return p
}

func (r *resourceRow) provenance() resourceProvenance {
	return resourceProvenance{
		Locale: r.locale, URI: r.uri, Content: newReportReference(r.sourceSeq, nil, r.fetchedAt), SHA256: r.facts.text(),
		ContentType: schema.OrEmpty(r.facts.contentType), Width: r.facts.width, Height: r.facts.height,
		Failure: newFailedAttempt(r.failedSeq, r.reason), Next: r.want.next(),
	}
}

func newReportReference(seq, height *int64, at *time.Time) *reportReference {
	if seq == nil {
		return nil
	}
	r := &reportReference{Seq: *seq, Event: engine.EventLink(*seq), BlockHeight: height}
	if at != nil {
		r.At = schema.NewTimeText(*at)
	}
	return r
}

func newFailedAttempt(seq *int64, reason fetch.Reason) *failedAttempt {
	if seq == nil || reason == fetch.ReasonNone {
		return nil
	}
	return &failedAttempt{Seq: *seq, Event: engine.EventLink(*seq), Reason: int(reason), Message: reason.Message()}
}

// next is when something is tried next; nil when it is not.
func (w *wantRow) next() *nextAttempt {
	if w == nil {
		return nil
	}
	return &nextAttempt{DueAt: schema.NewTimeText(w.dueAt), Attempts: w.attempts}
}
