-- Whose turn a job takes: the provider that it works for, or a person. Empty for the platform's own.
alter table {schema}.job add column owner text collate "C" not null default '';
create index job_turn on {schema}.job (name, owner, due_at) where state in ('queued', 'running');
drop index {schema}.job_due;
