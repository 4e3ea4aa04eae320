create type maple.approval_state as enum ('pending', 'approved', 'refused', 'withdrawn', 'expired');

-- What somebody asked for and other people decide.
create table maple.approval (
  id uuid primary key,
  -- The service provider of the element when it was asked for.
  service_id text collate "C",
  action text not null,
  subject text collate "C" not null,
  input jsonb not null,
  state maple.approval_state not null default 'pending',
  needed integer not null,
  votes jsonb not null default '[]',
  requested_by text not null,
  expires_at timestamptz not null,
  job_id uuid,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index approval_pending on maple.approval (subject, action) where state = 'pending';
create index approval_by_created_at on maple.approval (created_at, id);
create index approval_by_state on maple.approval (state, created_at, id);
create index approval_by_service on maple.approval (service_id, created_at, id)
  where service_id is not null;
create index approval_by_subject on maple.approval (subject, created_at, id);
create index approval_expiry on maple.approval (expires_at) where state = 'pending';
