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

// broadcast sends a transaction to the nodes. Sending it twice is harmless: a node that already has it answers with the
// same id, and a nonce allows only one transaction. So the first decisive answer counts, whichever node it comes from:
//
//   - 200 is decisive, and beats every error;
//   - a refusal is decisive, unless the node reports a failure of its own, or its reason depends on the state and the
//     node is behind.
//     If no other node decides, its refusal stands;
//   - a node that can't be reached, times out or breaks the connection decides nothing.
//
// A broadcast goes on when the client leaves, because the transaction may already be on its way.
func (p *Proxy) broadcast(ctx context.Context, x *exchange) (*answer, error) {
	ctx = context.WithoutCancel(ctx)
	p.budget.request()
	x.source = fromNode
	want := pool.Want{Endpoint: x.endpoint, Safe: true}
	var best *answer
	var refused *refusal // of best; nil if best is no refusal
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
			want.Excluded |= others.nodes
		}
		t := p.attempt(ctx, x, seat)
		want.Excluded |= t.nodes
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
				return nil, &noAnswerError{t.err}
			}
			p.recordDecision(ctx, x, d, node)
			return t.answer, nil
		}
		if best, last = better(best, t.answer), t.err; d.refused && best == t.answer {
			refused = &refusal{d, node}
		}
		if tries >= triesMax && t.outcome != pool.Unconnected {
			break
		}
		p.metrics.retries.Inc()
	}
	if others != nil {
		own := best
		if best = others.first(best); best != own {
			refused = nil
		}
	}
	if best == nil {
		return nil, &noAnswerError{last}
	}
	if refused != nil { // no other node contradicts it, although its node is behind
		p.recordDecision(ctx, x, refused.decision, refused.node)
		return best, nil
	}
	p.config.Logger.LogAttrs(ctx, slog.LevelWarn, "no node accepted or refused the transaction",
		slog.Int("status", best.status), slog.String("node", best.node), slog.Int("tries", best.tries))
	return best, nil
}

// refusal is a decision of a node.
type refusal struct {
	decision decision
	node     *pool.Node
}

// decision is what one attempt means for a transaction.
type decision struct {
	final    bool
	accepted bool
	refused  bool        // perhaps only because the node is behind, which final tells
	id       hash.Hash32 // zero if the node's answer has none
	status   int         // of the answer; 0 without one
	reason   string      // of a refusal
	outcome  pool.Outcome
}

// label returns the decision's label in metrics.
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

// knownReasons lists the reasons for a refusal that are labels in metrics. The list is closed because a node may send
// any text.
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

// dependsOnState reports whether a node that is behind may be wrong to refuse a transaction for this reason.
func dependsOnState(reason string) bool {
	switch reason {
	case "BadNonce", "NotEnoughFunds", "NoSuchContract", "ConflictingNonceInMempool":
		return true
	}
	return false
}

// decide derives a decision from an attempt on node.
func (p *Proxy) decide(t attempt, node *pool.Node) decision {
	d := decision{outcome: t.outcome}
	a := t.answer
	if a == nil {
		d.final = t.outcome == pool.ClientError // it was not sent, because its head is longer than any node reads
		return d
	}
	d.status = a.status
	switch {
	case a.status < 300:
		d.final, d.accepted = true, true
		d.id = txidOf(a.body)
	case a.status >= 500, a.status == http.StatusTooManyRequests:
	default:
		var refusal struct{ Reason, TxID string }
		if json.Unmarshal(a.body, &refusal) == nil { // otherwise the body is plain text: the bytes are no transaction
			d.reason = refusal.Reason
			d.id, _ = hash.Parse32(refusal.TxID)
		}
		behind := node.Height() < p.pool.Tip().Height
		d.refused = !strings.HasPrefix(d.reason, "ServerFailure")
		d.final = d.refused && (!behind || !dependsOnState(d.reason))
	}
	return d
}

// txidOf returns the transaction id in the body of a node's answer, a JSON string; zero if there is none.
func txidOf(body []byte) hash.Hash32 {
	id, _ := hash.Parse32(string(bytes.Trim(body, "\" \r\n\t")))
	return id
}

// recordDecision logs a final decision. If node accepted the transaction, it also remembers that the node holds it.
func (p *Proxy) recordDecision(ctx context.Context, x *exchange, d decision, node *pool.Node) {
	if d.accepted && !d.id.IsZero() {
		p.holders.add(d.id, node.Bit)
	}
	p.config.Logger.LogAttrs(ctx, slog.LevelInfo, "transaction sent to a node",
		slog.String("txid", d.id.String()), slog.String("node", node.Name), slog.Int64("height", p.pool.Tip().Height),
		slog.Int("status", d.status), slog.String("reason", d.reason), slog.Uint64("request", uint64(x.request.ID)))
}
