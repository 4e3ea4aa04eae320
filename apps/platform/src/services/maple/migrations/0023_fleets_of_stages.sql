-- The service provider that a change of a whole filter, or an import, is limited to.
alter table maple.device_bulk add column service_id text collate "C";
create index device_bulk_by_service on maple.device_bulk (service_id, created_at, id)
  where service_id is not null;
alter table maple.device_import add column service_id text collate "C";
create index device_import_by_service on maple.device_import (service_id, created_at, id)
  where service_id is not null;

create index job_failed_by_scope on maple.job (scope) where state = 'failed' and scope is not null;

-- What belongs to a service provider counts for it as well; the rows of everything have no scope.
alter table maple.tally add column scope text collate "C" not null default '';
drop index maple.tally_by_key;
create index tally_by_key on maple.tally (scope, subject, key);

-- Its first argument is the expression that gives the service provider of a row. Pairs follow: a
-- subject, and the expression that gives the key of a row.
create or replace function maple.tally_rows() returns trigger language plpgsql as $$
declare
  changed text := case tg_op
    when 'INSERT' then 'select *, 1 as weight from come'
    when 'DELETE' then 'select *, -1 as weight from gone'
    else 'select *, 1 as weight from come union all select *, -1 as weight from gone'
  end;
begin
  for pair in 0 .. tg_nargs / 2 - 1 loop
    if tg_op = 'TRUNCATE' then
      delete from maple.tally where subject = tg_argv[pair * 2 + 1];
    else
      execute format(
        'insert into maple.tally (scope, subject, key, count)
         select coalesce(scope, ''''), %L, key, sum(weight)
         from (select %s as scope, %s as key, weight from (%s) as changed) as keyed
         group by grouping sets ((key), (scope, key))
         having sum(weight) <> 0 and (grouping(scope) = 1 or scope is not null)',
        tg_argv[pair * 2 + 1], tg_argv[0], tg_argv[pair * 2 + 2], changed);
    end if;
  end loop;
  return null;
end
$$;

drop procedure maple.keep_tally;
create procedure maple.keep_tally(counted regclass, scope_of text, variadic pairs text[])
language plpgsql as $$
declare
  arguments text := (
    select quote_literal(scope_of) || ', ' || string_agg(quote_literal(each), ', ' order by place)
    from unnest(pairs) with ordinality as given (each, place)
  );
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
    execute format('insert into maple.tally (scope, subject, key, count)
      select coalesce(scope, ''''), %L, key, count(*)
      from (select %s as scope, %s as key from %s) as keyed
      group by grouping sets ((key), (scope, key))
      having grouping(scope) = 1 or scope is not null',
      pairs[pair * 2 + 1], scope_of, pairs[pair * 2 + 2], counted);
  end loop;
end
$$;

call maple.keep_tally('maple.device', 'service_id',
  'device', 'type || '' '' || state',
  'device created', 'to_char(created_at at time zone ''UTC'', ''YYYY-MM-DD'')',
  -- By the minute; folding makes hours and days of what is old (`tally.queries.ts`).
  'device seen', 'to_char(last_seen_at at time zone ''UTC'', ''YYYY-MM-DD"T"HH24:MI'')');
call maple.keep_tally('maple.element', 'service_id',
  'element', 'case when device_id is null then ''detached'' else ''attached'' end');
call maple.keep_tally('maple.account', 'service_id', 'account', '''all''');
call maple.keep_tally('maple.service', 'id', 'service', 'state::text');
