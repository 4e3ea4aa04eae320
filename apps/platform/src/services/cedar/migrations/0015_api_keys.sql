-- API keys that the people of a provider make. A key without a name is one that an admin chose: it has
-- every scope, and the one before it works on for a while.
alter table cedar.provider_key
  add column name text,
  -- Rights of Maple; null is everything that a working stage allows.
  add column scopes text[],
  -- Of a key with a name: it works while its maker belongs to the provider.
  add column created_by text,
  add column last_used_at timestamptz,
  add check ((name is null) = (created_by is null));
drop index cedar.provider_key_in_force;
create unique index provider_key_in_force on cedar.provider_key (provider_id)
  where ends_at is null and name is null;
-- Lists begin with the newest.
drop index cedar.provider_key_provider;
create index provider_key_provider on cedar.provider_key (provider_id, created_at desc, id);
