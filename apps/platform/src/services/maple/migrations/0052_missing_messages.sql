-- Places below `seq` that never came, as ranges: a library may send them late, behind newer ones.
alter table maple.device_stream add column missing jsonb not null default '[]';
