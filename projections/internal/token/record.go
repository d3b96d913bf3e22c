package token

import (
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/projections"
	"strata/projections/internal/token/internal/fact"
)

// nftMax is the largest last token id of a contract from which tokens are created. Tokens that a contract mints get
// their rows one by one in any case.
const nftMax = 50_000

// namedMax is the number of tokens up to which a record's changes are named one by one.
const namedMax = 500

// single processes a record that cannot be part of a wave.
func (b *batch) single(step projections.Step, s openWant, canonical bool) error {
	switch r := step.Record.(type) {
	case *fetch.Refresh:
		return b.refresh(step, r)
	case *fetch.Rest:
		return b.rest(step, r)
	case *fetch.Report:
		switch r.Want.Kind {
		case fetch.ContractRead:
			return b.read(step, r, s, canonical)
		case fetch.ContractInterface:
			return b.interfaceRead(step, r, s)
		}
	}
	return nil
}

// refresh raises the wants that a person's refresh request asks for, for frozen tokens too. Of a contract whose interface is
// not known yet, that is the interface.
func (b *batch) refresh(step projections.Step, r *fetch.Refresh) error {
	if r.Failed {
		return b.retry(step, r)
	}
	about := map[string]recognition{r.Contract: unknown}
	if err := b.lookUp(about); err != nil {
		return err
	}
	switch about[r.Contract] {
	case unknown:
		return nil
	case unrecognised:
		return b.raise([]raisedWant{{
			want: interfaceWant(r.Contract), seq: step.SourceSeq, due: r.RequestedAt, priority: priorityPerson, anew: true,
		}})
	}
	want := raisedWant{seq: step.SourceSeq, due: r.RequestedAt, height: &b.tip.Height, priority: priorityPerson, anew: true}
	var ids []string
	if r.TokenID != "" {
		ids = []string{r.TokenID}
	} else if b.kind == token.NFT {
		want.want = lastTokenIDWant(r.Contract)
		if err := b.raise([]raisedWant{want}); err != nil {
			return err
		}
	}
	return b.fetchAgain(r.Contract, ids, want)
}

// read processes the report of a contract read other than that of a token's properties.
func (b *batch) read(step projections.Step, r *fetch.Report, s openWant, canonical bool) error {
	key := r.Want.Key()
	id := tokenIDOf(b.kind, r.Want)
	if id != nil {
		b.touchToken(tokenKey{r.Want.Contract, id.String()})
	}
	switch {
	case !canonical: // the want stays open
		return b.wait(s, step.SourceSeq, r.FinishedAt)
	case key == lastTokenIDWant(r.Want.Contract).Key():
		return b.lastTokenID(step, r, s)
	case id != nil && key == b.supplyWant(r.Want.Contract, id).Key():
		return b.supply(step, r, s, tokenKey{r.Want.Contract, id.String()})
	}
	return b.settle(s) // an earlier program raised this want, with other calls
}

// tokenIDOf returns the id of the token that a contract read is about; nil if it is about none.
func tokenIDOf(kind token.Kind, w fetch.Want) *big.Int {
	if kind == token.FT {
		return fact.FungibleID
	}
	return token.IDOf(w.Calls)
}

