package proxy

import (
	"bytes"
	"context"
	"encoding/json"

	"log/slog"
	"net/http"
	"strings"

	"strata/domain/hash"
	"strata/proxy/internal/pool"
)

// broadcast gives a transaction to the nodes. Giving it again is harmless: a node that has it answers with the same id,
// and one nonce makes one transaction. So the first decisive answer counts, whichever node it is from:
//
//   - 200 is decisive, before all errors;
//   - a refusal is decisive unless it depends on the state and the node is behind, or the node says that it failed;
//   - that a node could not be reached, was too slow or broke is not.
//
// What was begun is finished: the transaction may be on its way already when the client leaves.
func (p *Proxy) broadcast(ctx context.Context, x *exchange) (*answer, error) {
	ctx = context.WithoutCancel(ctx)
	p.budget.Request()
	x.source = fromNode
	want := pool.Want{Endpoint: x.endpoint, Safe: true}
	var best *answer
	var last error
	var others *multicast
	for tries := 1; ; tries++ {
		seat, err := p.pool.Pick(ctx, want)
		if err != nil {
			if best == nil && last == nil {
				return nil, err
			}
			break
		}
		node := seat.Node
		if p.config.Multicast && others == nil {
			others = p.multicast(ctx, x, node)
			want.Tried |= others.nodes
		}
		t := p.attempt(ctx, x, seat)
		want.Tried |= t.nodes
		d := p.decide(t, node)
		p.metrics.broadcasts.WithLabelValues("first", d.label()).Inc()
		if t.answer != nil {
			t.answer.tries = tries
		}
		if d.final {
			if best != nil {
				best.discard()
			}
			if t.answer == nil {
				return nil, &unanswered{t.err}
			}
			p.note(ctx, x, d, node)
			return t.answer, nil
		}
		best, last = better(best, t.answer), t.err
		if tries >= triesMax && t.outcome != pool.Unconnected {
			break
		}
		p.metrics.retries.Inc()
	}
	if others != nil {
		best = others.first(best)
	}
	if best == nil {
		return nil, &unanswered{last}
	}
	p.config.Logger.LogAttrs(ctx, slog.LevelWarn, "no node decided about a transaction",
		slog.Int("status", best.status), slog.String("node", best.node), slog.Int("tries", best.tries))
	return best, nil
}

// decision is what a node's answer means for a transaction.
type decision struct {
	final    bool
	accepted bool
	id       hash.Hash32 // zero if the node named none
	status   int         // 0: no answer
	reason   string      // of a refusal
	outcome  pool.Outcome
}

// label of the decision in metrics.
func (d decision) label() string {
	switch {
	case d.accepted:
		return "accepted"
	case knownReasons[d.reason]:
		return d.reason
	case d.status >= 400 && d.status < 500:
		return "refused"
	}
	return d.outcome.String()
}

// knownReasons are the reasons of refusals that metrics tell apart; a node may say anything.
var knownReasons = func() map[string]bool {
	known := map[string]bool{}
	for reason := range strings.FieldsSeq(`Serialization Deserialization SignatureValidation FeeTooLow BadNonce NotEnoughFunds
		NoSuchContract NoSuchPublicFunction BadFunctionArgument ContractAlreadyExists ConflictingNonceInMempool TooMuchChaining
		BadTransactionVersion BadAddressVersionByte TransferRecipientCannotEqualSender TransferAmountMustBePositive
		PoisonMicroblocksDoNotConflict PoisonMicroblockHasUnknownPubKeyHash PoisonMicroblockIsInvalid NoCoinbaseViaMempool
		NoTenureChangeViaMempool EstimatorError TemporarilyBlacklisted ServerFailureNoSuchChainTip ServerFailureDatabase
		ServerFailureOther`) {
		known[reason] = true
	}
	return known
}()

// dependsOnState says whether a refusal for a reason may be wrong on a node that is behind.
func dependsOnState(reason string) bool {
	switch reason {
	case "BadNonce", "NotEnoughFunds", "NoSuchContract", "ConflictingNonceInMempool":
		return true
	}
	return false
}

func (p *Proxy) decide(t tried, node *pool.Node) decision {
	d := decision{outcome: t.outcome}
	a := t.answer
	if a == nil {
		d.final = t.outcome == pool.ClientError // it was not sent, and no node would read it
		return d
	}
	d.status = a.status
	switch {
	case a.status < 300:
		d.final, d.accepted = true, true
		d.id = idOf(a.body)
	case a.status >= 500, a.status == http.StatusTooManyRequests:
	default:
		var refusal struct{ Reason, TxID string }
		if json.Unmarshal(a.body, &refusal) == nil { // else it is a text, about bytes that are no transaction
			d.reason = refusal.Reason
			d.id, _ = hash.Parse32(refusal.TxID)
		}
		behind := node.Height() < p.pool.Tip().Height
		d.final = !strings.HasPrefix(d.reason, "ServerFailure") && (!behind || !dependsOnState(d.reason))
	}
	return d
}

// idOf is the transaction's id in a node's answer, which is a JSON string; zero if there is none.
func idOf(body []byte) hash.Hash32 {
	id, _ := hash.Parse32(string(bytes.Trim(body, "\" \r\n\t")))
	return id
}

// note logs what became of a transaction, and remembers who has it.
func (p *Proxy) note(ctx context.Context, x *exchange, d decision, node *pool.Node) {
	if d.accepted && !d.id.IsZero() {
		p.follow.took(d.id, node.Bit)
	}
	p.config.Logger.LogAttrs(ctx, slog.LevelInfo, "transaction sent to a node",
		slog.String("txid", d.id.String()), slog.String("node", node.Name), slog.Int64("height", p.pool.Tip().Height),
		slog.Int("status", d.status), slog.String("reason", d.reason), slog.Uint64("request", uint64(x.request.ID)))
}
