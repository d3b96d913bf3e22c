package strata_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	strata "strata.example/client"
)

// A request says all that its parameters say.
func TestRequests(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = strings.Join([]string{r.Method, r.RequestURI, r.Header.Get("X-Edited"), r.Header.Get("X-Strata-Trace"), r.Header.Get("Content-Type"), string(body)}, " ")
		_, _ = io.WriteString(w, `{"height": 7}`)
	}))
	t.Cleanup(server.Close)
	client, err := strata.NewClient(server.URL+"/below/", strata.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Edited", "edited")
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	limit, cursor, types := int64(3), "a,b c", []string{"coinbase", "a&b"}
	for want, answer := range map[string]func() (*http.Response, error){
		"GET /below/extended/v3/blocks edited": func() (*http.Response, error) { return client.ListBlocksV3(ctx, nil) },
		"GET /below/extended/v3/blocks?limit=3&cursor=a%2Cb+c edited": func() (*http.Response, error) {
			return client.ListBlocksV3(ctx, &strata.ListBlocksV3Params{Limit: &limit, Cursor: &cursor})
		},
		"GET /below/extended/v3/blocks/a%2Fb%20c edited": func() (*http.Response, error) { return client.GetBlockV3(ctx, "a/b c", nil) },
		"GET /below/extended/v1/tx?type=coinbase&type=a%26b edited": func() (*http.Response, error) {
			return client.ListTransactions(ctx, &strata.ListTransactionsParams{Type: &types})
		},
		`POST /below/v2/fees/transaction edited 1 application/json {"transaction_payload":"00"}`: func() (*http.Response, error) {
			trace := "1"
			return client.EstimateTransactionFee(ctx, &strata.EstimateTransactionFeeParams{XStrataTrace: &trace}, strata.NodeFeeRequest{TransactionPayload: "00"})
		},
	} {
		block, err := strata.Read[strata.BlockV3](answer())
		if err != nil || block.Height != 7 || strings.TrimSpace(asked) != want {
			t.Errorf("got %+v (%v), and asked %q, want %q", block, err, asked, want)
		}
	}
}
