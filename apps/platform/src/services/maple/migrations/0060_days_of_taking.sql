-- How many registrations of others a service provider took on the last day (UTC) on which it took any.
create table maple.take_over (
  service_id text collate "C" primary key
    references maple.service on update cascade on delete cascade,
  day date not null,
  count integer not null
);
