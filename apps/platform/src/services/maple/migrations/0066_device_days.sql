-- How many devices of each state there were on a day of UTC, from the tally: of each service
-- provider, and without one of everybody. The last count of a day stays.
create table maple.device_day (
  service_id text collate "C" references maple.service on delete cascade,
  day date not null,
  state maple.device_state not null,
  count bigint not null
);
create unique index device_day_by_service on maple.device_day (coalesce(service_id, ''), day, state);
create index device_day_of_service on maple.device_day (service_id) where service_id is not null;
create index device_day_by_day on maple.device_day (day);
