-- One way to make the partition of a day (UTC), for every table that has them. A partition that is
-- attached waits for no reader and no writer of the table, only for others that change it; it gives up
-- after a second, and the caller goes on without it or tries again.
--
-- The key of the table says how a day is bounded: a date, the moments of the day, or numbers, of which
-- each day since 1970 has a hundred thousand million.
create function maple.day_bound(parent regclass, day date) returns text stable language sql as $$
  select case (
      select format_type(atttypid, null) from pg_partitioned_table
      join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
      where partrelid = parent)
    when 'date' then quote_literal(day)
    when 'timestamp with time zone' then quote_literal(day::timestamp at time zone 'UTC')
    when 'bigint' then ((day - date '1970-01-01') * 100000000000)::text
  end
$$;

create function maple.make_day(parent text, wanted date) returns void language plpgsql
set lock_timeout = '1s' as $$
declare
  whole text := format('maple.%I', parent);
  part text := format('maple.%I', parent || '_' || to_char(wanted, 'YYYYMMDD'));
begin
  perform pg_advisory_xact_lock(5180068);
  if to_regclass(part) is not null then return; end if;
  execute format('create table %s (like %s including all excluding identity)', part, whole);
  execute format('alter table %s attach partition %s for values from (%s) to (%s)', whole, part,
    maple.day_bound(whole::regclass, wanted), maple.day_bound(whole::regclass, wanted + 1));
end
$$;

create or replace function maple.make_telemetry_day(wanted date) returns void language sql as $$
  select maple.make_day('telemetry', wanted)
$$;

-- Rows that are in the default partition stay there: their day gets no partition any more.
create or replace function maple.make_exchange_day(wanted date) returns void language plpgsql as $$
begin
  if exists (select from maple.exchange_other where day = wanted) then return; end if;
  perform maple.make_day('exchange', wanted);
end
$$;

-- Messages are numbered in one row; those before their days begin at the number of a day long ago
-- (2022-01-08). The next file validates this, which reads the table and stops nobody, and then
-- attaches it without looking again. In a body, since whoever writes is free to: no release gives
-- numbers itself.
do $$ begin
  alter table maple.device_message
    add constraint device_message_before_days check (id < 1900000000000000) not valid;
end $$;
