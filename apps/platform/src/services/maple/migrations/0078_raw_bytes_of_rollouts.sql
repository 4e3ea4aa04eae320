-- Whether whoever started it may send raw bytes. Those begun before go on as they were.
alter table maple.rollout add column may_send_raw boolean not null default true;
alter table maple.rollout alter column may_send_raw set default false;
