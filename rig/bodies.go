package rig

import (
	"strata/rig/replay"
	"strata/rig/schemas"
)

// CheckBodies compares the rows of blocks and of what is in them with the bodies in the log that they come from, member by member.
func CheckBodies(t replay.TB, db replay.Querier) {
	t.Helper()
	bodies := replay.Bodies(t, db)
	// A body may have a member that is no UTF-8, and nobody reads; those that are compared are ASCII.
	// Queries of rows with what bodies say of them, and the columns; =member where that has another name.
	for query, columns := range map[string]string{
		`SELECT to_jsonb(b), body FROM body JOIN {chain}.block b ON b.source_seq = seq`: `height=block_height burn_block_height burn_block_time block_time
			tenure_height parent_burn_block_height parent_burn_block_time=parent_burn_block_timestamp pox_v1_unlock_height pox_v2_unlock_height
			pox_v3_unlock_height pox_v4_unlock_height cycle_number parent_microblock_sequence index_block_hash parent_index_block_hash block_hash parent_block_hash
			burn_block_hash parent_burn_block_hash consensus_hash miner_txid parent_microblock_hash=parent_microblock signer_signature_hash miner_signature`,
		`SELECT to_jsonb(r) || jsonb_build_object('op', burnchain_op::jsonb, 'sender', CASE WHEN burnchain_op IS NOT NULL THEN sender END),
				'{"read_count": 0, "read_length": 0, "runtime": 0, "write_count": 0, "write_length": 0}' || tx || coalesce(tx->'execution_cost', '{}') ||
				jsonb_build_object('op', op, 'sender', op->'sender'->'address', 'nonce', CASE WHEN length(raw_tx) > 43 THEN ('x' || encode(substring(raw_tx FROM 28 FOR 8), 'hex'))::bit(64)::bigint END,
					'fee', CASE WHEN sponsor IS NOT NULL THEN r.fee WHEN length(raw_tx) > 43 THEN ('x' || encode(substring(raw_tx FROM 36 FOR 8), 'hex'))::bit(64)::bigint ELSE 0 END)
			FROM body, jsonb_array_elements(body->'transactions') AS tx LEFT JOIN LATERAL jsonb_each(coalesce(nullif(tx->'burnchain_op', 'null'), '{}')) AS o (k, op) ON true,
				{chain}.transaction r WHERE r.source_seq = seq AND r.tx_index = (tx->>'tx_index')::int`: `txid status raw_tx raw_result vm_error op sender nonce fee
			microblock_sequence microblock_hash execution_cost_read_count=read_count execution_cost_read_length=read_length execution_cost_runtime=runtime
			execution_cost_write_count=write_count execution_cost_write_length=write_length`,
		`SELECT to_jsonb(r), jsonb_build_object('sender', d->'locked_address', 'amount', d->'locked_amount', 'type', e->'type') || d ||
				jsonb_build_object('memo', '0x' || replace(d->>'memo', '0x', ''))
			FROM body JOIN {chain}.event r ON r.source_seq = seq, LATERAL (SELECT body->'events'->pointer AS e) x, LATERAL (SELECT e->(e->>'type') AS d) y`: `type
			asset_identifier contract_identifier topic sender recipient amount unlock_height value=raw_value memo`,
		`SELECT jsonb_build_object('contract_id', k.contract_id, 'code', source_code <> '' AND position(convert_to(source_code, 'UTF8') IN raw_tx) > 0),
				jsonb_build_object('contract_id', r.contract_id, 'code', true)
			FROM {chain}.contract k JOIN {chain}.transaction r USING (source_seq, tx_index)`: `contract_id code`,
		`SELECT jsonb_build_object('list', array(SELECT sequence || ' ' || microblock_hash FROM {chain}.microblock_confirmation WHERE source_seq = seq ORDER BY 1)),
				jsonb_build_object('list', array(SELECT DISTINCT (tx->>'microblock_sequence') || ' ' || replace(tx->>'microblock_hash', '0x', '\x')
					FROM jsonb_array_elements(body->'transactions') AS tx WHERE tx->>'microblock_hash' IS NOT NULL ORDER BY 1))
			FROM body JOIN {chain}.block b ON b.source_seq = seq`: `list`,
	} {
		for _, wrong := range replay.Texts(t, db, schemas.In(`
			WITH body AS MATERIALIZED (
				SELECT seq, replace(convert_from(body, 'LATIN1'), '\u0000', '\ufffd')::jsonb AS body
				FROM unnest($2::bytea[]) WITH ORDINALITY AS e (body, seq) WHERE seq IN (SELECT source_seq FROM {chain}.block))
			SELECT concat_ws(E'\n', name, got, want, given, said) FROM (`+query+`) AS r (given, said), unnest(regexp_split_to_array($1, '\s+')) AS name,
				LATERAL (SELECT given->>split_part(name, '=', 1), nullif(regexp_replace(said->>regexp_replace(name, '.*=', ''), '^0x', '\\x'), '\x' || repeat('00', 20))) v (got, want)
			WHERE got IS DISTINCT FROM want LIMIT 3`), columns, bodies) {
			t.Errorf("got a row other than what the body says: %.2000s", wrong)
		}
	}
}
