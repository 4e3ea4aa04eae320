-- include ../../../core/jobs/job-owner.sql

-- What waits already.
update cedar.job as job set owner = notification.provider_id
from cedar.notification as notification
where notification.job_id = job.id and job.state in ('queued', 'running');
