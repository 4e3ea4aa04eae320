-- The request for the tokens that Grove signs for a run, which somebody else approves.
alter table maple.template_run add column approval_id uuid;
-- Runs whose values are forgotten though they never got a job.
create index template_run_unstarted on maple.template_run (created_at)
  where approval_id is not null and job_id is null and sealed_input is not null;
-- What receipts of the card prove of its steps.
alter table maple.template_target add column receipts jsonb not null default '[]';
