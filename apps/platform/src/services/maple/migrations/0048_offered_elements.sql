-- Secure elements that a device offers, as it said last: in its hello, or when one came or went. Apart
-- from its presence, whose row is written every minute.
create table maple.device_offer (
  device_id text collate "C" primary key references maple.device on delete cascade,
  elements text[] not null
);
