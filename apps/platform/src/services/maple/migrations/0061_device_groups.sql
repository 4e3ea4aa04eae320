-- Devices that people look at together and roll out to: those that a rule finds, or a list.
create table maple.device_group (
  id uuid primary key default gen_random_uuid(),
  service_id text collate "C" constraint device_group_service_id_fkey references maple.service,
  name text not null,
  name_key text collate "C" not null,
  description text not null,
  -- A filter of devices, as the list of devices takes it; null for a list.
  rule jsonb,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index device_group_name on maple.device_group (coalesce(service_id, ''), name_key);
create index device_group_by_name on maple.device_group (name_key, id);
create index device_group_by_created_at on maple.device_group (created_at, id);
create index device_group_by_service_and_name on maple.device_group (service_id, name_key, id);
create index device_group_by_service_and_created_at
  on maple.device_group (service_id, created_at, id);

-- The devices of lists: a list is one range of the key.
create table maple.device_group_member (
  group_id uuid not null references maple.device_group on delete cascade,
  device_id text collate "C" not null references maple.device on delete cascade,
  primary key (group_id, device_id)
);
create index device_group_member_by_device on maple.device_group_member (device_id);

-- A device that moves to another service provider leaves the lists of the former, whoever moves it.
create function maple.leave_groups() returns trigger language plpgsql as $$
begin
  delete from maple.device_group_member as member using maple.device_group as former
  where member.device_id = new.id and former.id = member.group_id
    and former.service_id <> coalesce(new.service_id, '');
  return null;
end
$$;
create trigger device_leaves_groups after update of service_id on maple.device
  for each row when (old.service_id is distinct from new.service_id)
  execute function maple.leave_groups();

-- The rollouts that take their devices from a group.
create index rollout_by_device_group on maple.rollout ((targets #>> '{filter,groupId}'))
  where targets #>> '{filter,groupId}' is not null;
