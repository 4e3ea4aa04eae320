-- include ../../../core/jobs/job-table.sql

-- What happened, written with the change itself; the audit trail goes on in it. The same in every
-- service (core/events).
alter table cedar.audit rename to event;
alter index cedar.audit_pkey rename to event_pkey;
alter sequence cedar.audit_id_seq rename to event_id_seq;
drop index cedar.audit_subject;
alter index cedar.audit_release rename to event_release;
-- include ../../../core/events/event-indexes.sql
