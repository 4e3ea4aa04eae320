-- What a provider's mini-apps may ask for, and its Moby API: address, names of roles, keys.
alter table cedar.provider
  add column mini_app_rights jsonb not null default '[]',
  add column moby_api_url text,
  add column moby_roles jsonb not null default '{"owner": [], "member": []}';

create table cedar.provider_key (
  id uuid primary key,
  provider_id uuid not null references cedar.provider on delete cascade,
  -- HMAC-SHA256 under a key from the platform's secret; the key itself is nowhere.
  hash text not null,
  last4 text not null,
  created_at timestamptz not null default now(),
  -- When a key that another took the place of ends; null for the one in force.
  ends_at timestamptz
);
create unique index provider_key_hash on cedar.provider_key (hash);
create unique index provider_key_in_force on cedar.provider_key (provider_id)
  where ends_at is null;
create index provider_key_provider on cedar.provider_key (provider_id);
