-- A day of messages past its retention is dropped, not deleted row by row. The key of the partitions is
-- the number of a message: lists are ordered by it, sessions and cursors are ranges of it, and a
-- process of the release before reads and writes as it did. The numbers of a day begin at its bound,
-- so at the first message of a day the sequence leaps there. Until somebody makes it leap, messages
-- go on in the partition of the day before: there is always one that takes them.
--
-- The rows until now become the first partition without being copied. This is in a body, since whoever
-- uses the table finds it under its name, with its columns, when this is done.
do $$
declare
  place record;
begin
  -- Reads the table, beside those who write it; what follows takes milliseconds.
  alter table maple.device_message validate constraint device_message_before_days;
  alter table maple.device_message rename to device_message_19700101;
  alter table maple.device_message_19700101
    rename constraint device_message_pkey to device_message_19700101_pkey;
  alter index maple.device_message_device rename to device_message_19700101_device;
  alter index maple.device_message_received rename to device_message_19700101_received;
  drop trigger message_reaches_handlers on maple.device_message_19700101;
  select last_value, is_called into place from maple.device_message_id_seq;
  alter table maple.device_message_19700101 alter id drop identity;
  create table maple.device_message (
    like maple.device_message_19700101,
    primary key (id)
  ) partition by range (id);
  alter table maple.device_message alter id add generated always as identity;
  perform setval('maple.device_message_id_seq', place.last_value, place.is_called);
  alter table maple.device_message alter received_at set default now();
  alter table maple.device_message alter is_clock_off set default false;
  create index device_message_device on maple.device_message (device_id, id);
  create index device_message_received on maple.device_message using brin (received_at);
  alter table maple.device_message attach partition maple.device_message_19700101
    for values from (minvalue) to (1900000000000000);
  alter table maple.device_message_19700101 drop constraint device_message_before_days;
  create trigger message_reaches_handlers after insert on maple.device_message
    referencing new table as fresh for each statement execute function maple.deliver_message();
end $$;

create function maple.make_device_message_day(wanted date) returns void language sql as $$
  select maple.make_day('device_message', wanted)
$$;

-- Messages from now on are those of this day, if it has its partition. The lock makes sure of a moment
-- without writers: one that had begun before the partition was there would not find it. Returns the
-- day that messages have: an earlier one if writers were in the way.
create function maple.begin_device_message_day(wanted date) returns date language plpgsql
set lock_timeout = '1s' as $$
declare
  first bigint := maple.day_bound('maple.device_message', wanted)::bigint;
begin
  if to_regclass('maple.device_message_' || to_char(wanted, 'YYYYMMDD')) is not null
    and (select last_value from maple.device_message_id_seq) < first
  then
    begin
      lock table only maple.device_message in share row exclusive mode;
      if (select last_value from maple.device_message_id_seq) < first then
        perform setval('maple.device_message_id_seq', first);
      end if;
    exception when lock_not_available then
      null;
    end;
  end if;
  return (
    select date '1970-01-01' + (last_value / 100000000000)::int from maple.device_message_id_seq);
end
$$;

-- A backup has rows of days that have no partition where it is restored.
create function maple.prepare_device_message(given json) returns void language sql as $$
  select maple.make_device_message_day(day) from (
    select distinct date '1970-01-01' + ((each ->> 'id')::bigint / 100000000000)::int as day
    from json_array_elements(given) as each
  ) as days
$$;
