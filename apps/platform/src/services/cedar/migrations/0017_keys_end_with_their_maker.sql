-- A key acts for the person who made it: it ends with their account and with their membership, for
-- good. By triggers, so that whatever ends one of the two ends the keys in the same transaction.
create index provider_key_maker on cedar.provider_key (created_by) where created_by is not null;
create index publish_key_maker on cedar.publish_key (created_by);

create function cedar.end_keys(maker text, provider uuid, reason text) returns void language plpgsql as $$
begin
  with ended as (
    delete from cedar.provider_key k
    where k.created_by = maker and (provider is null or k.provider_id = provider)
    returning k.*
  )
  insert into cedar.event (action, subject, before, after, provider_id)
  select 'apiKey.revoke', k.id, jsonb_build_object('name', k.name, 'last4', k.last4),
    jsonb_build_object('reason', reason), k.provider_id
  from ended k join cedar.provider p on p.id = k.provider_id;
  with ended as (
    delete from cedar.publish_key k
    where k.created_by = maker and (provider is null or k.provider_id = provider)
    returning k.*
  )
  insert into cedar.event (action, subject, before, after, provider_id)
  select 'publishKey.revoke', k.id, jsonb_build_object('name', k.name, 'ending', k.ending),
    jsonb_build_object('reason', reason), k.provider_id
  from ended k join cedar.provider p on p.id = k.provider_id;
end
$$;

create function cedar.member_left() returns trigger language plpgsql as $$
begin
  if old.user_id like 'key:%' then return null; end if;
  perform cedar.end_keys(old.user_id, old.provider_id, 'member_left');
  perform platform.revoke('member', old.user_id || ' ' || old.provider_id);
  return null;
end
$$;
create trigger member_left after delete on cedar.provider_user
  for each row execute function cedar.member_left();

create function cedar.key_changed() returns trigger language plpgsql as $$
begin
  perform platform.revoke('grant', 'key:' || old.id);
  if tg_table_name = 'publish_key' then
    delete from cedar.provider_user where user_id = 'key:' || old.id;
  else
    -- Without a key the provider is no working stage.
    perform platform.revoke('grant', old.provider_id::text);
  end if;
  return null;
end
$$;
create trigger key_changed after delete or update of ends_at, scopes, hash on cedar.provider_key
  for each row execute function cedar.key_changed();
create trigger key_ended after delete on cedar.publish_key
  for each row execute function cedar.key_changed();

create function cedar.provider_closed() returns trigger language plpgsql as $$
begin
  perform platform.revoke('grant', old.id::text);
  return null;
end
$$;
create trigger provider_disabled after update of enabled on cedar.provider
  for each row when (old.enabled and not new.enabled) execute function cedar.provider_closed();
create trigger provider_deleted after delete on cedar.provider
  for each row execute function cedar.provider_closed();

create function cedar.account_closed() returns trigger language plpgsql as $$
begin
  perform cedar.end_keys(new.id, null, 'account_closed');
  return null;
end
$$;
create trigger account_closed after insert or update of is_closed on platform.person
  for each row when (new.is_closed) execute function cedar.account_closed();

-- Members who were linked by their address are members by their id, once.
insert into cedar.provider_user (provider_id, user_id, is_owner)
select u.provider_id, p.id, bool_or(u.is_owner)
from cedar.provider_user u join platform.person p on p.email = lower(u.user_id)
group by 1, 2
on conflict (user_id, provider_id) do update set is_owner = provider_user.is_owner or excluded.is_owner;
update cedar.provider set owner_id = p.id from platform.person p
  where p.email = lower(owner_id) and not is_default;
delete from cedar.provider_user u using platform.person p where p.email = lower(u.user_id);

-- Keys of people who left or whose account is closed already would come back with them. Where people
-- come from an authentication service elsewhere, nobody here knows who left.
select cedar.end_keys(id, null, 'account_closed') from platform.person where is_closed;
select cedar.end_keys(maker, provider_id, 'member_left') from (
  select created_by as maker, provider_id from cedar.provider_key where created_by is not null
  union select created_by, provider_id from cedar.publish_key
) as made
where exists (select from platform.person where id = made.maker) and not exists (select from cedar.provider_user u
  where u.user_id = made.maker and u.provider_id = made.provider_id);
