package staking

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

var memberList = keyset{
	from: `{staking}.set_member m WHERE m.cycle = $1`, sources: `{staking.set_member m}`, columns: `m.place::bigint, m.weight, m.staked::text, m.signer_key`,
	key: []string{"m.place"}, text: `'0x' || encode(m.signer_key, 'hex')`,
}

// readMembers reads the signers of a set from a place on.
func readMembers(ctx context.Context, s *engine.Snapshot, cycle, start int64, limit int) (*listing[memberRow], error) {
	b := newBatch(s)
	rows := queue(b, &memberList, func(r *memberRow) []any { return []any{&r.place, &r.weight, &r.staked, &r.key} }, limit, []string{"$2::bigint"}, cycle, start)
	return rows, b.Run(ctx)
}

// readManagers reads the signer managers that had registered one of the keys before the set of a cycle, by key.
func readManagers(ctx context.Context, s *engine.Snapshot, cycle int64, set *setRow, keys [][]byte) (map[string][]signerManager, error) {
	b := newBatch(s)
	managers := engine.Query(b, func(r *managerRow) []any {
		return []any{&r.signer, &r.key, &r.at.BlockHeight, &r.at.BitcoinBlockHeight, &r.at.TxID, &r.next, &r.nextTx}
	}, `
		SELECT {staking.event k}, k.signer, k.signer_key, e.height, w.burn_block_height, e.txid, later.signer_key, later.txid
		FROM unnest($2::bytea[]) AS o (signer_key)
		JOIN {staking}.signer_key k ON k.signer_key = o.signer_key AND k.n < $1 AND (k.until_n IS NULL OR k.until_n >= $1)
		JOIN {staking}.event e ON e.n = k.n
		JOIN {staking}.block w ON w.height = e.height
		LEFT JOIN LATERAL (
			SELECT l.signer_key, x.txid
			FROM {staking}.signer_key l JOIN {staking}.event x ON x.n = l.n
			WHERE l.signer = k.signer AND l.n >= $1 AND l.n < $3 ORDER BY l.n DESC LIMIT 1
		) later ON true
		ORDER BY k.signer`, set.firstEvent, keys, set.nextEvent)
	grants := engine.Query(b, func(r *grantRow) []any { return []any{&r.signer, &r.key, &r.body.AuthID, &r.body.TxID} }, `
		SELECT {staking.event g}, g.signer, g.signer_key, g.auth_id::text, e.txid
		FROM (
			SELECT DISTINCT k.signer FROM unnest($2::bytea[]) AS o (signer_key)
			JOIN {staking}.signer_key k ON k.signer_key = o.signer_key AND k.n < $1 AND (k.until_n IS NULL OR k.until_n >= $1)
		) m
		JOIN {staking}.key_grant g ON g.signer = m.signer AND g.until_n IS NULL
		JOIN {staking}.event e ON e.n = g.n
		ORDER BY g.n`, set.firstEvent, keys)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	granted := map[string][]grantRow{}
	for _, g := range grants.Rows {
		g.body.SignerKey = view.HexOf(g.key)
		granted[g.signer] = append(granted[g.signer], g)
	}
	byKey := map[string][]signerManager{}
	for _, m := range managers.Rows {
		body := signerManager{SignerManager: m.signer, RegisteredAt: m.at, GrantedKeys: []grantedKey{}}
		for _, g := range granted[m.signer] {
			body.GrantedKeys = append(body.GrantedKeys, g.body)
			body.GrantActive = body.GrantActive || string(g.key) == string(m.key)
		}
		if m.next != nil && string(m.next) != string(m.key) {
			body.PendingKeyUpdate = &pendingKeyUpdate{view.HexOf(m.next), cycle + 1, hash.Hash32(m.nextTx)}
		}
		byKey[string(m.key)] = append(byKey[string(m.key)], body)
	}
	return byKey, nil
}
