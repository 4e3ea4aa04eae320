-- Packages of applets, each a CAP file.
create type maple.applet_state as enum ('uploaded', 'verified', 'released', 'revoked');

create table maple.applet (
  id uuid primary key default gen_random_uuid(),
  -- Null for an upload of an administrator outside of any stage.
  service_id text collate "C" constraint applet_service_id_fkey references maple.service,
  state maple.applet_state not null default 'uploaded',
  name text not null,
  name_key text collate "C" not null,
  package_aid text collate "C" not null check (package_aid ~ '^([0-9A-F]{2}){5,16}$'),
  major smallint not null,
  minor smallint not null,
  -- What the file says of itself beyond this.
  facts jsonb not null,
  load_size integer not null,
  load_hash text not null,
  file_name text not null,
  bytes integer not null,
  sha256 text not null,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index applet_by_created_at on maple.applet (created_at, id);
create index applet_by_name on maple.applet (name_key, id);
create index applet_by_package on maple.applet (package_aid, created_at, id);
create index applet_by_service_and_created_at on maple.applet (service_id, created_at, id);
create index applet_by_service_and_name on maple.applet (service_id, name_key, id);
create index applet_by_state on maple.applet (state, created_at, id);
create index applet_by_service_and_state on maple.applet (service_id, state, created_at, id);
create index applet_by_service_and_package on maple.applet (service_id, package_aid, created_at, id);
create index applet_by_file on maple.applet (sha256);
-- A revoked file can be uploaded again.
create unique index applet_file on maple.applet (coalesce(service_id, ''), sha256)
  where state <> 'revoked';
-- One file stands for a version.
create unique index applet_version on maple.applet (coalesce(service_id, ''), package_aid, major, minor)
  where state = 'released';

-- What a card said when it was last read, and what was done to it since.
create table maple.card_reading (
  cplc text collate "C" primary key references maple.element on update cascade on delete cascade,
  -- Bytes for code and data; null when the card does not tell.
  free_memory bigint,
  read_at timestamptz not null default now()
);

create table maple.installed_applet (
  cplc text collate "C" not null references maple.card_reading on update cascade on delete cascade,
  package_aid text collate "C" not null,
  -- Null when the card does not tell.
  version text,
  applet_id uuid references maple.applet on delete set null,
  -- AID, module and state of each.
  instances jsonb not null default '[]',
  primary key (cplc, package_aid)
);
create index installed_applet_by_applet on maple.installed_applet (applet_id, cplc)
  where applet_id is not null;

-- Something done with an applet on a number of elements.
create table maple.applet_operation (
  id uuid primary key default gen_random_uuid(),
  service_id text collate "C",
  applet_id uuid not null references maple.applet on delete cascade,
  kind text not null check (kind in ('install', 'upgrade', 'uninstall', 'read')),
  -- Instances with their parameters, and the domain that verifies the signature.
  input jsonb not null,
  job_id uuid,
  total integer not null,
  succeeded integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  created_by text,
  created_at timestamptz not null default now()
);
create index applet_operation_by_created_at on maple.applet_operation (created_at, id);
create index applet_operation_by_service on maple.applet_operation (service_id, created_at, id);
create index applet_operation_by_applet on maple.applet_operation (applet_id, created_at, id);

create table maple.applet_target (
  operation_id uuid not null references maple.applet_operation on delete cascade,
  cplc text collate "C" not null,
  state text not null default 'waiting' check (state in
    ('waiting', 'running', 'succeeded', 'unchanged', 'refused', 'failed', 'unknown', 'cancelled')),
  step text,
  sent integer not null default 0,
  blocks integer not null default 0,
  findings jsonb not null default '[]',
  session_id text,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (operation_id, cplc)
);
