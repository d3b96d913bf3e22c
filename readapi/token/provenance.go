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

// tokenProvenance names the events behind each part of a token, and the next fetch attempts.
type tokenProvenance struct {
	Contract     contractProvenance   `json:"contract"`
	Token        readingProvenance    `json:"token"`
	Documents    []resourceProvenance `json:"documents" nullable:"false" doc:"The token's own document first, then those of its locales."`
	Images       []resourceProvenance `json:"images" nullable:"false"`
	Notification *tokenNotification   `json:"notification,omitempty" doc:"The SIP-019 notification that is in force; absent when there is none."`
}

type contractProvenance struct {
	ContractID  string           `json:"contract_id"`
	Kind        token.Kind       `json:"kind" enum:"ft,nft,sft"`
	SIP         string           `json:"sip" enum:"sip-009,sip-010,sip-013"`
	BlockHeight int64            `json:"block_height" doc:"Height of the block that deployed the contract."`
	Event       string           `json:"event" format:"uri-reference"`
	LastTokenID schema.Amount    `json:"last_token_id,omitempty" doc:"The last token id that the contract said."`
	Read        *reportReference `json:"read,omitempty" doc:"The report of the last successful read of the contract."`
	Failure     *failedAttempt   `json:"failure,omitempty"`
	Rest        *contractRest    `json:"rest,omitempty" doc:"The last time that the contract used up its budget of fetches or bytes of a day; absent when it never did."`
}

// missingField is a field that the contract failed to state.
type missingField struct {
	Field   string `json:"field" enum:"token_uri,name,symbol,decimals,total_supply"`
	Reason  int    `json:"reason" doc:"The error code of token-metadata-api: 100 to 110; 203: an image in a format that is not supported."`
	Message string `json:"message" doc:"The reason in words."`
	Detail  string `json:"detail" doc:"The request, and what the node answered."`
}

type readingProvenance struct {
	TokenID     tokenNumber      `json:"token_id"`
	BlockHeight int64            `json:"block_height" doc:"Height of the block that made the token known."`
	Event       string           `json:"event" format:"uri-reference"`
	Read        *reportReference `json:"read,omitempty" doc:"The report with the contract's answer that is shown; absent when there is none."`
	Missing     []missingField   `json:"missing,omitempty" nullable:"false" doc:"The fields that the contract failed to state in the report that is shown; absent when there are none."`
	Failure     *failedAttempt   `json:"failure,omitempty" doc:"The last attempt, if it failed."`
	Next        *nextAttempt     `json:"next,omitempty"`
}

type resourceProvenance struct {
	Locale      string           `json:"locale,omitempty" doc:"Absent for the token's own document or image."`
	URI         string           `json:"uri" doc:"With the token's id and the locale substituted."`
	Content     *reportReference `json:"content,omitempty" doc:"The report with the content that is shown; absent when it was never fetched."`
	SHA256      string           `json:"sha256,omitempty" doc:"Digest of the bytes of an image."`
	ContentType string           `json:"content_type,omitempty"`
	Width       *int32           `json:"width,omitempty" doc:"Pixels."`
	Height      *int32           `json:"height,omitempty" doc:"Pixels."`
	Failure     *failedAttempt   `json:"failure,omitempty" doc:"The last attempt, if it failed."`
	Next        *nextAttempt     `json:"next,omitempty"`
}

// reportReference names the report of a successful fetch attempt.
type reportReference struct {
	Seq         int64           `json:"seq"`
	Event       string          `json:"event" format:"uri-reference"`
	BlockHeight *int64          `json:"block_height,omitempty" doc:"Height of the block at which the contract was read."`
	At          schema.TimeText `json:"at,omitempty"`
}

// failedAttempt names the report of a failed fetch attempt.
type failedAttempt struct {
	Seq     int64  `json:"seq"`
	Event   string `json:"event" format:"uri-reference"`
	Reason  int    `json:"reason" doc:"The error code of token-metadata-api: 100 to 110; 203: an image in a format that is not supported."`
	Message string `json:"message"`
}

