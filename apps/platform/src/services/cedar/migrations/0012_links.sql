-- Every link that was ever given out. A link that was removed keeps its row, and so its id: whoever
-- opens it learns that it is gone, and no other app gets it.
create table cedar.link (
  id text primary key check (id ~ '^[0-9A-Za-z]{7}$'),
  -- Null once the product is deleted.
  product_id uuid references cedar.product on delete set null,
  -- A pinned link stays with its version; the others open the version that is live.
  is_pinned boolean not null default false,
  version_id uuid references cedar.product_version on delete set null,
  -- Where in the app the link leads: path, query and fragment.
  target text not null default '/',
  created_at timestamptz not null default now(),
  removed_at timestamptz
);
create index link_product on cedar.link (product_id, created_at, id) where removed_at is null;
create index link_version on cedar.link (version_id) where version_id is not null;
-- The same link made twice is one. A link whose pinned version was deleted is no link any more.
create unique index link_once on cedar.link (product_id, is_pinned, version_id, target)
  nulls not distinct
  where removed_at is null and product_id is not null and (version_id is not null or not is_pinned);

insert into cedar.link (id, product_id)
  select link_id, id from cedar.product where link_id is not null;

-- How often a link was opened on a day of UTC.
create table cedar.link_open (
  link_id text not null,
  day date not null,
  product_id uuid not null,
  opens bigint not null,
  primary key (link_id, day)
);
create index link_open_product on cedar.link_open (product_id, day) include (opens);
create index link_open_day on cedar.link_open (day);
