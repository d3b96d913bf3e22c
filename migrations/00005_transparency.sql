-- +goose Up

-- The log as a transparency log (docs/auditing.md). With these tables, it is fast to prove that a row of log.event is in
-- the tree, and that the tree has only grown.

-- Roots of the full subtrees of 256, 65,536, … leaves, as in the tiles of https://c2sp.org/tlog-tiles. Lower hashes are
-- not stored, because each follows from at most 256 rows of log.event.
CREATE TABLE log.subtree (
    n     bigint   NOT NULL, -- position in the level; 0 is the leftmost
    level smallint NOT NULL, -- level of tiles: 1 for 256 leaves, 2 for 65,536, …
    hash  bytea    NOT NULL,
    CONSTRAINT subtree_pkey PRIMARY KEY (level, n),
    CONSTRAINT subtree_n_check CHECK (n >= 0),
    CONSTRAINT subtree_level_check CHECK (level BETWEEN 1 AND 7),
    CONSTRAINT subtree_hash_check CHECK (octet_length(hash) = 32)
);

-- One row: the progress of the subtrees. A compare-and-set on it ensures that every subtree is written once, and its row
-- lock puts signers in order.
CREATE TABLE log.tree (
    singleton boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (singleton),
    subtrees  bigint  NOT NULL, -- number of stored subtrees of level 1
    verified  bigint  NOT NULL, -- number of those that were checked against log.head
    CONSTRAINT tree_check CHECK (0 <= verified AND verified <= subtrees)
);
INSERT INTO log.tree (subtrees, verified) VALUES (0, 0);

-- Every checkpoint that was ever signed. Before signing, the signer checks that it extends the previous checkpoint.
CREATE TABLE log.checkpoint (
    number       bigint      NOT NULL, -- 1, 2, 3, …: a signer takes the next number, and only one signer can take it
    size         bigint      NOT NULL, -- number of events
    signed_at    timestamptz NOT NULL DEFAULT now(),
    root         bytea       NOT NULL,
    verifier_key text        NOT NULL, -- of the signing key, in the form of https://c2sp.org/signed-note
    note         text        NOT NULL, -- the signed note, without cosignatures
    CONSTRAINT checkpoint_pkey PRIMARY KEY (number),
    CONSTRAINT checkpoint_number_check CHECK (number > 0),
    CONSTRAINT checkpoint_size_check CHECK (size > 0),
    CONSTRAINT checkpoint_root_check CHECK (octet_length(root) = 32)
);
CREATE INDEX checkpoint_size_idx ON log.checkpoint (size, number);

-- The signatures of witnesses: https://c2sp.org/tlog-cosignature.
CREATE TABLE log.cosignature (
    number      bigint      NOT NULL, -- of the checkpoint
    key_hash    bigint      NOT NULL,
    cosigned_at timestamptz NOT NULL, -- the time that the witness states
    witness     text        NOT NULL,
    line        text        NOT NULL, -- the signature line of the signed note
    CONSTRAINT cosignature_pkey PRIMARY KEY (number, witness, key_hash, cosigned_at)
);

-- Only subtrees that are not verified may be deleted, because they may turn out to disagree with log.head.
-- +goose StatementBegin
CREATE FUNCTION log.refuse_verified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ((OLD.n + 1) << (8 * (OLD.level - 1))) > (SELECT verified FROM log.tree) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the log is append-only: DELETE of %.% is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION log.verified_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.verified >= OLD.verified THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the log only grows: % of log.tree is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER refuse_update BEFORE UPDATE ON log.subtree FOR EACH ROW EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_delete BEFORE DELETE ON log.subtree FOR EACH ROW EXECUTE FUNCTION log.refuse_verified();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.subtree FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON log.tree FOR EACH ROW EXECUTE FUNCTION log.verified_only_grows();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.tree FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON log.checkpoint FOR EACH ROW EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.checkpoint FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON log.cosignature FOR EACH ROW EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.cosignature FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();

REVOKE UPDATE, TRUNCATE ON log.subtree FROM PUBLIC, CURRENT_USER;
REVOKE DELETE, TRUNCATE ON log.tree FROM PUBLIC, CURRENT_USER;
REVOKE UPDATE, DELETE, TRUNCATE ON log.checkpoint, log.cosignature FROM PUBLIC, CURRENT_USER;
