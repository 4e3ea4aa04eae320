-- The change of many that an event belongs to, which shows it: one entry of the audit trail then stands
-- for all of them. Those that belong to none are read by ranges of their own.
alter table maple.event add column part_of text collate "C";
create index event_by_part on maple.event (part_of, at, id) where part_of is not null;
create index event_alone_by_at on maple.event (at, id) where part_of is null;
create index event_alone_by_service on maple.event (service_id, at, id)
  where service_id is not null and part_of is null;
drop index maple.event_by_actor;
create index event_by_actor on maple.event (actor, at, id) where part_of is null;
drop index maple.event_by_action;
create index event_by_action on maple.event (action, at, id) where part_of is null;

-- What a change found and left on a device, by field: {"state": ["pending", "accepted"]}; and the
-- revision that it left.
alter table maple.device_bulk_item add column changes jsonb, add column revision integer;
alter table maple.device_bulk
  -- Whether its items have these. Earlier ones have none.
  add column keeps_values boolean not null default false,
  -- What it takes back.
  add column reverts_bulk uuid references maple.device_bulk,
  add column reverts_import uuid references maple.device_import,
  -- Whether it also changes devices that somebody else has changed since.
  add column overwrites boolean not null default false;
alter table maple.device_bulk alter column keeps_values set default true;
create index device_bulk_by_reverted on maple.device_bulk (reverts_bulk, created_at)
  where reverts_bulk is not null;
create index device_bulk_by_reverted_import on maple.device_bulk (reverts_import, created_at)
  where reverts_import is not null;

-- The devices of an import; one without changes is new.
create table maple.device_import_item (
  import_id uuid not null references maple.device_import (id) on delete cascade,
  device_id text collate "C" not null,
  changes jsonb,
  revision integer not null,
  primary key (import_id, device_id)
);
alter table maple.device_import add column keeps_values boolean not null default false;
alter table maple.device_import alter column keeps_values set default true;
create index device_import_with_values on maple.device_import (created_at) where keeps_values;

-- The words and terms of a device go with it.
create function maple.forget_device() returns trigger language plpgsql as $$
begin
  delete from maple.device_word using gone where device_id = gone.id;
  delete from maple.device_term as known
  using gone, maple.terms_of(gone.tags, gone.attributes, gone.created_at) as terms
  where (known.term, known.place, known.device_id) = (terms.term, terms.place, gone.id);
  return null;
end
$$;
create trigger device_is_forgotten after delete on maple.device
  referencing old table as gone for each statement execute function maple.forget_device();
