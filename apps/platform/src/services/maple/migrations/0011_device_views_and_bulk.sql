-- Filters and sorting that a person saved under a name.
create table maple.device_view (
  id uuid primary key default gen_random_uuid(),
  user_id text not null,
  name text not null,
  name_key text collate "C" not null,
  search text not null,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index device_view_by_name on maple.device_view (user_id, name_key);

-- A change of every device that a filter had when it started.
create table maple.device_bulk (
  id uuid primary key default gen_random_uuid(),
  job_id uuid,
  filter jsonb not null,
  change jsonb not null,
  -- Null until the devices are written down.
  total integer,
  changed integer not null default 0,
  unchanged integer not null default 0,
  refused integer not null default 0,
  created_by text,
  created_at timestamptz not null default now()
);
create index device_bulk_by_created_at on maple.device_bulk (created_at, id);

create table maple.device_bulk_item (
  bulk_id uuid not null references maple.device_bulk (id) on delete cascade,
  device_id text collate "C" not null,
  -- Null until the device was looked at.
  result text check (result in ('changed', 'unchanged', 'refused')),
  -- The code of a refusal.
  reason text,
  primary key (bulk_id, device_id)
);
create index device_bulk_item_left on maple.device_bulk_item (bulk_id, device_id)
  where result is null;
