create table maple.account (
  id uuid primary key,
  roles text[] not null,
  -- The last moment of the year 9999 is "never": without nulls a keyset page is one range of an index.
  expires_at timestamptz not null default '9999-12-31 23:59:59+00',
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index account_by_created_at on maple.account (created_at, id);
create index account_by_expires_at on maple.account (expires_at, id);