// nextAttempt is a scheduled fetch attempt.
type nextAttempt struct {
	DueAt    schema.TimeText `json:"due_at" doc:"Earliest time of the attempt."`
	Attempts int32           `json:"attempts" doc:"Number of attempts that have failed so far."`
}

type tokenNotification struct {
	Mode        string         `json:"mode" enum:"standard,frozen,dynamic"`
	TTL         *schema.Amount `json:"ttl,omitempty" doc:"Seconds."`
	AllTokens   bool           `json:"all_tokens" doc:"Whether it applies to all tokens of the contract."`
	BlockHeight int64          `json:"block_height"`
	Event       string         `json:"event" format:"uri-reference"`
	Pointer     string         `json:"pointer" doc:"JSON pointer of the print in the body of the event."`
}

func (a *api) registerTokenProvenance() {
	const summary, about = "Provenance of a token's metadata", "The events behind each part of the metadata, and the next fetch attempts. Tokens without any metadata have a provenance, too."
	statuses := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	engine.Get(a.Engine, metadataOperation(engine.Operation{
		ID: "getFtProvenance", Path: "/ft/{principal}/provenance", Summary: summary, Description: about, Statuses: statuses, PointRead: true,
	}), func(ctx context.Context, s *engine.Snapshot, in *FTInput) (*tokenProvenance, error) {
		return a.readProvenance(ctx, s, token.FT, in.named())
	})
	for id, kind := range map[string]token.Kind{"getNftProvenance": token.NFT, "getSftProvenance": token.SFT} {
		engine.Get(a.Engine, metadataOperation(engine.Operation{
			ID: id, Path: "/" + string(kind) + "/{principal}/{token_id}/provenance", Summary: summary, Description: about, Statuses: statuses, PointRead: true,
		}), func(ctx context.Context, s *engine.Snapshot, in *TokenInput) (*tokenProvenance, error) {
			return a.readProvenance(ctx, s, kind, in.named())
		})
	}
}

