-- +goose Up

-- What the views in schema api were made from: the version that they show and a digest of their SQL and comments. A program
-- whose views differ makes them anew; null if the program that made them did not say.
ALTER TABLE strata.active ADD COLUMN views text;

-- The roles of SQL users, as strata sql-role has made them: they may read the tables of each new version, too.
CREATE TABLE strata.sql_role (
    name    text        NOT NULL PRIMARY KEY,
    made_at timestamptz NOT NULL DEFAULT now()
);
