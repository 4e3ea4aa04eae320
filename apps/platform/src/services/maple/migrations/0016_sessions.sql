-- Sessions with secure elements. A session outlives its element and its device: it is a log.
create table maple.session (
  id uuid primary key,
  -- The service provider in whose scope it was opened.
  service_id text collate "C",
  cplc text collate "C" not null,
  device_id text collate "C",
  state text not null check (state in ('opening', 'active', 'closed', 'failed', 'expired')),
  purpose text not null,
  transport text not null,
  opened_by text,
  held_by text,
  channel jsonb,
  replay_of uuid,
  -- Counted when it ends; until then its lease counts.
  exchanges integer not null default 0,
  failed integer not null default 0,
  first_error integer,
  failure jsonb,
  end_reason text,
  opened_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The partition of its exchanges: a page of them reads one partition, however long it lasts.
  day date not null,
  check ((state in ('opening', 'active')) = (ended_at is null))
);
create index session_by_opened_at on maple.session (opened_at, id);
create index session_by_state on maple.session (state, opened_at, id);
create index session_by_cplc on maple.session (cplc, opened_at, id);
create index session_by_device on maple.session (device_id, opened_at, id);
create index session_by_opener on maple.session (opened_by, opened_at, id);
create index session_by_service on maple.session (service_id, opened_at, id);
create index session_by_service_and_state on maple.session (service_id, state, opened_at, id);
create index session_by_service_and_opener on maple.session (service_id, opened_by, opened_at, id);

-- The processes that run sessions, and until when each is believed to live.
create table maple.session_process (
  id uuid primary key,
  alive_until timestamptz not null
);

-- One session an element at a time. The row changes before each command goes out and after each
-- reply, so it also fences: a process that lost its lease sends nothing more.
create table maple.session_lease (
  cplc text collate "C" primary key,
  session_id uuid not null unique references maple.session,
  process_id uuid not null,
  exchanges integer not null default 0,
  failed integer not null default 0,
  first_error integer,
  -- The command that is on its way.
  flight jsonb
) with (fillfactor = 50);

-- What went to a card and back. Rows are only ever added; retention drops whole days.
create table maple.exchange (
  day date not null,
  session_id uuid not null,
  seq integer not null,
  at timestamptz not null,
  step uuid,
  ins smallint not null,
  -- Without protection.
  command bytea,
  reply bytea,
  -- As they went over the transport, where that is something else.
  sent bytea,
  received bytea,
  -- Null when no certain answer came.
  status_word integer,
  latency_us integer,
  is_failed boolean not null,
  -- Bytes that are zero here and were never stored: why, and where in command and sent.
  redacted jsonb,
  problem text,
  primary key (day, session_id, seq)
) partition by range (day);
create index exchange_failed on maple.exchange (day, session_id, seq) where is_failed;
-- Rows of a day whose partition was not made in time, or that a backup brought back.
create table maple.exchange_other partition of maple.exchange default;

create function maple.make_exchange_day(wanted date) returns void language plpgsql as $$
declare
  name text := 'exchange_' || to_char(wanted, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(5180014);
  if to_regclass('maple.' || name) is not null then return; end if;
  if exists (select from maple.exchange_other where day = wanted) then return; end if;
  execute format('create table maple.%I partition of maple.exchange for values from (%L) to (%L)',
    name, wanted, wanted + 1);
end
$$;

-- Commands for a session, which may run in another process. A row says `sent` before its bytes go.
create table maple.session_command (
  id uuid primary key,
  session_id uuid not null references maple.session on delete cascade,
  asked_by text,
  -- Sealed: data may be secret. Gone once it is sent.
  sealed_input text,
  state text not null check (state in ('queued', 'sent', 'done', 'refused', 'unknown')),
  problem jsonb,
  first_seq integer,
  last_seq integer,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index session_command_open on maple.session_command (session_id, created_at)
  where state in ('queued', 'sent');
create index session_command_of on maple.session_command (session_id);

-- Cards in software: what each keeps without power, and how it is broken on purpose.
create table maple.software_card (
  cplc text collate "C" primary key references maple.element on update cascade on delete cascade,
  service_id text collate "C",
  state jsonb not null,
  faults jsonb not null default '{}',
  -- Rises with each change of state or faults.
  version bigint not null default 1
);
