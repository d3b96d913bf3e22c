package readapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
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
	LastTokenID amount           `json:"last_token_id,omitempty" doc:"As the contract last said it."`
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
	Seq         int64    `json:"seq"`
	Event       string   `json:"event" format:"uri-reference"`
	BlockHeight *int64   `json:"block_height,omitempty" doc:"The block at which the contract was asked."`
	At          timeText `json:"at,omitempty"`
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
	DueAt    timeText `json:"due_at" doc:"Not before then."`
	Attempts int32    `json:"attempts" doc:"That failed so far."`
}

type tokenNotification struct {
	Mode        string  `json:"mode" enum:"standard,frozen,dynamic"`
	TTL         *amount `json:"ttl,omitempty" doc:"Seconds."`
	AllTokens   bool    `json:"all_tokens" doc:"Whether it is of all tokens of the contract."`
	BlockHeight int64   `json:"block_height"`
	Event       string  `json:"event" format:"uri-reference"`
	Pointer     string  `json:"pointer" doc:"JSON pointer of the print in the body of the event."`
}

func (a *API) registerTokenProvenance() {
	const summary, about = "Where what is known of a token comes from", "The events behind each part, and what is tried next and when. It is an answer also for tokens that have nothing to show."
	statuses := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	get(a.Engine, metadataResource(resource{
		id: "getFtProvenance", path: "/ft/{principal}/provenance", summary: summary, about: about, statuses: statuses, brief: true,
	}), func(ctx context.Context, s *snapshot, in *FTInput) (*tokenProvenance, error) {
		return readProvenance(ctx, s, token.FT, in.named())
	})
	for id, kind := range map[string]token.Kind{"getNftProvenance": token.NFT, "getSftProvenance": token.SFT} {
		get(a.Engine, metadataResource(resource{
			id: id, path: "/" + string(kind) + "/{principal}/{token_id}/provenance", summary: summary, about: about, statuses: statuses, brief: true,
		}), func(ctx context.Context, s *snapshot, in *TokenInput) (*tokenProvenance, error) {
			return readProvenance(ctx, s, kind, in.named())
		})
	}
}

func readProvenance(ctx context.Context, s *snapshot, likely token.Kind, named namedToken) (*tokenProvenance, error) {
	var notifications []*result[notificationRow]
	known, err := findToken(ctx, s, likely, locales{all: true}, named, func(b *batch) {
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
		if row, ok := n.first(); ok {
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
func queryNotification(b *batch, kind token.Kind, named namedToken) *result[notificationRow] {
	return query(b, func(n *notificationRow) []any {
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
		Mode: n.mode, TTL: (*amount)(n.ttl), AllTokens: n.tokenID == nil, BlockHeight: n.height, Event: eventLink(n.sourceSeq), Pointer: n.pointer,
	}
}

func eventLink(seq int64) string { return fmt.Sprintf("/audit/v1/events/%d", seq) }

func (k *knownToken) provenance(named namedToken) *tokenProvenance {
	c, t := k.contract, k.token
	p := &tokenProvenance{
		Contract: contractProvenance{
			ContractID: c.id, Kind: c.kind, SIP: c.kind.SIP(), BlockHeight: c.height, Event: eventLink(c.sourceSeq),
			LastTokenID: amount(orEmpty(c.lastTokenID)), Read: newReportReference(c.readSeq, c.readHeight, nil), Failure: newFailedAttempt(c.failedSeq, c.reason),
		},
		Token: readingProvenance{
			TokenID: tokenNumber(named.id.String()), BlockHeight: t.height, Event: eventLink(t.sourceSeq),
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
		ContentType: orEmpty(r.facts.contentType), Width: r.facts.width, Height: r.facts.height,
		Failure: newFailedAttempt(r.failedSeq, r.reason), Next: r.want.next(),
	}
}

func newReportReference(seq, height *int64, at *time.Time) *reportReference {
	if seq == nil {
		return nil
	}
	r := &reportReference{Seq: *seq, Event: eventLink(*seq), BlockHeight: height}
	if at != nil {
		r.At = newTimeText(*at)
	}
	return r
}

func newFailedAttempt(seq *int64, reason fetch.Reason) *failedAttempt {
	if seq == nil || reason == fetch.ReasonNone {
		return nil
	}
	return &failedAttempt{Seq: *seq, Event: eventLink(*seq), Reason: int(reason), Message: reason.Message()}
}

// next is when something is tried next; nil when it is not.
func (w *wantRow) next() *nextAttempt {
	if w == nil {
		return nil
	}
	return &nextAttempt{DueAt: newTimeText(w.dueAt), Attempts: w.attempts}
}
