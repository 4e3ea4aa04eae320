-- The devices of a service provider that wait to be accepted: few, among however many it has.
create index device_waiting on maple.device (service_id, created_at, id) include (type)
  where state = 'quarantined';
