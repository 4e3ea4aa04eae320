-- How many rows a table has of each kind, without counting them: every statement that changes the
-- table adds what it changed, in its own transaction, as rows of its own, so that writers never wait
-- for each other. A count is the sum of its rows; the job `tally.fold` replaces many rows by their sum.
create table maple.tally (
  subject text collate "C" not null,
  key text collate "C" not null,
  count bigint not null
);
create index tally_by_key on maple.tally (subject, key);

-- Its arguments are pairs: a subject, and the expression that gives the key of a row.
create function maple.tally_rows() returns trigger language plpgsql as $$
declare
  changed text := case tg_op
    when 'INSERT' then 'select *, 1 as weight from come'
    when 'DELETE' then 'select *, -1 as weight from gone'
    else 'select *, 1 as weight from come union all select *, -1 as weight from gone'
  end;
begin
  for pair in 0 .. tg_nargs / 2 - 1 loop
    if tg_op = 'TRUNCATE' then
      delete from maple.tally where subject = tg_argv[pair * 2];
    else
      execute format(
        'insert into maple.tally (subject, key, count)
         select %L, %s, sum(weight) from (%s) as changed group by 2 having sum(weight) <> 0',
        tg_argv[pair * 2], tg_argv[pair * 2 + 1], changed);
    end if;
  end loop;
  return null;
end
$$;

-- Counts the rows of a table from now on, in pairs as above; a second call replaces the first.
create procedure maple.keep_tally(counted regclass, variadic pairs text[]) language plpgsql as $$
declare
  arguments text := (select string_agg(quote_literal(each), ', ') from unnest(pairs) as each);
begin
  execute format('create or replace trigger tally_inserted after insert on %s
    referencing new table as come for each statement execute function maple.tally_rows(%s)',
    counted, arguments);
  execute format('create or replace trigger tally_updated after update on %s
    referencing old table as gone new table as come
    for each statement execute function maple.tally_rows(%s)', counted, arguments);
  execute format('create or replace trigger tally_deleted after delete on %s
    referencing old table as gone for each statement execute function maple.tally_rows(%s)',
    counted, arguments);
  execute format('create or replace trigger tally_truncated after truncate on %s
    for each statement execute function maple.tally_rows(%s)', counted, arguments);
  for pair in 0 .. array_length(pairs, 1) / 2 - 1 loop
    delete from maple.tally where subject = pairs[pair * 2 + 1];
    execute format('insert into maple.tally (subject, key, count)
      select %L, %s, count(*) from %s group by 2',
      pairs[pair * 2 + 1], pairs[pair * 2 + 2], counted);
  end loop;
end
$$;

call maple.keep_tally('maple.device',
  'device', 'type || '' '' || state',
  'device created', 'to_char(created_at at time zone ''UTC'', ''YYYY-MM-DD'')',
  -- By the minute; folding makes hours and days of what is old (`about.queries.ts`).
  'device seen', 'to_char(last_seen_at at time zone ''UTC'', ''YYYY-MM-DD"T"HH24:MI'')');
call maple.keep_tally('maple.element',
  'element', 'case when device_id is null then ''detached'' else ''attached'' end');
call maple.keep_tally('maple.account', 'account', '''all''');
call maple.keep_tally('maple.service', 'service', 'state::text');