func (a *api) readProvenance(ctx context.Context, s *engine.Snapshot, likely token.Kind, ref tokenRef) (*tokenProvenance, error) {
	var notifications []*engine.Result[notificationRow]
	rests := map[token.Kind]*engine.Result[restRow]{}
	known, err := findToken(ctx, s, likely, locales{all: true}, ref, func(b *engine.Batch) {
		for _, kind := range activeKinds(s) {
			notifications = append(notifications, queryNotification(b, kind, ref))
			rests[kind] = queryRest(b, kind, ref)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := known.missing(); err != nil {
		return nil, err
	}
	p := known.provenance(ref)
	if p.Token.Missing, err = a.missingFields(ctx, known.contract.kind, known.token); err != nil {
		return nil, err
	}
	if row, ok := rests[known.contract.kind].First(); ok {
		if p.Contract.Rest, err = row.shape(); err != nil {
			return nil, err
		}
		s.TraceRows(func() []engine.Lookup { return []engine.Lookup{restLookup(known.contract.kind, ref)} })
	}
	for _, n := range notifications {
		if row, ok := n.First(); ok {
			p.Notification = row.shape()
		}
	}
	if p.Notification != nil {
		s.TraceRows(func() []engine.Lookup { return notificationLookups(activeKinds(s), ref) })
	}
	return p, nil
}

// missingFields returns the fields that a token's contract failed to state, as the report of its last read tells.
func (a *api) missingFields(ctx context.Context, kind token.Kind, t *tokenRow) (fields []missingField, err error) {
	complete := kind == token.NFT || t.totalSupply != nil
	if t.readSeq == nil || complete && (t.failedSeq == nil || *t.failedSeq != *t.readSeq) {
		return nil, nil
	}
	reports, err := a.reports(ctx, *t.readSeq)
	if err != nil {
		return nil, err
	}
	if report := reports[*t.readSeq]; report != nil {
		for _, m := range token.MissingOf(kind, report) {
			fields = append(fields, missingField{m.Field, int(m.Problem.Reason), m.Problem.Reason.Message(), m.Problem.Detail})
		}
	}
	return fields, nil
}

// readLacking adds to tokens whose contract could not be read completely at the last attempt what that did not bring.
func (a *api) readLacking(ctx context.Context, views ...*tokenView) error {
	var seqs []int64
	for _, v := range views {
		if t := v.token; hasFailedSince(t.failedSeq, t.readSeq) {
			seqs = append(seqs, *t.failedSeq)
		}
	}
	reports, err := a.reports(ctx, seqs...)
	if err != nil {
		return err
	}
	for _, v := range views {
		t := v.token
		if !hasFailedSince(t.failedSeq, t.readSeq) {
			continue
		}
		report := reports[*t.failedSeq]
		if report == nil {
			continue
		}
		if _, elsewhere := report.UnchangedSince(); elsewhere {
			continue
		}
		for _, m := range token.MissingOf(v.contract.kind, report) {
			v.lacking = append(v.lacking, m.Field)
		}
	}
	return nil
}

type notificationRow struct {
	height, sourceSeq int64
	ttl, tokenID      *string
	mode, pointer     string
}

// queryNotification adds a query for the notification in force (SIP-019): the last one, or the last that froze the
// token.
func queryNotification(b *engine.Batch, kind token.Kind, ref tokenRef) *engine.Result[notificationRow] {
	return engine.Query(b, func(n *notificationRow) []any {
		return []any{&n.height, &n.sourceSeq, &n.ttl, &n.tokenID, &n.mode, &n.pointer}
	}, notificationSQL[kind], ref.contract, ref.text())
}

var notificationSQL = queryByKind(`
	SELECT ARRAY[source_seq], height, source_seq, ttl::text, token_id::text, mode, pointer
	FROM {projection}.notification
	WHERE contract_id = $1 AND (token_id IS NULL OR token_id = $2::text::numeric)
	ORDER BY mode = 'frozen' DESC, height DESC, tx_index DESC, event_index DESC LIMIT 1`)

func (n *notificationRow) shape() *tokenNotification {
	return &tokenNotification{
		Mode: n.mode, TTL: (*schema.Amount)(n.ttl), AllTokens: n.tokenID == nil, BlockHeight: n.height, Event: engine.EventLink(n.sourceSeq), Pointer: n.pointer,
	}
}

func (k *knownToken) provenance(ref tokenRef) *tokenProvenance {
	c, t := k.contract, k.token
	p := &tokenProvenance{
		Contract: contractProvenance{
			ContractID: c.id, Kind: c.kind, SIP: c.kind.SIP(), BlockHeight: c.height, Event: engine.EventLink(c.sourceSeq),
			LastTokenID: schema.Amount(schema.OrEmpty(c.lastTokenID)), Read: newReportReference(c.readSeq, c.readHeight, nil), Failure: newFailedAttempt(c.failedSeq, c.reason, fetch.ContractRead),
		},
		Token: readingProvenance{
			TokenID: tokenNumber(ref.id.String()), BlockHeight: t.height, Event: engine.EventLink(t.sourceSeq),
			Read: newReportReference(t.readSeq, t.readHeight, t.readAt), Failure: newFailedAttempt(t.failedSeq, t.reason, fetch.ContractRead), Next: t.want.next(),
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
		Failure: newFailedAttempt(r.failedSeq, r.reason, r.role), Next: r.want.next(),
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

func newFailedAttempt(seq *int64, reason fetch.Reason, of fetch.Kind) *failedAttempt {
	if seq == nil || reason == fetch.ReasonNone {
		return nil
	}
	return &failedAttempt{Seq: *seq, Event: engine.EventLink(*seq), Reason: int(reason), Message: reason.MessageOf(of)}
}

// next returns the next fetch attempt; nil without a want.
func (w *wantRow) next() *nextAttempt {
	if w == nil {
		return nil
	}
	return &nextAttempt{DueAt: schema.NewTimeText(w.dueAt), Attempts: w.attempts}
}
