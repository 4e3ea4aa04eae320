-- Keys that stand for a provider in the calls that publish. The id, after `key:`, belongs to the
-- provider as a user does, so that a key sees what the people of the provider see and no more.
create table cedar.publish_key (
  id uuid primary key,
  provider_id uuid not null references cedar.provider on delete cascade,
  name text not null,
  -- As in products: lower case as JavaScript makes it.
  search_name text collate "C" not null,
  -- Of the whole key, which is 256 random bits.
  sha256 text not null unique,
  ending text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz
);
create index publish_key_by_created on cedar.publish_key (provider_id, created_at, id);
create index publish_key_by_name on cedar.publish_key (provider_id, search_name, id);
