create schema orchard;

-- What runs of jobs leave behind.
create table orchard.trace (id bigint generated always as identity, job text not null, text text not null);

-- include ../../job-table.sql