// supply processes the report of a token's supply. A supply that cannot be read stays as it was; while another attempt is due, the
// token says so.
func (b *batch) supply(step projections.Step, r *fetch.Report, s openWant, key tokenKey) error {
	total, problem := token.ReadSupply(r)
	if problem != nil && problem.Severity != fetch.Wrong {
		if _, err := b.tx.Exec(b.ctx, b.sql(`
			UPDATE {schema}.token SET failed_seq = $3, reason = $4
			WHERE contract_id = $1 AND token_id = $2::numeric AND failed_seq IS DISTINCT FROM read_seq`), key.contract, key.id, step.SourceSeq, problem.Reason); err != nil {
			return fmt.Errorf("note that the supply of %s %s can't be read: %w", key.contract, key.id, err)
		}
		return b.fail(failure{s, step.SourceSeq, r.FinishedAt, problem})
	}
	if err := b.settle(s); err != nil {
		return err
	}
	// What the token says of an earlier failure is over, unless it is that of the read of its properties. Without these it is not
	// read yet, although its supply is.
	whole := keyHash(b.readWant(r.Want.Contract, bigOf(key.id)))
	_, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.token t
		SET total_supply = coalesce($3, total_supply), supply_seq = CASE WHEN $3 IS NULL THEN supply_seq ELSE $5 END,
		    read_height = CASE WHEN $3 IS NULL OR read_height IS NULL THEN read_height ELSE greatest(read_height, $4) END,
		    failed_seq = CASE WHEN fails OR failed_seq = read_seq THEN failed_seq END, reason = CASE WHEN fails OR failed_seq = read_seq THEN reason ELSE 0 END
		FROM (SELECT EXISTS (SELECT FROM {schema}.want WHERE key_hash = $6 AND reason <> 0)) w (fails)
		WHERE contract_id = $1 AND token_id = $2::numeric`), key.contract, key.id, projections.Amount(total), r.Tip.Height, step.SourceSeq, whole[:])
	if err != nil {
		return fmt.Errorf("write the supply of %s %s: %w", key.contract, key.id, err)
	}
	return nil
}

// lastTokenID processes the report of a contract's last token id, and creates the tokens up to it that have no row yet.
func (b *batch) lastTokenID(step projections.Step, r *fetch.Report, s openWant) error {
	contract := r.Want.Contract
	b.touch(contract)
	last, problem := token.ReadLastTokenID(r)
	if problem != nil {
		if problem.Severity != fetch.Waiting { // fetch.Waiting says nothing about the contract
			if _, err := b.tx.Exec(b.ctx, b.sql(`UPDATE {schema}.contract SET failed_seq = $2, reason = $3 WHERE contract_id = $1`),
				contract, step.SourceSeq, problem.Reason); err != nil {
				return fmt.Errorf("note that %s can't be read: %w", contract, err)
			}
		}
		return b.fail(failure{s, step.SourceSeq, r.FinishedAt, problem})
	}
	if _, err := b.tx.Exec(b.ctx, b.sql(`
		UPDATE {schema}.contract
		SET last_token_id = $2, read_height = $3, read_seq = $4, read_at = $5, failed_seq = NULL, reason = 0
		WHERE contract_id = $1`), contract, projections.Amount(last), r.Tip.Height, step.SourceSeq, r.FinishedAt); err != nil {
		return fmt.Errorf("write the last token of %s: %w", contract, err)
	}
	if err := b.settle(s); err != nil {
		return err
	}
	if !last.IsInt64() || last.Int64() > nftMax || last.Sign() <= 0 {
		return nil
	}
	var (
		n         = int(last.Int64())
		heights   = make([]int64, n)
		seqs      = make([]int64, n)
		ids       = make([]string, n)
		contracts = make([]string, n)
	)
	if n > namedMax {
		b.touched = nil
	}
	for i := range n {
		heights[i], seqs[i], ids[i], contracts[i] = r.Tip.Height, step.SourceSeq, fmt.Sprint(i+1), contract
	}
	added, err := b.insertTokens(heights, seqs, ids, contracts)
	if err != nil {
		return err
	}
	if err := b.knownSince(contract, n, r.Tip.Height, step.SourceSeq); err != nil {
		return err
	}
	var wants []raisedWant
	for _, id := range ids {
		if added[tokenKey{contract, id}] {
			wants = append(wants, raisedWant{
				want: b.readWant(contract, bigOf(id)), seq: step.SourceSeq, due: r.FinishedAt, height: &r.Tip.Height, priority: priorityAgain,
			})
		}
	}
	return b.raise(wants)
}

// knownSince records that tokens 1 to n existed at a height. So the revert of a higher block whose mint created the row
// of one of them, before the report came, does not delete it.
func (b *batch) knownSince(contract string, n int, height, seq int64) error {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		UPDATE {schema}.token SET height = $3, source_seq = $4
		WHERE contract_id = $1 AND token_id BETWEEN 1 AND $2 AND height > $3
		RETURNING contract_id, token_id::text`), contract, n, height, seq)
	if err != nil {
		return fmt.Errorf("note since when tokens of %s are known: %w", contract, err)
	}
	keys, err := pgx.CollectRows(rows, scanTokenKey)
	if err != nil {
		return fmt.Errorf("note since when tokens of %s are known: %w", contract, err)
	}
	for _, key := range keys {
		b.touchToken(key)
	}
	return nil
}

// interfaceRead processes the report of the interface of a contract whose deploy came without one.
func (b *batch) interfaceRead(step projections.Step, r *fetch.Report, s openWant) error {
	abi, problem := token.ReadInterface(r)
	if problem != nil {
		return b.fail(failure{s, step.SourceSeq, r.FinishedAt, problem})
	}
	if err := b.settle(s); err != nil {
		return err
	}
	contract := r.Want.Contract
	b.touch(contract)
	d := fact.Deploy{Contract: contract}
	var height, seq int64
	rows, err := b.tx.Query(b.ctx, b.sql(`DELETE FROM {schema}.unrecognised WHERE contract_id = $1 RETURNING height, source_seq, tx_index, txid`), contract)
	if err != nil {
		return fmt.Errorf("recognise %s: %w", contract, err)
	}
	found := false
	if _, err := pgx.ForEachRow(rows, []any{&height, &seq, &d.TxIndex, &d.TxID}, func() error {
		found = true
		return nil
	}); err != nil {
		return fmt.Errorf("recognise %s: %w", contract, err)
	}
	if !found {
		return nil
	}
	var ok bool
	if d.Recognised, ok = token.Recognise(abi); !ok || d.Recognised.Kind != b.kind {
		return b.disown(contract)
	}
	n := findings{contracts: [][]any{contractRow(height, seq, &step.SourceSeq, d)}}
	want := raisedWant{seq: step.SourceSeq, due: r.FinishedAt, height: &height, priority: priorityChain}
	b.begin(&n, contract, want) // as if the contract had been recognised in its block
	for i := range n.wants {
		n.wants[i].height = &b.tip.Height
	}
	if err := b.flush(&n); err != nil {
		return err
	}
	// Blocks since the deploy may have changed what there is to read.
	want.height = &b.tip.Height
	ids, err := b.tokensOf(contract, true)
	if err != nil {
		return err
	}
	return b.fetchTokens(contract, ids, want)
}

// disown deletes the tokens and notifications of a contract that turned out not to follow the standard of this kind.
func (b *batch) disown(contract string) error {
	if _, err := b.tx.Exec(b.ctx, b.sql(`DELETE FROM {schema}.notification WHERE contract_id = $1`), contract); err != nil {
		return fmt.Errorf("delete the notifications of %s: %w", contract, err)
	}
	return b.dropTokens(`contract_id = $1`, contract)
}
