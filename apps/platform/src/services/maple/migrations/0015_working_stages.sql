-- The provider of Cedar whose working stage a service provider is.
alter table maple.service add column provider_id uuid constraint service_by_provider unique;

-- The service provider that an element belongs to: that of its device, kept when it is detached.
alter table maple.element add column service_id text collate "C"
  constraint element_service_id_fkey references maple.service (id);
update maple.element as element set service_id = device.service_id
from maple.device as device where device.id = element.device_id and device.service_id is not null;
-- A list reads, for each facet asked for, one range.
create index element_by_service on maple.element (service_id, facet, cplc)
  where service_id is not null;

-- By the database, so that no change of a device or an element can forget it.
create function maple.take_service_of_device() returns trigger language plpgsql as $$
begin
  if new.device_id is not null then
    new.service_id := (select service_id from maple.device where id = new.device_id);
  end if;
  return new;
end
$$;
create trigger element_takes_service before insert or update of device_id on maple.element
  for each row execute function maple.take_service_of_device();

create function maple.give_service_to_elements() returns trigger language plpgsql as $$
begin
  update maple.element set service_id = new.service_id where device_id = new.id;
  return null;
end
$$;
create trigger device_gives_service after update of service_id on maple.device
  for each row when (old.service_id is distinct from new.service_id)
  execute function maple.give_service_to_elements();
