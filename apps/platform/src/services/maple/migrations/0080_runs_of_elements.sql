-- outside of a transaction
create index concurrently template_target_by_element on maple.template_target (cplc, started_at)
  where started_at is not null;
create index concurrently script_run_by_element on maple.script_run (cplc, started_at)
  where started_at is not null;
