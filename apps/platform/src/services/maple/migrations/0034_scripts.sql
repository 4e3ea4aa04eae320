-- Scripts in JavaScript that run on secure elements.
create table maple.script (
  id uuid primary key default gen_random_uuid(),
  -- Null for one of an administrator outside of any stage.
  service_id text collate "C" constraint script_service_id_fkey references maple.service,
  name text not null,
  name_key text collate "C" not null,
  note text not null default '',
  draft text not null default '',
  -- The newest version, and the hash of its code.
  version integer,
  version_sha256 text,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index script_by_name on maple.script (coalesce(service_id, ''), name_key);
create index script_by_updated_at on maple.script (updated_at, id);
create index script_by_name_everywhere on maple.script (name_key, id);
create index script_by_service_and_updated_at on maple.script (service_id, updated_at, id);
create index script_by_service_and_name on maple.script (service_id, name_key, id);

create table maple.script_version (
  script_id uuid not null references maple.script on delete cascade,
  number integer not null,
  code text not null,
  sha256 text not null,
  note text not null default '',
  restored_from integer,
  published_by text,
  published_at timestamptz not null default now(),
  primary key (script_id, number)
);

create table maple.script_run (
  id uuid primary key default gen_random_uuid(),
  script_id uuid not null references maple.script on delete cascade,
  service_id text collate "C",
  -- Runs that were started together.
  batch_id uuid not null,
  cplc text collate "C" not null,
  -- Null for a run of the draft, which keeps its code.
  version integer,
  code text,
  input jsonb not null,
  -- The rights beyond running that whoever started it had.
  allows text[] not null default '{}',
  state text not null default 'waiting' check (state in
    ('waiting', 'running', 'succeeded', 'failed', 'timed_out', 'skipped', 'cancelled')),
  cause jsonb,
  value text,
  log jsonb not null default '[]',
  fuel bigint not null default 0,
  milliseconds integer not null default 0,
  session_id text,
  replay_of uuid,
  is_cancelled boolean not null default false,
  started_by text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index script_run_by_script on maple.script_run (script_id, created_at, id);
create index script_run_by_batch on maple.script_run (batch_id, created_at, id);
create index script_run_by_script_and_element on maple.script_run (script_id, cplc, created_at, id);
create index script_run_by_script_and_state on maple.script_run (script_id, state, created_at, id);
create index script_run_open on maple.script_run (batch_id, cplc)
  where state in ('waiting', 'running');
create index script_run_by_created_at on maple.script_run (created_at);
