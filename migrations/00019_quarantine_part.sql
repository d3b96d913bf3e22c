-- +goose Up

-- An event has an entry for each of its parts that can't be read, while the others count: its pointer is of the part.
ALTER TABLE strata.quarantine
    DROP CONSTRAINT quarantine_pkey,
    ADD CONSTRAINT quarantine_pkey PRIMARY KEY (name, version, seq, pointer);

DROP INDEX strata.quarantine_seq_idx;
CREATE INDEX quarantine_seq_idx ON strata.quarantine (seq, name, version, pointer);
