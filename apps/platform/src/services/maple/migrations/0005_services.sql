-- Service providers, which devices and accounts can belong to.
create type maple.service_state as enum ('active', 'suspended');

create table maple.service (
  id text collate "C" primary key,
  name text not null,
  name_key text collate "C" not null,
  state maple.service_state not null default 'active',
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index service_by_name on maple.service (name_key, id);
create index service_by_created_at on maple.service (created_at, id);
create index service_by_state_and_name on maple.service (state, name_key, id);
create index service_by_state_and_created_at on maple.service (state, created_at, id);
create index service_by_state on maple.service (state, id);

alter table maple.account add column service_id text collate "C" references maple.service (id);
create index account_by_service_and_created_at on maple.account (service_id, created_at, id);
create index account_by_service_and_expires_at on maple.account (service_id, expires_at, id);
create index account_by_service on maple.account (service_id, id);
