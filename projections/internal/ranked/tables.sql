
CREATE TABLE {schema}.list (
    n    bigint NOT NULL, -- entries: never 0
    name text   COLLATE "C" NOT NULL,
    CONSTRAINT list_pkey PRIMARY KEY (name)
);

-- The parts of the long ones. A part holds the keys from (a, b, c) up to, but not including, where the next one begins; the
-- first begins below everything.
CREATE TABLE {schema}.part (
    a    bigint NOT NULL,
    b    bigint NOT NULL,
    c    bigint NOT NULL,
    n    bigint NOT NULL, -- entries: never 0
    list text   COLLATE "C" NOT NULL,
    CONSTRAINT part_pkey PRIMARY KEY (list, a, b, c)
);
