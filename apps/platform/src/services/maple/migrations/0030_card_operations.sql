-- Everything that a card said when it was last read, as the call answered it.
alter table maple.card_reading
  add column reading jsonb,
  add column read_by text;

-- What is done to a card itself: ordered commands, each with what came of it.
create table maple.card_operation (
  id uuid primary key default gen_random_uuid(),
  service_id text collate "C",
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  kind text not null check (kind in ('domains', 'terminate')),
  state text not null default 'queued'
    check (state in ('queued', 'running', 'succeeded', 'stopped', 'cancelled')),
  -- The list of domains that was asked for.
  input jsonb not null,
  steps jsonb not null,
  problem jsonb,
  session_id uuid,
  -- The request that was approved.
  approval_id uuid unique,
  created_by text,
  created_at timestamptz not null default now(),
  cancelled_at timestamptz,
  finished_at timestamptz,
  check ((state in ('queued', 'running')) = (finished_at is null))
);
create index card_operation_by_element on maple.card_operation (cplc, created_at, id);
-- One at a time.
create unique index card_operation_open on maple.card_operation (cplc)
  where state in ('queued', 'running');
