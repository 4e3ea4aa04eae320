-- What every service stands on, whichever of them run on this database.
create schema platform;

-- The vault keys of this database, by a fingerprint that says nothing of the key. Two processes with
-- different keys of one version would each seal what the other cannot open.
create table platform.vault_key (
  version integer primary key,
  fingerprint text not null,
  known_since timestamptz not null default now()
);
