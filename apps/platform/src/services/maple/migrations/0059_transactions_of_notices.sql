-- A connection goes on if the device was looked up after the transaction of a notice had ended.
alter table maple.device_notice add column xact xid8 not null default pg_current_xact_id();
