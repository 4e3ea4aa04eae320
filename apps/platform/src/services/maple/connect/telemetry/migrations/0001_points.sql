-- Points of devices and their hours in a store of their own: the tables that `maple` has in the
-- database, under the same names, with nothing else beside them.
create schema maple;

create table maple.telemetry (
  device_id text collate "C" not null,
  key text collate "C" not null,
  ts timestamptz not null,
  value float8 not null,
  -- What the clock of the device said, where that was clamped.
  sent_at timestamptz,
  primary key (device_id, key, ts)
) partition by range (ts);
create index telemetry_ts on maple.telemetry using brin (ts);

-- A partition that is attached waits for no reader and no writer.
create function maple.make_telemetry_day(wanted date) returns void language plpgsql
set lock_timeout = '1s' as $$
declare
  name text := 'telemetry_' || to_char(wanted, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(5180068);
  if to_regclass('maple.' || name) is not null then return; end if;
  execute format('create table maple.%I (like maple.telemetry including all)', name);
  execute format('alter table maple.telemetry attach partition maple.%I for values from (%L) to (%L)',
    name, wanted::timestamp at time zone 'UTC', (wanted + 1)::timestamp at time zone 'UTC');
end
$$;

-- Points of an hour in a row, made by a job after the hour.
create table maple.telemetry_hour (
  device_id text collate "C" not null,
  key text collate "C" not null,
  hour timestamptz not null,
  min float8 not null,
  max float8 not null,
  first float8 not null,
  last float8 not null,
  last_at timestamptz not null,
  count integer not null,
  -- Of them, those whose clock was off.
  clamped integer not null,
  primary key (device_id, key, hour)
);
create index telemetry_hour_hour on maple.telemetry_hour using brin (hour);

-- Everything before this has its hours; the only row.
create table maple.telemetry_rolled (
  is_only boolean primary key default true check (is_only),
  until timestamptz not null
);
insert into maple.telemetry_rolled (until) values (date_bin('1 hour', now(), '2000-01-01 00:00:00Z'));

-- Hours of devices that got points when they were over.
create table maple.telemetry_late (
  id bigint generated always as identity primary key,
  device_id text collate "C" not null,
  hour timestamptz not null
);
