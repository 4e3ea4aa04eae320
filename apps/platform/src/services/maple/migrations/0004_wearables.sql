-- A wearable is a device known by an id of its own inside, and bound to an account or to none.
alter table maple.device
  add column inner_id text collate "C",
  add column account_id uuid references maple.account on delete set null,
  add constraint device_account_has_inner_id check (account_id is null or inner_id is not null);
create unique index device_inner_id on maple.device (inner_id) where inner_id is not null;
create index device_account on maple.device (account_id) where account_id is not null;
