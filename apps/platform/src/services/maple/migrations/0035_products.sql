-- Images of firmware, and the public keys that they are signed by.
create type maple.binary_image_state as enum ('uploaded', 'verified', 'released', 'revoked');
create type maple.product_state as enum ('development', 'production', 'endOfLife');

create table maple.image_key (
  id uuid primary key default gen_random_uuid(),
  service_id text collate "C" constraint image_key_service_id_fkey references maple.service,
  name text not null,
  algorithm text not null check (algorithm in ('ecdsa-p256', 'rsa-2048', 'ed25519')),
  -- As images name it: the SHA-256 of the public key.
  key_hash text collate "C" not null,
  pem text not null,
  created_by text,
  created_at timestamptz not null default now()
);
create unique index image_key_hash on maple.image_key (coalesce(service_id, ''), key_hash);
create index image_key_by_service on maple.image_key (service_id, created_at, id);

create table maple.binary_image (
  id uuid primary key default gen_random_uuid(),
  service_id text collate "C" constraint binary_image_service_id_fkey references maple.service,
  -- No reference: products refer to images, and a backup reads tables in the order of references.
  product_id uuid,
  state maple.binary_image_state not null default 'uploaded',
  name text not null,
  name_key text collate "C" not null,
  version text not null,
  -- What the file says of itself.
  mcuboot jsonb not null,
  file_name text not null,
  bytes integer not null,
  sha256 text collate "C" not null,
  -- Name, hash and algorithm of the key that its signature was verified with.
  signed_by jsonb,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index binary_image_by_created_at on maple.binary_image (created_at, id);
create index binary_image_by_name on maple.binary_image (name_key, id);
create index binary_image_by_state on maple.binary_image (state, created_at, id);
create index binary_image_by_state_and_name on maple.binary_image (state, name_key, id);
create index binary_image_by_product on maple.binary_image (product_id, created_at, id)
  where product_id is not null;
create index binary_image_by_product_and_name on maple.binary_image (product_id, name_key, id)
  where product_id is not null;
create index binary_image_by_service_and_created_at
  on maple.binary_image (service_id, created_at, id);
create index binary_image_by_service_and_name on maple.binary_image (service_id, name_key, id);
create index binary_image_by_service_and_state
  on maple.binary_image (service_id, state, created_at, id);
create index binary_image_by_service_state_and_name
  on maple.binary_image (service_id, state, name_key, id);
create index binary_image_by_file on maple.binary_image (sha256);
-- A revoked file can be uploaded again.
create unique index binary_image_file on maple.binary_image (coalesce(service_id, ''), sha256)
  where state <> 'revoked';

create table maple.product (
  id uuid primary key default gen_random_uuid(),
  service_id text collate "C" constraint product_service_id_fkey references maple.service,
  name text not null,
  name_key text collate "C" not null,
  model text,
  model_key text collate "C",
  revisions text[] not null default '{}',
  state maple.product_state not null default 'development',
  profile_id text collate "C" references maple.profile on delete set null,
  image_id uuid constraint product_image_id_fkey references maple.binary_image,
  created_by text,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index product_by_created_at on maple.product (created_at, id);
create index product_by_name on maple.product (name_key, id);
create index product_by_model on maple.product (model_key, id) where model_key is not null;
create index product_by_state on maple.product (state, created_at, id);
create index product_by_state_and_name on maple.product (state, name_key, id);
create index product_by_service_and_created_at on maple.product (service_id, created_at, id);
create index product_by_service_and_name on maple.product (service_id, name_key, id);
create index product_by_service_and_model on maple.product (service_id, model_key, id)
  where model_key is not null;
create index product_by_service_and_state on maple.product (service_id, state, created_at, id);
create index product_by_service_state_and_name on maple.product (service_id, state, name_key, id);
create index product_by_profile on maple.product (profile_id) where profile_id is not null;
create index product_by_image on maple.product (image_id) where image_id is not null;

alter table maple.claim_code add column product_id uuid references maple.product on delete cascade;
create index claim_code_by_product on maple.claim_code (product_id, created_at desc, id)
  where product_id is not null;

alter table maple.device add column product_id uuid
  constraint device_product_id_fkey references maple.product;
-- One range for each state: all devices of a product are read as those of its states, merged.
create index device_by_product on maple.device (product_id, state, created_at, id)
  where product_id is not null;

-- A device that moves to another service provider leaves its product, whoever moves it.
create function maple.leave_product() returns trigger language plpgsql as $$
begin
  if new.product_id is not distinct from old.product_id then
    new.product_id := null;
  end if;
  return new;
end
$$;
create trigger device_leaves_product before update of service_id on maple.device
  for each row when (old.service_id is distinct from new.service_id and old.product_id is not null)
  execute function maple.leave_product();
