-- Programs of developers that read the payloads of devices and make those of commands.
create table maple.device_handler (
  id uuid primary key default gen_random_uuid(),
  -- Null for one of an administrator outside of any stage.
  service_id text collate "C" constraint device_handler_service_id_fkey references maple.service,
  name text not null,
  name_key text collate "C" not null,
  note text not null default '',
  code text not null default '',
  -- Golden tests. `json` keeps them as they are.
  tests json not null default '[]',
  draft_sha256 text not null,
  -- The newest version, which runs.
  version integer,
  version_sha256 text,
  state text collate "C" not null generated always as (
    case when version is null then 'draft' else 'active' end) stored,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index device_handler_by_name_once
  on maple.device_handler (coalesce(service_id, ''), name_key);
create index device_handler_by_updated_at on maple.device_handler (updated_at, id);
create index device_handler_by_name on maple.device_handler (name_key, id);
create index device_handler_by_service_and_updated_at
  on maple.device_handler (service_id, updated_at, id);
create index device_handler_by_service_and_name on maple.device_handler (service_id, name_key, id);
create index device_handler_by_state on maple.device_handler (state, updated_at, id);

create table maple.device_handler_version (
  device_handler_id uuid not null references maple.device_handler on delete cascade,
  number integer not null,
  code text not null,
  tests json not null,
  sha256 text not null,
  note text not null default '',
  restored_from integer,
  published_by text,
  published_at timestamptz not null default now(),
  primary key (device_handler_id, number)
);

-- What decodes the payloads of the devices of a product, and encodes their commands.
alter table maple.product
  add column handler_id uuid constraint product_handler_id_fkey references maple.device_handler;
create index product_handler on maple.product (handler_id) where handler_id is not null;

-- Payloads that a handler decodes, written with the message: the queue is those that wait. It goes
-- with its message.
create table maple.device_decoding (
  message_id bigint primary key,
  device_id text collate "C" not null,
  -- Of the device when it sent the message; empty for none.
  service_id text collate "C" not null,
  state text collate "C" not null default 'waiting'
    check (state in ('waiting', 'decoded', 'failed')),
  handler_id uuid,
  version integer,
  value json,
  error json,
  finished_at timestamptz
) with (fillfactor = 70);
create index device_decoding_waiting on maple.device_decoding (service_id, message_id)
  where state = 'waiting';

-- The process that decodes for a service provider: one at a time, so that states come in order.
create table maple.device_decoder (
  service_id text collate "C" primary key,
  process_id uuid not null,
  until timestamptz not null
);

-- What the handler made of a command: what goes out in place of its data.
alter table maple.device_command add column encoded json;
