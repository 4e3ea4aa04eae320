-- Work that outlives its request: written with the change that needs it, run by any process. The
-- same in every service (core/jobs).
create table {schema}.job (
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
create index job_due on {schema}.job (name, due_at) where state in ('queued', 'running');
create unique index job_once_by_key on {schema}.job (name, key) where state = 'queued' and attempts = 0;
create unique index job_once_a_period on {schema}.job (name, period);
create index job_finished on {schema}.job (finished_at)
  where state in ('completed', 'failed', 'cancelled');
-- The lists of the admin, the newest first.
create index job_by_created on {schema}.job (created_at, id);
create index job_by_state on {schema}.job (state, created_at, id);
