-- +goose Up

-- A role that may append needs no right to make tables: the function has those of the log's owner.
ALTER FUNCTION log.add_partition(bigint, bigint) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
