-- A partition that is made in its place locks the whole table: it waits for every reader, such as a
-- backup, and whoever stores a reading waits behind it. One that is attached waits for neither.
create or replace function maple.make_telemetry_day(wanted date) returns void language plpgsql as $$
declare
  name text := 'telemetry_' || to_char(wanted, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(5180033);
  if to_regclass('maple.' || name) is not null then return; end if;
  execute format('create table maple.%I (like maple.telemetry including all)', name);
  execute format('alter table maple.telemetry attach partition maple.%I for values from (%L) to (%L)',
    name, wanted::timestamp at time zone 'UTC', (wanted + 1)::timestamp at time zone 'UTC');
end
$$;
