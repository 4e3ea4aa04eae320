-- Programs of developers that run on events, schedules and webhooks.
create table maple.cloud_handler (
  id uuid primary key default gen_random_uuid(),
  -- Null for one of an administrator outside of any stage.
  service_id text collate "C" constraint cloud_handler_service_id_fkey references maple.service,
  name text not null,
  name_key text collate "C" not null,
  -- Trigger, code, hosts and limits.
  draft jsonb not null,
  draft_sha256 text not null,
  -- The version that runs.
  version integer,
  live_sha256 text,
  -- Of that version, for the triggers below: what it waits for.
  live_events text[],
  live_kinds text[],
  live_match jsonb,
  live_attempts smallint,
  -- Of a schedule: when it is due.
  next_at timestamptz,
  -- The last part of the address of its webhook.
  hook_key text collate "C" not null constraint cloud_handler_hook_key unique,
  is_disabled boolean not null default false,
  -- Too many of its deliveries wait.
  is_full boolean not null default false,
  -- Attempts that failed since the last that succeeded.
  failures integer not null default 0,
  last_run_at timestamptz,
  state text collate "C" not null generated always as (
    case when is_disabled then 'disabled' when version is null then 'draft'
      when failures >= 3 then 'failing' else 'active' end) stored,
  is_live boolean not null generated always as (
    version is not null and not is_disabled and not is_full) stored,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index cloud_handler_by_created_at on maple.cloud_handler (created_at, id);
create index cloud_handler_by_name on maple.cloud_handler (name_key, id);
create index cloud_handler_by_service_and_created_at on maple.cloud_handler (service_id, created_at, id);
create index cloud_handler_by_service_and_name on maple.cloud_handler (service_id, name_key, id);
create index cloud_handler_by_state on maple.cloud_handler (state, created_at, id);
create index cloud_handler_live on maple.cloud_handler (coalesce(service_id, ''))
  where is_live and live_events is not null;
create index cloud_handler_next on maple.cloud_handler (next_at) where next_at is not null;

create table maple.cloud_handler_version (
  handler_id uuid not null references maple.cloud_handler on delete cascade,
  version integer not null,
  program jsonb not null,
  sha256 text not null,
  -- The version that it brings back.
  copy_of integer,
  created_by text,
  created_at timestamptz not null default now(),
  primary key (handler_id, version)
);

-- A delivery and its attempts. The queue is the rows that are queued.
create table maple.cloud_handler_run (
  id uuid primary key default gen_random_uuid(),
  handler_id uuid not null references maple.cloud_handler on delete cascade,
  source text collate "C" not null,
  type text collate "C" not null,
  -- What happened: it is delivered once.
  key text collate "C",
  -- `json` keeps what devices say as it is.
  event json not null,
  -- Of a test: the draft as it was.
  program jsonb,
  state text collate "C" not null default 'queued',
  version integer,
  attempts smallint not null default 0,
  most_attempts smallint not null default 1,
  due_at timestamptz not null default now(),
  -- A process that runs it and does not renew this is gone.
  lease_until timestamptz,
  error json,
  result json,
  milliseconds integer,
  calls smallint not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create unique index cloud_handler_run_key on maple.cloud_handler_run (handler_id, key)
  where key is not null;
create index cloud_handler_run_by_created_at on maple.cloud_handler_run (handler_id, created_at, id);
create index cloud_handler_run_by_state on maple.cloud_handler_run (handler_id, state, created_at, id);
create index cloud_handler_run_due on maple.cloud_handler_run (handler_id, due_at)
  where state = 'queued';
create index cloud_handler_run_lease on maple.cloud_handler_run (lease_until)
  where state = 'running';
create index cloud_handler_run_finished on maple.cloud_handler_run (finished_at)
  where finished_at is not null;

create table maple.cloud_handler_log (
  run_id uuid not null references maple.cloud_handler_run on delete cascade,
  id integer not null,
  attempt smallint not null,
  at timestamptz not null,
  level text collate "C" not null,
  text text not null,
  primary key (run_id, id)
);

-- Sealed by the vault. The secret of a webhook is one of them, by a name that no person gives.
create table maple.handler_secret (
  id uuid primary key,
  handler_id uuid not null references maple.cloud_handler on delete cascade,
  name text collate "C" not null,
  vault_key smallint not null,
  wrapped_key bytea not null,
  sealed_text bytea not null,
  updated_by text,
  updated_at timestamptz not null default now(),
  constraint handler_secret_name unique (handler_id, name)
);
create index handler_secret_vault on maple.handler_secret (vault_key, id);

-- Whether an event has all the fields that a handler asks for. One that `jsonb` cannot hold has not.
create function maple.handler_takes(event json, wanted jsonb) returns boolean language plpgsql as $$
declare
  document jsonb;
begin
  if wanted is null or wanted = '[]' then return true; end if;
  document := event::jsonb;
  return not exists (
    select from jsonb_array_elements(wanted) as field
    where coalesce(document #> string_to_array(field ->> 'path', '.'), 'null') <> field -> 'value');
exception when others then
  return false;
end
$$;

create function maple.handler_time(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- Deliveries are written by the database, in the transaction of what happened: neither a process
-- that is killed nor a change that forgets to say so loses one.
create function maple.deliver_event() returns trigger language plpgsql as $$
begin
  if not exists (
    select from maple.cloud_handler where is_live and live_events is not null
  ) then return null; end if;
  insert into maple.cloud_handler_run (handler_id, source, type, key, event, most_attempts)
  select handler.id, 'event', named.type, 'event:' || fresh.id, given.event, handler.live_attempts
  from fresh
  cross join lateral (select case
    when fresh.action = 'session.close' and fresh.after ->> 'state' = 'failed' then 'session.fail'
    else fresh.action end as type) as named
  cross join lateral (select json_build_object('at', maple.handler_time(fresh.at),
    'subject', fresh.subject, 'actor', fresh.actor,
    'before', fresh.before, 'after', fresh.after) as event) as given
  join maple.cloud_handler as handler on handler.is_live and handler.live_events is not null
    and coalesce(handler.service_id, '') = coalesce(fresh.service_id, '')
    and handler.live_events && array[named.type, fresh.action]
    and maple.handler_takes(given.event, handler.live_match)
  on conflict do nothing;
  return null;
end
$$;
create trigger event_reaches_handlers after insert on maple.event
  referencing new table as fresh for each statement execute function maple.deliver_event();

create function maple.deliver_message() returns trigger language plpgsql as $$
begin
  if not exists (
    select from maple.cloud_handler where is_live and 'device.message' = any(live_events)
  ) then return null; end if;
  insert into maple.cloud_handler_run (handler_id, source, type, key, event, most_attempts)
  select handler.id, 'event', 'device.message', 'message:' || fresh.id, given.event,
    handler.live_attempts
  from fresh
  join maple.device as device on device.id = fresh.device_id
  cross join lateral (select json_build_object('at', maple.handler_time(fresh.received_at),
    'device', json_build_object('id', device.id, 'name', device.name, 'type', device.type),
    'kind', fresh.kind, 'boot', fresh.boot, 'seq', fresh.seq,
    'sentAt', maple.handler_time(fresh.sent_at), 'data', fresh.data) as event) as given
  join maple.cloud_handler as handler on handler.is_live and handler.live_events is not null
    and coalesce(handler.service_id, '') = coalesce(device.service_id, '')
    and 'device.message' = any(handler.live_events)
    and (handler.live_kinds = '{}' or fresh.kind = any(handler.live_kinds))
    and maple.handler_takes(given.event, handler.live_match)
  on conflict do nothing;
  return null;
end
$$;
create trigger message_reaches_handlers after insert on maple.device_message
  referencing new table as fresh for each statement execute function maple.deliver_message();

create function maple.deliver_presence() returns trigger language plpgsql as $$
begin
  insert into maple.cloud_handler_run (handler_id, source, type, event, most_attempts)
  select handler.id, 'event', 'device.' || new.state::text, given.event, handler.live_attempts
  from (select json_build_object('at', maple.handler_time(clock_timestamp()),
    'device', json_build_object('id', new.id, 'name', new.name, 'type', new.type),
    'before', old.state, 'after', new.state) as event) as given
  join maple.cloud_handler as handler on handler.is_live and handler.live_events is not null
    and coalesce(handler.service_id, '') = coalesce(new.service_id, '')
    and ('device.' || new.state::text) = any(handler.live_events)
    and maple.handler_takes(given.event, handler.live_match);
  return null;
end
$$;
-- For each row, and for those that came or went alone: other changes of devices cost nothing.
create trigger presence_reaches_handlers after update of state on maple.device
  for each row when (old.state is distinct from new.state and new.state in ('online', 'offline'))
  execute function maple.deliver_presence();
