-- Work that outlives its request: written with the change that needs it, run by any process. The
-- same in every service (core/jobs).
create table auth.job (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- Of jobs that have not run yet, one by each name and key.
  key text,
  -- The start of its period, for a recurring job.
  period timestamptz,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  input jsonb,
  -- Sealed under a key from the platform's secret, for input that holds secrets.
  sealed_input text,
  attempts integer not null default 0,
  max_attempts integer not null,
  -- When a queued job may run; when a running one may be claimed by another process.
  due_at timestamptz not null,
  claim uuid,
  progress_done bigint,
  progress_total bigint,
  cancel_requested_at timestamptz,
  failure jsonb,
  failed_at timestamptz,
  -- The user who asked for it, if one did.
  created_by text,
  created_at timestamptz not null,
  -- When it was written, or last retried by an admin.
  queued_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index job_due on auth.job (name, due_at) where state in ('queued', 'running');
create unique index job_once_by_key on auth.job (name, key) where state = 'queued' and attempts = 0;
create unique index job_once_a_period on auth.job (name, period);
create index job_finished on auth.job (finished_at)
  where state in ('completed', 'failed', 'cancelled');
-- The lists of the admin, the newest first.
create index job_by_created on auth.job (created_at, id);
create index job_by_state on auth.job (state, created_at, id);

-- Mail that waits is sent on as jobs, under the same ids.
insert into auth.job (id, name, sealed_input, attempts, max_attempts, due_at, created_at, queued_at)
  select id, 'mail.send', sealed_mail, attempts, 1000, next_attempt_at, created_at, created_at
  from auth.mail;
drop table auth.mail;

-- What happened, written with the change itself; the audit trail goes on in it. The same in every
-- service (core/events).
alter table auth.audit rename to event;
alter index auth.audit_pkey rename to event_pkey;
alter sequence auth.audit_id_seq rename to event_id_seq;
create index event_by_at on auth.event (at, id);
create index event_by_actor on auth.event (actor, at, id);
create index event_by_action on auth.event (action, at, id);
create index event_by_subject on auth.event (subject, at, id);

create function auth.refuse_change_of_event() returns trigger language plpgsql as $$
begin
  raise exception 'an event is never changed';
end
$$;
create trigger event_is_final before update on auth.event
  for each statement execute function auth.refuse_change_of_event();
