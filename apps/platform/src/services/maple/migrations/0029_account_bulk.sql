-- A change of many accounts that one person chose, with what that person may do.
create table maple.account_bulk (
  id uuid primary key default gen_random_uuid(),
  job_id uuid,
  change jsonb not null,
  actor jsonb not null,
  scope text collate "C",
  is_cancelled boolean not null default false,
  total integer not null,
  changed integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  created_by text not null,
  created_at timestamptz not null default now()
);
create index account_bulk_by_created_at on maple.account_bulk (created_at);

create table maple.account_bulk_item (
  bulk_id uuid not null references maple.account_bulk (id) on delete cascade,
  account_id uuid not null,
  -- Null until the account was looked at.
  result text check (result in ('changed', 'unchanged', 'refused')),
  -- The code of a refusal.
  reason text,
  primary key (bulk_id, account_id)
);
create index account_bulk_item_left on maple.account_bulk_item (bulk_id, account_id)
  where result is null;
