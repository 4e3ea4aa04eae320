-- What devices connect with: secrets of 256 random bits, as their SHA-256.
create table maple.device_credential (
  id uuid primary key,
  device_id text collate "C" not null references maple.device,
  secret_hash text collate "C" not null constraint device_credential_secret unique,
  -- Null for a secret that the device made when it used a claim code.
  created_by text,
  claim_code_id uuid,
  used_at timestamptz,
  created_at timestamptz not null default now()
);
create index device_credential_device on maple.device_credential (device_id, created_at);

-- Exchanged by devices for a secret of their own.
create table maple.claim_code (
  id uuid primary key,
  service_id text collate "C" references maple.service,
  name text not null,
  type maple.device_type not null,
  -- Of a device that nobody registered before.
  state maple.device_state not null,
  code_hash text collate "C" not null unique,
  uses integer not null default 0,
  most_uses integer not null,
  created_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index claim_code_service on maple.claim_code (service_id, created_at desc);

-- Processes that have connections of devices; one that has not said so for a while is gone.
create table maple.gateway (
  id uuid primary key,
  seen_at timestamptz not null default now()
);

-- Beside the device, narrow and half empty: what is written for each connected device every minute
-- changes no index and stays on its page.
create table maple.device_presence (
  device_id text collate "C" primary key references maple.device on delete cascade,
  -- Null for a device that is away.
  gateway_id uuid,
  connection_id uuid not null,
  connected_at timestamptz not null,
  seen_at timestamptz not null,
  protocol text not null,
  ip text not null,
  agent text,
  firmware text
) with (fillfactor = 50);
create index device_presence_gateway on maple.device_presence (gateway_id)
  where gateway_id is not null;

-- How far the messages of a boot of a device are stored; `lost` are the numbers that never came.
create table maple.device_stream (
  device_id text collate "C" not null references maple.device on delete cascade,
  boot text collate "C" not null,
  seq bigint not null default 0,
  lost bigint not null default 0,
  started_at timestamptz not null default now(),
  primary key (device_id, boot)
) with (fillfactor = 50);

-- `json` keeps what devices say as it is: `jsonb` refuses some escapes, and with them a whole batch.
create table maple.device_message (
  id bigint generated always as identity primary key,
  device_id text collate "C" not null,
  kind text collate "C" not null,
  boot text collate "C" not null,
  seq bigint not null,
  sent_at timestamptz,
  received_at timestamptz not null default now(),
  data json not null
);
create index device_message_device on maple.device_message (device_id, id);
create index device_message_received on maple.device_message using brin (received_at);

-- Gateways look here every second for devices whose connection must end: their secret was revoked,
-- or what they may do changed.
create table maple.device_notice (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  device_id text collate "C",
  -- All devices of a service provider.
  service_id text collate "C"
);
create index device_notice_at on maple.device_notice (at);

-- By the database, so that no change of a device, a secret or a service provider can forget it.
create function maple.notice_device() returns trigger language plpgsql as $$
begin
  insert into maple.device_notice (device_id) values (new.id);
  return null;
end
$$;
create trigger device_notices_gateways after update of state, service_id on maple.device
  for each row when (new.state not in ('online', 'offline')
    and old.state is distinct from new.state or old.service_id is distinct from new.service_id)
  execute function maple.notice_device();

create function maple.notice_credential() returns trigger language plpgsql as $$
begin
  insert into maple.device_notice (device_id) values (old.device_id);
  return null;
end
$$;
create trigger device_credential_notices_gateways after delete on maple.device_credential
  for each row execute function maple.notice_credential();

create function maple.notice_service() returns trigger language plpgsql as $$
begin
  insert into maple.device_notice (service_id) values (new.id);
  return null;
end
$$;
create trigger service_notices_gateways after update of state on maple.service
  for each row when (old.state is distinct from new.state)
  execute function maple.notice_service();
