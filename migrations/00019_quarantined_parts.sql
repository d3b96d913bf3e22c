-- +goose Up

-- The quarantine may hold several parts of an event: what of a payload of the ordinals feed can't be read, part by part.
ALTER TABLE strata.quarantine
    -- What the part is about, as far as that can be read, such as 'sat:5': see package domain/ordinals. Empty for what is not
    -- about something in particular.
    ADD COLUMN subjects text[] NOT NULL DEFAULT '{}',
    DROP CONSTRAINT quarantine_pkey,
    ADD CONSTRAINT quarantine_pkey PRIMARY KEY (name, version, seq, pointer);

DROP INDEX strata.quarantine_seq_idx;
CREATE INDEX quarantine_seq_idx ON strata.quarantine (seq, name, version, pointer);

-- For answers that say that something about their subject is missing.
CREATE INDEX quarantine_subjects_idx ON strata.quarantine USING gin (subjects);
