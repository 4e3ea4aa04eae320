-- The last import that created or changed a device; its devices in the order of their creation.
alter table maple.device add column import_id uuid;
create index device_by_import on maple.device (import_id, created_at, id) where import_id is not null;
