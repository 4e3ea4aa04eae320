-- Steps that are done alike on many elements.
create table maple.template (
  id uuid primary key default gen_random_uuid(),
  -- Null for one of an administrator outside of any stage.
  service_id text collate "C" constraint template_service_id_fkey references maple.service,
  name text not null,
  name_key text collate "C" not null,
  about text not null default '',
  state text collate "C" not null default 'draft'
    check (state in ('draft', 'published', 'deprecated')),
  -- Parameters and steps.
  draft jsonb not null,
  draft_sha256 text not null,
  -- The newest version that is published, and the hash of what it does.
  version integer,
  version_sha256 text,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index template_by_updated_at on maple.template (updated_at, id);
create index template_by_name on maple.template (name_key, id);
create index template_by_service_and_updated_at on maple.template (service_id, updated_at, id);
create index template_by_service_and_name on maple.template (service_id, name_key, id);

-- Never changed.
create table maple.template_version (
  template_id uuid not null references maple.template on delete cascade,
  number integer not null,
  content jsonb not null,
  sha256 text not null,
  note text not null default '',
  published_by text,
  published_at timestamptz not null default now(),
  primary key (template_id, number)
);

-- A version that runs on a number of elements.
create table maple.template_run (
  id uuid primary key default gen_random_uuid(),
  service_id text collate "C",
  template_id uuid not null,
  version integer not null,
  -- Without the values of secret parameters; these are sealed until the run ends.
  input jsonb not null,
  sealed_input text,
  job_id uuid,
  total integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  -- What its person could do: a job has no token.
  rights text[] not null,
  created_by text,
  created_at timestamptz not null default now(),
  cancelled_at timestamptz,
  foreign key (template_id, version) references maple.template_version on delete cascade
);
create index template_run_by_created_at on maple.template_run (created_at, id);
create index template_run_by_service on maple.template_run (service_id, created_at, id);
create index template_run_by_template on maple.template_run (template_id, created_at, id);

create table maple.template_target (
  run_id uuid not null references maple.template_run on delete cascade,
  cplc text collate "C" not null,
  state text not null default 'waiting' check (state in
    ('waiting', 'running', 'succeeded', 'refused', 'failed', 'unknown', 'cancelled')),
  -- Counted from 0; written before the step is sent.
  step integer,
  cause jsonb,
  rollback jsonb,
  session_id text,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (run_id, cplc)
);
create index template_target_open on maple.template_target (run_id, cplc)
  where state in ('waiting', 'running');
