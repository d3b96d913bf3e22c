package rosetta

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/ledger"
	"strata/readapi/rosetta/internal/wire"
)

// Limits of the pages of /search/transactions.
const (
	searchDefault = 10
	searchMost    = 50
)

// search finds transactions by the conditions that an index serves. A condition that would need a scan of the chain is
// refused: an answer of some of the transactions would be wrong.
func (c *call) search(ctx context.Context, in *wire.SearchRequest) (answer *wire.SearchAnswer, err error) {
	query, err := searchQuery(in)
	if err != nil {
		return nil, err
	}
	err = c.read(ctx, func(ctx context.Context, s *engine.Snapshot) error {
		found, err := c.reader().Search(ctx, s, query)
		if err != nil {
			return err
		}
		answer = &wire.SearchAnswer{Transactions: []wire.BlockTransaction{}, TotalCount: found.Total, NextOffset: found.Next}
		for _, block := range found.Blocks {
			for i := range block.Transactions {
				answer.Transactions = append(answer.Transactions, wire.BlockTransaction{
					BlockIdentifier: c.BlockIdentifier(block.ID), Transaction: c.transaction(&block.Transactions[i]),
				})
			}
		}
		return nil
	})
	return answer, err
}

// searchQuery returns what a request searches for.
func searchQuery(in *wire.SearchRequest) (q ledger.Query, err error) {
	q.Limit, q.MaxBlock = searchDefault, in.MaxBlock
	if in.Limit != nil {
		q.Limit = min(*in.Limit, searchMost)
	}
	if in.Offset != nil {
		q.Offset = *in.Offset
	}
	if q.Limit <= 0 || q.Offset < 0 {
		return q, fault.Newf(fault.InvalidParams, "limit must be positive, and offset not negative")
	}
	conditions := 0
	if id := in.TransactionIdentifier; id != nil {
		h, err := hash.Parse32(id.Hash)
		if err != nil {
			return q, fault.New(fault.InvalidTransactionHash)
		}
		q.Transaction = &h
		conditions++
	}
	for _, account := range []*wire.AccountIdentifier{in.AccountIdentifier, addressAccount(in.Address)} {
		if account == nil {
			continue
		}
		if err := checkAccount(*account); err != nil {
			return q, err
		}
		if q.Account != "" && q.Account != account.Address {
			return q, fault.Newf(fault.NotSupported, "a search is by one account")
		}
		q.Account = account.Address
		conditions++
	}
	operator := "and"
	if in.Operator != nil {
		operator = *in.Operator
	}
	switch {
	case operator != "and" && operator != "or":
		return q, fault.Newf(fault.InvalidParams, "operator must be and, or or")
	case operator == "or" && conditions > 1:
		return q, fault.Newf(fault.NotSupported, "a search that any of several conditions satisfies has no index")
	case in.CoinIdentifier != nil || in.Currency != nil || in.Status != nil || in.Type != nil || in.Success != nil:
		return q, fault.Newf(fault.NotSupported, "coin_identifier, currency, status, type and success have no index: search by transaction_identifier, account_identifier or address")
	}
	return q, nil
}

func addressAccount(address *string) *wire.AccountIdentifier {
	if address == nil {
		return nil
	}
	return &wire.AccountIdentifier{Address: *address}
}
