package strata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Broadcasted is a transaction that reads show.
type Broadcasted struct {
	TxID string // with 0x
	// Position is one at which reads know the transaction, as pending or mined.
	Position string
}

// Broadcast sends a transaction to the node, as SIP-005 encodes it, and waits until the server's tables know it. Every
// later answer to the session reflects that, whichever process or replica gives it. session may be nil.
func Broadcast(ctx context.Context, client *Client, session *Session, transaction []byte) (*Broadcasted, error) {
	before, err := positionOf(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("ask for the position before the broadcast: %w", err)
	}
	id, err := Read[string](client.BroadcastTransactionWithBody(ctx, nil, "application/octet-stream", bytes.NewReader(transaction)))
	if err != nil {
		return nil, fmt.Errorf("broadcast a transaction: %w", err)
	}
	sent := &Broadcasted{TxID: "0x" + strings.TrimPrefix(*id, "0x")}
	ask := func(ctx context.Context, edit RequestEditorFn) (*http.Response, error) {
		return client.StreamMempool(ctx, nil, edit)
	}
	for event, err := range Follow(ctx, ask, before) {
		if err != nil {
			return nil, fmt.Errorf("wait for transaction %s: %w", sent.TxID, err)
		}
		var about struct {
			TxID string `json:"tx_id"`
		}
		if json.Unmarshal(event.Data, &about) != nil || about.TxID != sent.TxID {
			continue
		}
		if sent.Position, err = positionOf(ctx, client); err != nil { // the event may stand before the position that it leads to
			return nil, fmt.Errorf("ask for the position of transaction %s: %w", sent.TxID, err)
		}
		if logPosition(event.Position) > logPosition(sent.Position) {
			sent.Position = event.Position
		}
		if session != nil {
			session.Reflect(sent.Position)
		}
		return sent, nil
	}
	return nil, fmt.Errorf("wait for transaction %s: %w", sent.TxID, context.Cause(ctx))
}

// positionOf returns the position of the server's tables.
func positionOf(ctx context.Context, client *Client) (string, error) {
	limit := int64(1)
	answer, err := client.ListMempoolV3(ctx, &ListMempoolV3Params{Limit: &limit})
	if err != nil {
		return "", err
	}
	if err := refused(answer); err != nil {
		return "", err
	}
	_ = answer.Body.Close()
	position := answer.Header.Get(positionHeader)
	if position == "" {
		return "", errors.New("the answer has no " + positionHeader)
	}
	return position, nil
}
