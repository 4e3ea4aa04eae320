-- Why the last message of a boot was refused, which the device alone was told.
alter table maple.device_stream
  add column refused_at timestamptz,
  add column refusal text;

-- The desired version that the device takes no message for, because it would be too long.
alter table maple.device_twin add column undelivered_version integer not null default 0;
