-- Whether the one process is connected to the broker, and what keeps it from that.
alter table maple.broker_holder
  add column is_connected boolean not null default false,
  add column problem text collate "C";
