-- A secret whose device may also connect by a broker in front. Its account there has the id of the
-- secret for a name.
alter table maple.device_credential add column is_at_broker boolean not null default false;

-- Accounts that the broker is still to get or to lose.
create table maple.broker_change (
  id bigint generated always as identity primary key,
  user_name uuid not null,
  -- The secret, until the broker has it; null where the account ends.
  sealed_secret text,
  next_at timestamptz not null default now()
);
create index broker_change_user on maple.broker_change (user_name);

-- The one process that is connected to the broker.
create table maple.broker_holder (
  is_only boolean primary key default true check (is_only),
  gateway_id uuid not null,
  until timestamptz not null
);

-- By the database, so that no way of revoking a secret can forget it.
create function maple.end_broker_account() returns trigger language plpgsql as $$
begin
  delete from maple.broker_change where user_name = old.id;
  insert into maple.broker_change (user_name) values (old.id);
  return null;
end
$$;
create trigger device_credential_ends_account after delete on maple.device_credential
  for each row when (old.is_at_broker) execute function maple.end_broker_account();

create function maple.end_broker_accounts() returns trigger language plpgsql as $$
begin
  with ended as (
    update maple.device_credential set is_at_broker = false
    where device_id = new.id and is_at_broker returning id
  ), dropped as (
    delete from maple.broker_change using ended where user_name = ended.id
  )
  insert into maple.broker_change (user_name) select id from ended;
  return null;
end
$$;
create trigger device_ends_accounts after update of state on maple.device
  for each row when (new.state = 'retired' and old.state is distinct from new.state)
  execute function maple.end_broker_accounts();
