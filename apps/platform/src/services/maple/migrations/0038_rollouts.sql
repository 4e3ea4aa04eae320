-- A program that is brought to many devices in groups.
create table maple.rollout (
  id uuid primary key,
  service_id text collate "C" constraint rollout_service_id_fkey references maple.service,
  name text not null,
  name_key text collate "C" not null,
  kind text collate "C" not null,
  program_id uuid not null,
  program_name text not null,
  program_version text not null,
  input jsonb not null,
  -- It takes back this rollout, where that succeeded.
  rolls_back uuid,
  targets jsonb not null,
  plan jsonb not null,
  state text collate "C" not null default 'draft',
  pause_reason text,
  approval_id uuid,
  -- Devices are found first, in the order of ids, and then put into groups, in the order of places.
  step text not null default 'find' check (step in ('find', 'group', 'run')),
  found_after text collate "C" not null default '',
  found integer not null default 0,
  grouped integer not null default 0,
  joined_at timestamptz,
  -- The time zones of its devices; an empty text is that of the rollout.
  zones text[] not null default '{}',
  -- When the next device may start, where so many a minute may.
  rate_at timestamptz,
  created_by text,
  started_at timestamptz,
  ended_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index rollout_by_created_at on maple.rollout (created_at, id);
create index rollout_by_name on maple.rollout (name_key, id);
create index rollout_by_state on maple.rollout (state, created_at, id);
create index rollout_by_service_and_created_at on maple.rollout (service_id, created_at, id);
create index rollout_by_service_and_name on maple.rollout (service_id, name_key, id);

-- Counters change in the transaction that starts or ends a device: a page reads no device.
create table maple.rollout_group (
  rollout_id uuid not null references maple.rollout on delete cascade,
  -- 0 has the software cards that get the program first.
  number integer not null,
  state text collate "C" not null default 'waiting',
  is_tolerant boolean not null default false,
  total integer not null default 0,
  queued integer not null default 0,
  running integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  timed_out integer not null default 0,
  cancelled integer not null default 0,
  skipped integer not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (rollout_id, number)
) with (fillfactor = 50);

create table maple.rollout_execution (
  rollout_id uuid not null references maple.rollout on delete cascade,
  device_id text collate "C" not null,
  -- Until it has a group, null.
  group_number integer,
  -- A hash of the rollout and the device.
  place bigint not null,
  zone text collate "C" not null default '',
  state text collate "C" not null default 'queued' check (state in
    ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'skipped')),
  not_before timestamptz not null default '-infinity',
  -- The run of the job that has it.
  claim uuid,
  attempts integer not null default 0,
  cause text,
  session_id uuid,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (rollout_id, device_id)
);
create index rollout_execution_due
  on maple.rollout_execution (rollout_id, group_number, zone, not_before, place)
  where state = 'queued';
create index rollout_execution_ungrouped on maple.rollout_execution (rollout_id, place)
  where group_number is null;
create index rollout_execution_running on maple.rollout_execution (rollout_id, claim)
  where state = 'running';
create index rollout_execution_by_group
  on maple.rollout_execution (rollout_id, group_number, device_id);
create index rollout_execution_by_state on maple.rollout_execution (rollout_id, state, device_id);
create index rollout_execution_by_cause on maple.rollout_execution (rollout_id, cause, device_id)
  where cause is not null;

create table maple.rollout_cause (
  rollout_id uuid not null references maple.rollout on delete cascade,
  group_number integer not null,
  state text collate "C" not null,
  cause text collate "C" not null,
  count integer not null,
  primary key (rollout_id, group_number, state, cause)
);

-- Whether a second person must approve; a service provider without a row needs none. The empty id is
-- of rollouts that belong to none.
create table maple.rollout_policy (
  service_id text collate "C" primary key,
  needs_approval boolean not null
);
