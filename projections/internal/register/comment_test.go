package register_test

import (
	"slices"
	"testing"

	"strata/projections/internal/register/internal/comment"
)

func TestParse(t *testing.T) {
	t.Parallel()
	got := comment.Parse(`-- What the file is about.
--
-- Columns without a comment of their own:
--   height: of the block, which may
--     take two lines
--   note: never used here

-- Not about the table.

-- Blocks: one
-- at each height.
CREATE TABLE {schema}.block (
    height      bigint NOT NULL,
    "from"      text   NOT NULL, -- who's there
    -- The sum of
    -- both.
    total       numeric(60, 18), -- µSTX
    unsaid      int,
    CONSTRAINT block_pkey PRIMARY KEY (height),
    CONSTRAINT block_check CHECK (total IN (1,
        2))
);
-- For readers.
CREATE INDEX block_idx ON {schema}.block (total);

-- A view.
CREATE VIEW api.blocks AS
SELECT
    b.height, -- the key
    -- As text.
    '0x' || encode(
        b.hash, 'hex') AS hash,
    coalesce(a, (SELECT 1
        FROM x)) AS last -- the last
FROM {schema}.block b
WHERE b.height > 0;

CREATE TABLE {schema}.later (
    height bigint NOT NULL
);`)
	want := []comment.Comment{
		{Kind: "TABLE", Object: "{schema}.block", Text: "Blocks: one at each height."},
		{Kind: "COLUMN", Object: `{schema}.block."height"`, Text: "of the block, which may take two lines"},
		{Kind: "COLUMN", Object: `{schema}.block."from"`, Text: "who's there"},
		{Kind: "COLUMN", Object: `{schema}.block."total"`, Text: "The sum of both. µSTX"},
		{Kind: "VIEW", Object: "api.blocks", Text: "A view."},
		{Kind: "COLUMN", Object: `api.blocks."height"`, Text: "the key"},
		{Kind: "COLUMN", Object: `api.blocks."hash"`, Text: "As text."},
		{Kind: "COLUMN", Object: `api.blocks."last"`, Text: "the last"},
		{Kind: "COLUMN", Object: `{schema}.later."height"`, Text: "of the block, which may take two lines"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, want := comment.Statements(got[2:3]), "COMMENT ON COLUMN {schema}.block.\"from\" IS 'who''s there';\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
