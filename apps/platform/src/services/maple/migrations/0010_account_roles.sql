-- The accounts of each role, with what a list of accounts sorts by and filters: so that the accounts of
-- one role are a range of an index too.
create table maple.account_role (
  role text collate "C" not null,
  id uuid not null references maple.account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  service_id text collate "C",
  primary key (role, id)
);
create index account_role_by_id on maple.account_role (id);
create index account_role_by_created_at on maple.account_role (role, created_at, id);
create index account_role_by_expires_at on maple.account_role (role, expires_at, id);
create index account_role_by_service on maple.account_role (role, service_id, id);
create index account_role_by_service_and_created_at
  on maple.account_role (role, service_id, created_at, id);
create index account_role_by_service_and_expires_at
  on maple.account_role (role, service_id, expires_at, id);

-- By the database, so that no change of an account can forget it.
create function maple.keep_account_roles() returns trigger language plpgsql as $$
begin
  -- A new account has no roles to lose, and a plan made for an empty table would read it for each row.
  if tg_op = 'UPDATE' then
    delete from maple.account_role where id = new.id and role <> all (new.roles);
  end if;
  insert into maple.account_role (role, id, created_at, expires_at, service_id)
  select distinct role, new.id, new.created_at, new.expires_at, new.service_id
  from unnest(new.roles) as role
  on conflict (role, id) do update
    set created_at = excluded.created_at, expires_at = excluded.expires_at,
      service_id = excluded.service_id;
  return null;
end
$$;
create trigger account_roles_are_kept after insert or update on maple.account
  for each row execute function maple.keep_account_roles();
insert into maple.account_role (role, id, created_at, expires_at, service_id)
select distinct role, id, created_at, expires_at, service_id
from maple.account, unnest(roles) as role;

-- The service provider that an event's subject belonged to when it happened.
alter table maple.event add column service_id text collate "C";
create index event_by_service on maple.event (service_id, at) where service_id is not null;
