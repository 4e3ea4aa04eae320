create table maple.device_import (
  id uuid primary key default gen_random_uuid(),
  state text not null check (state in
    ('uploaded', 'checking', 'checked', 'running', 'completed', 'cancelled', 'failed')),
  file_name text not null,
  sha256 text not null,
  bytes bigint not null,
  -- False once nothing needs the file any more.
  has_file boolean not null default true,
  -- What the beginning of the file shows: format, encoding, columns, the first rows.
  file jsonb not null,
  mapping jsonb not null,
  existing text not null default 'keep' check (existing in ('keep', 'update')),
  job_id uuid,
  -- Where to continue: the byte and the row that follow what is written.
  position bigint not null default 0,
  next_row bigint not null default 1,
  done bigint not null default 0,
  created bigint not null default 0,
  changed bigint not null default 0,
  unchanged bigint not null default 0,
  wrong bigint not null default 0,
  errors_kept integer not null default 0,
  -- The counts of the dry run.
  checked jsonb,
  created_by text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- When a person last did something with it: a file that is forgotten is deleted.
  touched_at timestamptz not null default now()
);
create index device_import_by_created_at on maple.device_import (created_at, id);
create index device_import_with_file on maple.device_import (sha256) where has_file;

create table maple.device_import_error (
  import_id uuid not null references maple.device_import (id) on delete cascade,
  id bigint generated always as identity,
  row bigint not null,
  column_name text,
  code text not null,
  value text not null,
  params jsonb not null,
  primary key (import_id, row, id)
);

-- The ids and chips of a file while it is checked: whether one is in two rows. A check that a crash
-- interrupts begins again, so nothing here needs to outlive one.
create unlogged table maple.device_import_key (
  import_id uuid not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  row bigint not null,
  primary key (import_id, kind, key)
);
-- Those that are, with the first row that has them.
create table maple.device_import_repeat (
  import_id uuid not null references maple.device_import (id) on delete cascade,
  kind text collate "C" not null,
  key text collate "C" not null,
  row bigint not null,
  primary key (import_id, kind, key)
);
