package audit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

type negativeBalancesInput struct {
	Limit  int                   `query:"limit" minimum:"0" maximum:"200" default:"50" doc:"Maximum number of rows of the page; 0 means the default."`
	Cursor negativeBalanceCursor `query:"cursor" pattern:"^[0-9]{1,18}:[^:]+:.+$" doc:"height:account:asset of the first row of the page."`
}

// negativeBalance is a block at which a balance became negative. No chain allows that, so events are missing from the
// log.
type negativeBalance struct {
	Account   string        `json:"account"`
	Asset     string        `json:"asset" doc:"stx or an asset identifier."`
	Height    int64         `json:"height"`
	Balance   schema.Amount `json:"balance"`
	Cause     string        `json:"cause" doc:"The change that made the balance negative: the type of an event, fee or miner_reward."`
	Pointer   string        `json:"pointer" doc:"JSON pointer of the cause in the body of the event."`
	SourceSeq int64         `json:"source_seq"`
	Event     string        `json:"event" format:"uri-reference"`
}

func (a *api) registerNegativeBalances() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-negative-balances", Path: "/audit/v1/negative-balances", Tag: "Audit", Summary: "List balances that became negative",
		Description: "The list is sorted by account, asset and height. No chain allows negative balances: they show that events are missing from the log. An archive that starts above genesis has them inevitably.",
		Statuses:    []int{400},
	}, listNegativeBalances)
}

// negativeBalanceCursor is height:account:asset of the first row of a page; empty for the first page. An asset may
// contain colons.
type negativeBalanceCursor string

func (c negativeBalanceCursor) parse() (height int64, account, asset string, err error) {
	if c == "" {
		return 0, "", "", nil
	}
	parts := strings.SplitN(string(c), ":", 3)
	if len(parts) == 3 {
		if height, err = strconv.ParseInt(parts[0], 10, 64); err == nil {
			return height, parts[1], parts[2], nil
		}
	}
	return 0, "", "", engine.BadRequest("invalid cursor %q", string(c))
}

// accountSize and assetSize are the sizes up to which names stand in cursors as they are.
const accountSize, assetSize = 89, 90

func listNegativeBalances(ctx context.Context, s *engine.Snapshot, in *negativeBalancesInput) (*page.KeyPage[negativeBalance], error) {
	limit := page.LimitOr(in.Limit, auditLimit)
	height, account, asset, err := in.Cursor.parse()
	if err != nil {
		return nil, err
	}
	key := func(n negativeBalance) string {
		return fmt.Sprintf("%d:%s:%s", n.Height, page.ShortName(n.Account, accountSize), page.ShortName(n.Asset, assetSize))
	}
	if _, ok := s.Tip("balances"); !ok {
		return page.NewKeyPage(limit, nil, key), nil
	}
	const list = `{balances}.negative_balance n WHERE `
	if account, err = page.FullName(ctx, s, account, `n.account`, list+`true`); err != nil {
		return nil, err
	}
	if asset, err = page.FullName(ctx, s, asset, `n.asset`, list+`n.account = $1::text`, account); err != nil {
		return nil, err
	}
	b := s.Batch()
	found := engine.QueryPage(b, limit, func(n *negativeBalance) []any {
		return []any{&n.Account, &n.Asset, &n.Height, (*string)(&n.Balance), &n.Cause, &n.Pointer, &n.SourceSeq}
	}, `
		SELECT {balances.negative_balance n}, n.account, n.asset, n.height, n.balance::text, n.cause, n.pointer, n.source_seq
		FROM {balances}.negative_balance n WHERE (n.account, n.asset, n.height) >= ($1, $2, $3)
		ORDER BY n.account, n.asset, n.height LIMIT $4`, account, asset, height, limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i := range found.Rows {
		found.Rows[i].Event = fmt.Sprintf("/audit/v1/events/%d", found.Rows[i].SourceSeq)
	}
	return page.NewKeyPage(limit, found.Rows, key), nil
}

var tracedNegative = &engine.TraceTable{
	Projection: "balances", Name: "negative_balance", Key: "account asset height", Values: "balance:text cause",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}},
}
