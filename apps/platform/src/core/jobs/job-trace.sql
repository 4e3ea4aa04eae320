-- Where what queued a job was in a trace, so that its runs belong to it.
alter table {schema}.job add column traceparent text;
