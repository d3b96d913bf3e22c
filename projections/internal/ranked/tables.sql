
-- The lists of the projection, with their lengths.
CREATE TABLE {schema}.list (
    n    bigint NOT NULL, -- number of entries: never 0
    name text   COLLATE "C" NOT NULL, -- name of the list
    CONSTRAINT list_pkey PRIMARY KEY (name)
);

-- The parts of long lists. A part holds the keys from (a, b, c) up to, but not including, the key at which the next
-- part begins. The first part begins below all keys.
CREATE TABLE {schema}.part (
    a    bigint NOT NULL, -- first number of the key at which the part begins
    b    bigint NOT NULL, -- second number of that key
    c    bigint NOT NULL, -- third number of that key
    n    bigint NOT NULL, -- number of entries: never 0
    list text   COLLATE "C" NOT NULL, -- list.name
    CONSTRAINT part_pkey PRIMARY KEY (list, a, b, c)
);
