package admin

import (
	"context"
	"log/slog"
	"math/big"
	"net/http"
)

// Tokens writes wishes about token metadata into the log. What they refuse with is in package fetch.
type Tokens interface {
	// Tokens has tokens of a contract fetched again; all of them if ids is nil.
	Tokens(ctx context.Context, contract string, ids []*big.Int) error
	// Failed has everything tried again whose last attempt failed, or only interfaces; it returns how much that was.
	Failed(ctx context.Context, interfaces bool) (wants int64, err error)
	// Import has a contract of the log recognised and its tokens fetched; recognised is false while its interface is not known.
	Import(ctx context.Context, contract string) (recognised bool, err error)
}

type refreshInput struct {
	Body struct {
		ContractID string   `json:"contract_id" pattern:"^[0-9A-Z]{28,41}\\.[a-zA-Z][a-zA-Z0-9_-]{0,127}$" doc:"The contract." example:"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"`
		TokenIDs   []string `json:"token_ids,omitempty" maxItems:"1000" doc:"Numbers of tokens, in decimal; without them all tokens of the contract. Numbers that the contract does not have are ignored."`
	}
}

func (in *refreshInput) attributes() []slog.Attr {
	return []slog.Attr{slog.String("contract", in.Body.ContractID), slog.Int("tokens", len(in.Body.TokenIDs))}
}

type retryInput struct {
	Body *retryRequest
}

type retryRequest struct {
	Interfaces bool `json:"interfaces,omitempty" doc:"Only the interfaces of contracts that no node has stated yet, so that nobody knows whether they are tokens."`
}

type importInput struct {
	Body struct {
		ContractID string `json:"contract_id" pattern:"^[0-9A-Z]{28,41}\\.[a-zA-Z][a-zA-Z0-9_-]{0,127}$" doc:"The contract." example:"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"`
	}
}

func (in *importInput) attributes() []slog.Attr {
	return []slog.Attr{slog.String("contract", in.Body.ContractID)}
}

type tokensAccepted struct {
	Accepted bool `json:"accepted" doc:"The wish is in the log."`
}

type retryAnswer struct {
	Retried int64 `json:"retried" doc:"What had failed and is tried again: contract reads, interfaces, documents and images."`
}

type importAnswer struct {
	Recognised bool `json:"recognised" doc:"Whether the contract is known as a token contract. If not, its interface is asked for now, and its tokens follow if it is one."`
}

func (a *API) registerTokens() {
	register(a, operation{
		method: http.MethodPost, path: "/refresh", id: "refresh-tokens", summary: "Fetch tokens again", tokens: true, status: http.StatusAccepted,
		about:    "The contract is read again, and documents and images are fetched again, of frozen tokens, too. The budget of the contract does not count.",
		refusals: []int{http.StatusConflict, http.StatusUnprocessableEntity},
	}, func(ctx context.Context, in *refreshInput) (*tokensAccepted, error) {
		ids, err := parseTokenIDs(in.Body.TokenIDs)
		if err != nil {
			return nil, err
		}
		if err := a.config.Tokens.Tokens(ctx, in.Body.ContractID, ids); err != nil {
			return nil, err
		}
		return &tokensAccepted{true}, nil
	})
	register(a, operation{
		method: http.MethodPost, path: "/retry", id: "retry-failed", summary: "Try again what failed", tokens: true, status: http.StatusAccepted,
		about:    "Everything whose last attempt failed is due now, and counts as if it had never failed. It is tried again later without this call, too.",
		refusals: []int{http.StatusConflict},
	}, func(ctx context.Context, in *retryInput) (*retryAnswer, error) {
		n, err := a.config.Tokens.Failed(ctx, in.Body != nil && in.Body.Interfaces)
		return &retryAnswer{n}, err
	})
	register(a, operation{
		method: http.MethodPost, path: "/import", id: "import-contract", summary: "Recognise a contract and fetch its tokens", tokens: true, status: http.StatusAccepted,
		about: "Contracts are recognised by themselves when a block in the log deploys them. This call asks for an interface that has not come yet, at once, " +
			"and has the tokens of a known contract fetched again. It is refused with 422 for a contract that no block in the log deploys, and for one that is no token.",
		refusals: []int{http.StatusConflict, http.StatusUnprocessableEntity},
	}, func(ctx context.Context, in *importInput) (*importAnswer, error) {
		recognised, err := a.config.Tokens.Import(ctx, in.Body.ContractID)
		return &importAnswer{recognised}, err
	})
}

// parseTokenIDs returns the numbers of tokens; nil for none.
func parseTokenIDs(texts []string) ([]*big.Int, error) {
	if texts == nil {
		return nil, nil
	}
	ids := make([]*big.Int, len(texts))
	for i, text := range texts {
		id, ok := new(big.Int).SetString(text, 10)
		if !ok || id.Sign() < 0 || id.BitLen() > 128 {
			return nil, &failureError{
				StatusCode: http.StatusBadRequest, Reason: http.StatusText(http.StatusBadRequest),
				Message: "token_ids has " + text + ", which is no number of a token: want a decimal number below 2^128",
			}
		}
		ids[i] = id
	}
	return ids, nil
}
