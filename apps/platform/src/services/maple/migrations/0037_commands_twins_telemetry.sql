-- What devices are asked to do. A row says `sent` before its bytes go, and is sent again with every
-- new connection until its result comes or it expires.
create table maple.device_command (
  id uuid primary key,
  -- The order of delivery.
  place bigint generated always as identity,
  device_id text collate "C" not null references maple.device on delete cascade,
  -- Of the device when the command was given: another service provider does not inherit it.
  service_id text collate "C",
  name text collate "C" not null,
  -- As in `maple.device_message`.
  data json not null,
  state text collate "C" not null default 'queued'
    check (state in ('queued', 'sent', 'succeeded', 'failed', 'expired', 'cancelled')),
  result json,
  error text,
  attempts integer not null default 0,
  created_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  sent_at timestamptz,
  finished_at timestamptz,
  check ((state in ('queued', 'sent')) = (finished_at is null))
);
create index device_command_by_device on maple.device_command (device_id, created_at, id);
create index device_command_by_state on maple.device_command (device_id, state, created_at, id);
create index device_command_open on maple.device_command (device_id, place)
  where state in ('queued', 'sent');
-- Gateways look here for commands whose notice was lost.
create index device_command_queued on maple.device_command (created_at) where state = 'queued';
create index device_command_expiring on maple.device_command (expires_at)
  where state in ('queued', 'sent');
create index device_command_created on maple.device_command using brin (created_at);

-- What a device should be like and what it says it is like, each with its own version.
create table maple.device_twin (
  device_id text collate "C" primary key references maple.device on delete cascade,
  desired json not null default '{}',
  desired_version integer not null default 0,
  -- The version that last changed each key, also of keys that were removed.
  desired_keys jsonb not null default '{}',
  desired_at timestamptz,
  desired_by text,
  reported json not null default '{}',
  reported_version integer not null default 0,
  reported_at timestamptz,
  -- Why the last report could not be kept.
  reported_problem text,
  -- The desired version that the device answered last, and why it refused keys of it.
  answered_version integer not null default 0,
  answered_at timestamptz,
  refused json not null default '{}'
) with (fillfactor = 70);
-- Gateways look here for states whose notice was lost.
create index device_twin_desired on maple.device_twin (desired_at) where desired_at is not null;

-- Numbers by time. One row of a day without a partition would fail a whole batch, so times far from
-- the moment of arrival are clamped, and the days around it always have their partitions. No default
-- partition: what is in it would stop the partition of its day from being made.
create table maple.telemetry (
  device_id text collate "C" not null,
  key text collate "C" not null,
  ts timestamptz not null,
  value float8 not null,
  -- What the clock of the device said, where that was clamped.
  sent_at timestamptz,
  primary key (device_id, key, ts)
) partition by range (ts);

create function maple.make_telemetry_day(wanted date) returns void language plpgsql as $$
declare
  name text := 'telemetry_' || to_char(wanted, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(5180033);
  if to_regclass('maple.' || name) is not null then return; end if;
  execute format('create table maple.%I partition of maple.telemetry for values from (%L) to (%L)',
    name, wanted::timestamp at time zone 'UTC', (wanted + 1)::timestamp at time zone 'UTC');
end
$$;

-- Yesterday to the day after tomorrow: a message is at most a day off, and so may be who asks.
create function maple.make_telemetry_days() returns void language sql as $$
  select maple.make_telemetry_day((now() at time zone 'UTC')::date + day)
  from generate_series(-1, 2) as day
$$;
select maple.make_telemetry_days();

-- A backup has rows of days that have no partition where it is restored.
create function maple.prepare_telemetry(given json) returns void language sql as $$
  select maple.make_telemetry_day(day) from (
    select distinct ((each ->> 'ts')::timestamptz at time zone 'UTC')::date as day
    from json_array_elements(given) as each
  ) as days
$$;

-- Connections of devices, one row each.
create table maple.device_session (
  -- That of the connection.
  id uuid primary key,
  device_id text collate "C" not null references maple.device on delete cascade,
  service_id text collate "C",
  state text collate "C" not null default 'active'
    check (state in ('active', 'closed', 'failed', 'expired')),
  -- Null while it is active.
  end_reason text collate "C",
  gateway_id uuid not null,
  protocol text not null,
  ip text not null,
  boot text not null,
  agent text,
  firmware text,
  opened_at timestamptz not null default now(),
  ended_at timestamptz,
  messages bigint not null default 0,
  -- Its messages have ids behind the first and up to the last.
  first_message bigint not null,
  last_message bigint,
  check ((state = 'active') = (ended_at is null))
);
create index device_session_by_opened_at on maple.device_session (opened_at, id);
create index device_session_by_state on maple.device_session (state, opened_at, id);
create index device_session_by_device on maple.device_session (device_id, opened_at, id);
create index device_session_by_service on maple.device_session (service_id, opened_at, id);
create index device_session_by_service_and_state
  on maple.device_session (service_id, state, opened_at, id);
create index device_session_active on maple.device_session (device_id) where state = 'active';

-- Written with the sign of life, on the page where the row is.
alter table maple.device_presence add column messages bigint not null default 0;
