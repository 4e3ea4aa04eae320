-- Providers that developers asked for, where they make none themselves.
create table cedar.provider_request (
  id uuid primary key,
  name text not null,
  purpose text not null,
  state text not null default 'open' check (state in ('open', 'approved', 'refused', 'withdrawn')),
  requested_by text collate "C" not null,
  reason text,
  provider_id uuid,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index provider_request_created on cedar.provider_request (created_at, id);
create index provider_request_of on cedar.provider_request (requested_by, created_at, id);
create index provider_request_waiting on cedar.provider_request (created_at, id)
  where state = 'open';
create unique index provider_request_open on cedar.provider_request (requested_by)
  where state = 'open';
