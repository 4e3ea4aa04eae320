-- A rollout for the devices where another one failed.
alter table maple.rollout
  add column retries uuid,
  -- Null for all that failed or timed out.
  add column retried_state text collate "C" check (retried_state in ('failed', 'timed_out')),
  add column retried_cause text collate "C",
  -- The rollout that a chain of retries began with; that one itself has none.
  add column retried_first uuid;
create index rollout_by_retries on maple.rollout (retries, created_at, id)
  where retries is not null;
create index rollout_by_retried_first on maple.rollout (retried_first)
  where retried_first is not null;
create index rollout_by_rolls_back on maple.rollout (rolls_back) where rolls_back is not null;

-- Elements of a device where the program succeeded, of a device with several: no retry repeats it.
alter table maple.rollout_execution
  add column done text[] collate "C" not null default '{}';
-- Devices that were tried and are waited for; one that connects is looked up here.
create index rollout_execution_awaited on maple.rollout_execution (device_id)
  where state = 'queued' and attempts > 0;
