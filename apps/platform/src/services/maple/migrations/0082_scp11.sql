-- What opens channels by SCP11 to the cards of a service provider.
create table maple.scp11_credential (
  id uuid primary key,
  -- Null for those that no service provider owns.
  service_id text collate "C" references maple.service,
  name text not null,
  name_key text collate "C" not null,
  variant text not null,
  key_version smallint not null,
  -- Of session keys, in bytes.
  key_length smallint not null,
  -- Points in hex: keys whose certificates prove a card.
  authorities text[] not null,
  -- In hex, that of the host’s key last. Empty with variant b, as is what follows.
  certificates text[] not null,
  authority_version smallint,
  authority_key_id smallint,
  -- The host’s private key as PEM.
  vault_key smallint,
  wrapped_key bytea,
  sealed_keys bytea,
  created_by text not null,
  created_at timestamptz not null default now()
);
create unique index scp11_credential_name
  on maple.scp11_credential (coalesce(service_id, ''), name_key);
create index scp11_credential_vault on maple.scp11_credential (vault_key, id)
  where vault_key is not null;

-- Elements that are opened with them where nothing else is chosen.
create table maple.scp11_default (
  cplc text collate "C" primary key
    references maple.element on update cascade on delete cascade,
  credential_id uuid not null references maple.scp11_credential on delete cascade
);
create index scp11_default_credential on maple.scp11_default (credential_id);
