package token

import (
	"fmt"
	"time"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
)

// attemptsMax is the number of failed fetch attempts after which a token without any content counts as failed. It is
// tried again all the same.
const attemptsMax = 3

// failed reports whether no result is expected soon. Without a want nobody will try.
func (w *wantRow) failed() bool {
	return w == nil || w.severity >= fetch.Wrong || w.attempts >= attemptsMax
}

// hasFailedSince reports whether an attempt has failed since the one that brought the content, or whether that one has
// brought only a part.
func hasFailedSince(failedSeq, contentSeq *int64) bool {
	return failedSeq != nil && (contentSeq == nil || *failedSeq >= *contentSeq)
}

// tokenView is a token as it is rendered for a request.
type tokenView struct {
	*knownToken
	// document is rendered, with its texts for this token; nil when there is none.
	document *document.Document
	// rows are behind document: the row of the token's own document and, if it was needed, that of the locale.
	rows  []*resourceRow
	image *resourceRow // nil when the document has no image, or the image is not known yet
	// hasLocale says that document is in the requested locale, or that the request names none.
	hasLocale bool
	// lacking names the fields that the last read of the contract failed to bring.
	lacking []string
}

// view returns the token in a locale; empty for the document's own.
func (k *knownToken) view(ref tokenRef, locale string) (*tokenView, error) {
	v := &tokenView{knownToken: k, hasLocale: locale == ""}
	if k.token == nil {
		return v, nil
	}
	row := k.resource(fetch.Document, "")
	if row == nil {
		return v, nil
	}
	v.rows = append(v.rows, row)
	base, err := row.decode()
	if base == nil || err != nil {
		return v, err
	}
	doc, image := base, k.resource(fetch.Image, "")
	if locale != "" && (base.Localization == nil || base.Localization.Default != locale) {
		other := k.resource(fetch.Document, locale)
		if other == nil {
			return v, nil
		}
		v.rows = append(v.rows, other)
		localised, err := other.decode()
		if localised == nil || err != nil {
			return v, err
		}
		if localised.Image != nil {
			image = k.resource(fetch.Image, locale)
		}
		doc = document.Localise(base, localised)
	}
	if k.contract.kind != token.FT {
		doc = doc.Substitute(ref.id.String())
	}
	if doc.Image != nil {
		v.image = image
	}
	v.document, v.hasLocale = doc, true
	return v, nil
}

// decode decodes the content of a document; nil when it was never fetched.
func (r *resourceRow) decode() (*document.Document, error) {
	if r.content == nil {
		return nil, nil
	}
	d, err := document.Decode([]byte(*r.content))
	if err != nil {
		return nil, fmt.Errorf("decode the stored document %s: %w", r.uri, err)
	}
	return d, nil
}

// refusal returns the error to answer when there is nothing to render; nil when there is something. Content that was
// fetched once is rendered, even if later attempts have failed.
func (v *tokenView) refusal() error {
	if err := v.missing(); err != nil {
		return err
	}
	switch t := v.token; {
	case !v.hasLocale:
		return errLocaleNotFound
	case t.readHeight == nil:
		return stillMissing(t.reason, t.want)
	// A fungible token is rendered without its document, too: its name and supply are from the contract.
	case v.document == nil && len(v.rows) > 0 && v.contract.kind != token.FT:
		return stillMissing(v.rows[0].reason, v.rows[0].want)
	}
	return nil
}

// missing returns the error to answer for a token that is not known; nil when it is known. A contract that has never
// said how many tokens it has may have it, so the reason for that is the answer then.
func (k *knownToken) missing() error {
	switch c := k.contract; {
	case c == nil:
		return errContractNotFound
	case k.token != nil:
		return nil
	case c.reason != fetch.ReasonNone && c.readHeight == nil:
		return newTokenError(c.reason)
	}
	return errTokenNotFound
}

// stillMissing returns the error to answer while nothing was fetched: in progress, or failed for a reason.
func stillMissing(reason fetch.Reason, want *wantRow) error {
	if reason == fetch.ReasonNone || !want.failed() {
		return errInProgress
	}
	return newTokenError(reason)
}

// refreshState says that the content may be outdated, because the last attempt to fetch it failed.
type refreshState struct {
	State         string   `json:"state" enum:"failed"`
	Reason        int      `json:"reason" doc:"The error code of token-metadata-api: 100 to 110; 203: an image in a format that is not supported."`
	Message       string   `json:"message" doc:"The reason in words."`
	Fields        []string `json:"fields,omitempty" nullable:"false" enum:"token_uri,name,symbol,decimals,total_supply" doc:"The fields that the last read of the contract failed to bring; absent when that succeeded."`
	NextAttemptAt string   `json:"next_attempt_at,omitempty" format:"date-time" doc:"Earliest time of the next attempt."`
}

// refresh returns the first failure of these: reading the contract, fetching the document, fetching the image; nil when
// the last attempts succeeded.
func (v *tokenView) refresh() *refreshState {
	if t := v.token; hasFailedSince(t.failedSeq, t.readSeq) {
		state := newRefreshState(t.reason, fetch.ContractRead, t.want)
		state.Fields = v.lacking
		return state
	}
	rows := v.rows
	if v.image != nil {
		rows = append(rows[:len(rows):len(rows)], v.image)
	}
	for _, r := range rows {
		if hasFailedSince(r.failedSeq, r.sourceSeq) {
			return newRefreshState(r.reason, r.role, r.want)
		}
	}
	return nil
}

func newRefreshState(reason fetch.Reason, of fetch.Kind, want *wantRow) *refreshState {
	s := &refreshState{State: "failed", Reason: int(reason), Message: reason.MessageOf(of)}
	if want != nil {
		s.NextAttemptAt = want.dueAt.UTC().Format(time.RFC3339)
	}
	return s
}
