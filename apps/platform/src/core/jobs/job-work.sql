-- The work that was asked for, without what recurs: there is far more of that.
create index job_work on {schema}.job (created_at, id) where period is null;
