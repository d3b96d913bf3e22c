package token

import (
	"fmt"
	"time"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
)

// attemptsMax is how many attempts may fail before a token that nothing is known of counts as failed. It is tried again
// all the same.
const attemptsMax = 3

// failed says whether what is wanted is not expected soon. Without a want nobody will try.
func (w *wantRow) failed() bool {
	return w == nil || w.severity >= fetch.Wrong || w.attempts >= attemptsMax
}

// hasFailedSince says whether the last attempt was later than the one that brought what is shown, and failed.
func hasFailedSince(failedSeq, shownSeq *int64) bool {
	return failedSeq != nil && (shownSeq == nil || *failedSeq > *shownSeq)
}

// tokenView is a token as it is shown.
type tokenView struct {
	*knownToken
	// document that is shown, its texts for this token; nil when there is none.
	document *document.Document
	// shown are the rows behind it: those of the document itself and, if there are, those of the locale.
	shown []*resourceRow
	image *resourceRow // nil when the document has none, or it is not known yet
	// hasLocale says that the document is in the locale that was asked for, or none was.
	hasLocale bool
}

// view makes what is to be shown in a locale, empty for the document's own.
func (k *knownToken) view(named namedToken, locale string) (*tokenView, error) {
	v := &tokenView{knownToken: k, hasLocale: locale == ""}
	if k.token == nil {
		return v, nil
	}
	row := k.resource(fetch.Document, "")
	if row == nil {
		return v, nil
	}
	v.shown = append(v.shown, row)
	base, err := row.decode()
	if base == nil || err != nil {
		return v, err
	}
	shown, image := base, k.resource(fetch.Image, "")
	if locale != "" && (base.Localization == nil || base.Localization.Default != locale) {
		other := k.resource(fetch.Document, locale)
		if other == nil {
			return v, nil
		}
		v.shown = append(v.shown, other)
		localised, err := other.decode()
		if localised == nil || err != nil {
			return v, err
		}
		if localised.Image != nil {
			image = k.resource(fetch.Image, locale)
		}
		shown = document.Localise(base, localised)
	}
	if k.contract.kind != token.FT {
		shown = shown.Substitute(named.id.String())
	}
	if shown.Image != nil {
		v.image = image
	}
	v.document, v.hasLocale = shown, true
	return v, nil
}

// decode reads the content of a document; nil when there never was any.
func (r *resourceRow) decode() (*document.Document, error) {
	if r.content == nil {
		return nil, nil
	}
	d, err := document.Decode([]byte(*r.content))
	if err != nil {
		return nil, fmt.Errorf("read the document of %s: %w", r.uri, err)
	}
	return d, nil
}

// refusal is why there is nothing to show; nil when there is. What was good once is shown, whatever became of later
// attempts.
func (v *tokenView) refusal() error {
	if err := v.missing(); err != nil {
		return err
	}
	switch t := v.token; {
	case !v.hasLocale:
		return errLocaleNotFound
	case t.readHeight == nil:
		return stillMissing(t.reason, t.want)
	// A fungible token is worth something without its document.
	case v.document == nil && len(v.shown) > 0 && v.contract.kind != token.FT:
		return stillMissing(v.shown[0].reason, v.shown[0].want)
	}
	return nil
}

// missing is the answer for a token that is not known; nil when it is. A contract that could not be asked for its tokens
// may have it.
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

// stillMissing is the answer while nothing is known: it is on its way, or it has failed for a reason.
func stillMissing(reason fetch.Reason, want *wantRow) error {
	if reason == fetch.ReasonNone || !want.failed() {
		return errInProgress
	}
	return newTokenError(reason)
}

// refreshState says that what is shown is not the newest, because the last attempt to have it failed.
type refreshState struct {
	State         string `json:"state" enum:"failed"`
	Reason        int    `json:"reason" doc:"Why, as a number of token-metadata-api: 100 to 110."`
	Message       string `json:"message" doc:"The same in words."`
	NextAttemptAt string `json:"next_attempt_at,omitempty" format:"date-time" doc:"Not before then it is tried again."`
}

// refresh is the failure of the contract's reading, the document or the image, the first of them; nil when there is none.
func (v *tokenView) refresh() *refreshState {
	if t := v.token; hasFailedSince(t.failedSeq, t.readSeq) {
		return newRefreshState(t.reason, t.want)
	}
	rows := v.shown
	if v.image != nil {
		rows = append(rows[:len(rows):len(rows)], v.image)
	}
	for _, r := range rows {
		if hasFailedSince(r.failedSeq, r.sourceSeq) {
			return newRefreshState(r.reason, r.want)
		}
	}
	return nil
}

func newRefreshState(reason fetch.Reason, want *wantRow) *refreshState {
	s := &refreshState{State: "failed", Reason: int(reason), Message: reason.Message()}
	if want != nil {
		s.NextAttemptAt = want.dueAt.UTC().Format(time.RFC3339)
	}
	return s
}
