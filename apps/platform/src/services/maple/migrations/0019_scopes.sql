-- The devices of a service provider in each order of a list; by the time of creation they had one.
create index device_by_service_and_name on maple.device (service_id, name_key, id)
  where service_id is not null;
create index device_by_service_and_id on maple.device (service_id, id_key, id)
  where service_id is not null;
create index device_by_service_and_last_seen_at on maple.device (service_id, last_seen_at, id)
  where service_id is not null;

create index element_by_service_and_cplc on maple.element (service_id, cplc)
  where service_id is not null;

-- The service provider that a job works for.
alter table maple.job add column scope text collate "C";
create index job_by_scope on maple.job (scope, created_at, id) where scope is not null;
