package brc20

import (
	"strconv"
	"strings"

	"strata/projections"
	"strata/projections/internal/ranked"
)

// Names of lists, or prefixes of names, which end with a colon. A kind of operation stands in a name as its number.
const (
	listAll          = "all"
	listKind         = "kind:"
	listTicker       = "ticker:"
	listTickerKind   = "ticker_kind:"
	listAddress      = "address:"
	listAddressKind  = "address_kind:"
	listTransferable = "transferable:"
	listTokens       = "tokens"
)

// lists returns the names of the lists that the operation is in, except for that of transferable operations.
func (o *operation) lists() []string {
	kind := strconv.Itoa(int(o.kind))
	names := []string{listAll, listKind + kind, listTicker + o.ticker, listTickerKind + kind + ":" + o.ticker}
	for _, address := range o.parties() {
		names = append(names, listAddress+address, listAddressKind+kind+":"+address)
	}
	return names
}

// transferable says whether the operation is a transfer that was not sent yet.
func (o *operation) transferable() bool { return o.kind == transfer && o.sent == nil }

func (k key) ranked() ranked.Key { return ranked.Key{k.height, k.txIndex, 0} }

// listSource returns the queries of the rows of lists.
func listSource(spec projections.Spec) ranked.Sources {
	const rows = `SELECT height AS a, tx_index AS b, 0::bigint AS c FROM {schema}.operation WHERE `
	received := spec.SQL(` UNION ALL ` + rows + `receiver = $1 AND receiver <> address`)
	operations := spec.SQL(rows)
	// ofKinds queries each kind separately, because the indexes begin with the column and the kind.
	ofKinds := func(column string) string {
		parts := make([]string, 0, transferSend)
		for k := deploy; k <= transferSend; k++ {
			parts = append(parts, operations+column+` = $1 AND kind = `+strconv.Itoa(int(k)))
		}
		return strings.Join(parts, ` UNION ALL `)
	}
	return func(list string) (query string, args []any) {
		prefix, name, _ := strings.Cut(list, ":")
		switch prefix + ":" {
		case listKind:
			return operations + `kind = ` + name, nil
		case listTicker:
			return ofKinds("ticker"), []any{name}
		case listAddress:
			return ofKinds("address") + received, []any{name}
		case listTransferable:
			return operations + `address = $1 AND kind = 3 AND sent_height IS NULL`, []any{name}
		}
		kind, of, _ := strings.Cut(name, ":")
		switch prefix + ":" {
		case listTickerKind:
			return operations + `ticker = $1 AND kind = ` + kind, []any{of}
		case listAddressKind:
			query = operations + `address = $1 AND kind = ` + kind
			if kind == strconv.Itoa(int(transferSend)) {
				query += received
			}
			return query, []any{of}
		}
		if list == listTokens {
			return spec.SQL(`SELECT height AS a, tx_index AS b, 0::bigint AS c FROM {schema}.token WHERE height IS NOT NULL`), nil
		}
		return operations + `true`, nil
	}
}
