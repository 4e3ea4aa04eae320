-- include ../../../core/jobs/job-table.sql

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
-- include ../../../core/events/event-indexes.sql
