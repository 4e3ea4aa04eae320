-- include ../../../core/jobs/job-owner.sql

-- What waits already.
update maple.job set owner = coalesce(scope, 'person ' || created_by, '')
where state in ('queued', 'running') and period is null;
