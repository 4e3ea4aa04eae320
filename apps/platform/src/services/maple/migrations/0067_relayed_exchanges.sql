-- Exchanges with elements over the connection that another process has to their reader or device.
-- Nothing of them is worth more than the processes: unlogged.
create unlogged table maple.relayed_exchange (
  id uuid primary key,
  -- Has the connection.
  process_id uuid not null,
  -- Runs the session.
  asked_by uuid not null,
  -- Which exchanges belong together.
  link uuid not null,
  kind text not null check (kind in ('reader', 'device')),
  -- Sealed: commands and replies may be secret.
  sealed_input text not null,
  sealed_reply text,
  failure text,
  taken_at timestamptz,
  created_at timestamptz not null default now()
);
create index relayed_exchange_waiting on maple.relayed_exchange (process_id) where taken_at is null;
create index relayed_exchange_by_age on maple.relayed_exchange (created_at);
