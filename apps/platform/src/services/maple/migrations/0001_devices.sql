create schema maple;

create table maple.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text,
  action text not null,
  subject text not null,
  ip text,
  user_agent text,
  request_id text,
  before jsonb,
  after jsonb
);
create index on maple.audit (subject, at);

-- Enums take four bytes in every index below, where their names would take up to twelve.
create type maple.device_type as enum ('iot', 'virtual', 'boot', 'default');
create type maple.device_state as enum
  ('pending', 'accepted', 'online', 'offline', 'quarantined', 'retired');

create table maple.device (
  id text collate "C" primary key,
  -- What a list sorts by and a search looks for; an id is ASCII, so lower() is right for it.
  id_key text collate "C" not null generated always as (lower(id)) stored,
  name text not null,
  -- Lower-cased by the server: the database's lower() depends on its locale.
  name_key text collate "C" not null,
  type maple.device_type not null,
  state maple.device_state not null,
  -- The year 1 is "never": without nulls a keyset page is one range of an index.
  last_seen_at timestamptz not null default '0001-01-01 00:00:00+00',
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- A list reads, for each type and state asked for, one range of one of these.
create index device_by_name on maple.device (type, state, name_key, id);
create index device_by_id on maple.device (type, state, id_key, id);
create index device_by_created_at on maple.device (type, state, created_at, id);
create index device_by_last_seen_at on maple.device (type, state, last_seen_at, id);

create table maple.element (
  -- Card Production Life Cycle data: 42 bytes as hex.
  cplc text collate "C" primary key check (cplc ~ '^[0-9A-F]{84}$'),
  -- Fabricator, type, fabrication date, serial and batch: what personalisation does not rewrite.
  chip_id text collate "C" not null
    generated always as (substr(cplc, 1, 8) || substr(cplc, 21, 16)) stored,
  serial text collate "C" not null generated always as (substr(cplc, 25, 8)) stored,
  device_id text collate "C" references maple.device (id),
  attached_at timestamptz,
  created_at timestamptz not null default now(),
  check ((device_id is null) = (attached_at is null))
);
create index element_by_device on maple.element (device_id);
create index element_by_chip_id on maple.element (chip_id);
create index element_by_serial on maple.element (serial);
