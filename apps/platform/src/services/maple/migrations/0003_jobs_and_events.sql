-- include ../../../core/jobs/job-table.sql

-- What happened, written with the change itself; the audit trail goes on in it. The same in every
-- service (core/events).
alter table maple.audit rename to event;
alter index maple.audit_pkey rename to event_pkey;
alter sequence maple.audit_id_seq rename to event_id_seq;
drop index maple.audit_subject_at_idx;
-- include ../../../core/events/event-indexes.sql
