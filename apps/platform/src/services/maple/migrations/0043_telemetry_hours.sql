-- Points of an hour in a row, made by a job after the hour: a chart of a season reads these. They stay
-- longer than the points.
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
-- An hour of all devices is read by the place of its rows: points come about in the order of time.
create index telemetry_ts on maple.telemetry using brin (ts);

-- Everything before this has its hours; the only row.
create table maple.telemetry_rolled (
  is_only boolean primary key default true check (is_only),
  until timestamptz not null
);
insert into maple.telemetry_rolled (until)
select coalesce(
  (select to_date(min(right(child.relname, 8)), 'YYYYMMDD')::timestamp at time zone 'UTC'
    from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'maple.telemetry'::regclass),
  date_bin('1 hour', now(), '2000-01-01 00:00:00Z'));

-- Hours of devices that got points when they were over: written with the points, so that none is
-- forgotten, and made again.
create table maple.telemetry_late (
  id bigint generated always as identity primary key,
  device_id text collate "C" not null,
  hour timestamptz not null
);
