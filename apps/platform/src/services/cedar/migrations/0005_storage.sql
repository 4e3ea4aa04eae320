-- Two kinds of rows: an upload announces the object that it is about to refer to, which keeps the sweep
-- away for an hour; the other objects are ones that something stopped referring to, and go at once.
alter table cedar.released_object add column is_announced boolean not null default false;
-- Which kind the rows are of until now cannot be known.
update cedar.released_object set is_announced = true;
create index released_object_due on cedar.released_object (id) where not is_announced;
