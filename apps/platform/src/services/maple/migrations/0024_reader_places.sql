-- Where a reader is, since when it is connected, and what its name is searched by.
alter table maple.reader
  add host text,
  add connected_at timestamptz,
  add name_key text collate "C" not null default '';
update maple.reader set name_key = left(lower(name), 100);
drop index maple.reader_service;
drop index maple.reader_created;
create index reader_by_service on maple.reader (service_id, created_at, id);
create index reader_by_created_at on maple.reader (created_at, id);
create index reader_by_name on maple.reader (name_key, id);
