-- How many connections a process has of each service provider; those of none have an empty name.
alter table maple.gateway add column load jsonb not null default '{}';

-- Authorities whose certificates devices connect with, as the service provider brought them.
create table maple.certificate_authority (
  id uuid primary key,
  -- Null for one of an administrator outside of any stage.
  service_id text collate "C"
    constraint certificate_authority_service_id_fkey references maple.service,
  product_id uuid references maple.product on delete cascade,
  name text not null,
  certificate bytea not null,
  -- Of the certificate: its subject as text, SHA-256 of its public key and of itself in hex.
  subject text not null,
  key_hash text collate "C" not null,
  fingerprint text collate "C" not null,
  valid_from timestamptz not null,
  valid_to timestamptz not null,
  -- Of a device that nobody registered before.
  type maple.device_type not null,
  state maple.device_state not null,
  -- What the service provider signs to show that the key is theirs; null once they have.
  challenge text,
  proved_at timestamptz,
  is_enabled boolean not null default true,
  -- The last certificate of it that was refused, and why.
  refused_at timestamptz,
  refused_serial text collate "C",
  refusal text collate "C",
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((challenge is null) = (proved_at is not null))
);
create index certificate_authority_service
  on maple.certificate_authority (service_id, created_at desc);
-- Anybody may bring a certificate, which is public; a key has one owner.
create unique index certificate_authority_key on maple.certificate_authority (key_hash)
  where proved_at is not null;
-- Names of issuers can be longer than a row of a B-tree.
create index certificate_authority_subject on maple.certificate_authority using hash (subject)
  where proved_at is not null;

-- Certificates that devices connected with.
create table maple.device_certificate (
  id uuid primary key,
  authority_id uuid not null references maple.certificate_authority on delete cascade,
  -- Hex digits in capitals.
  serial text collate "C" not null,
  device_id text collate "C" not null references maple.device on delete cascade,
  valid_to timestamptz not null,
  created_at timestamptz not null default now(),
  unique (authority_id, serial, device_id)
);
create index device_certificate_newest
  on maple.device_certificate (authority_id, created_at desc, id);
create index device_certificate_device on maple.device_certificate (device_id);

create table maple.revoked_certificate (
  authority_id uuid not null references maple.certificate_authority on delete cascade,
  serial text collate "C" not null,
  revoked_by text,
  revoked_at timestamptz not null default now(),
  primary key (authority_id, serial)
);

-- Gateways end connections with certificates of an authority, or with one of them.
alter table maple.device_notice add column authority_id uuid, add column serial text collate "C";

create function maple.notice_authority() returns trigger language plpgsql as $$
begin
  insert into maple.device_notice (authority_id) values (old.id);
  return null;
end
$$;
create trigger certificate_authority_notices_gateways
  after update of is_enabled on maple.certificate_authority
  for each row when (old.is_enabled and not new.is_enabled)
  execute function maple.notice_authority();
create trigger certificate_authority_gone_notices_gateways
  after delete on maple.certificate_authority
  for each row execute function maple.notice_authority();

create function maple.notice_revoked_certificate() returns trigger language plpgsql as $$
begin
  insert into maple.device_notice (authority_id, serial) values (new.authority_id, new.serial);
  return null;
end
$$;
create trigger revoked_certificate_notices_gateways after insert on maple.revoked_certificate
  for each row execute function maple.notice_revoked_certificate();
