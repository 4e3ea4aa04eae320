-- What an admin keeps about a provider. A limit that is absent is the stage's.
alter table cedar.provider
  add column auth_provider text,
  add column limits jsonb not null default '{}',
  add column fares jsonb not null default '[]',
  -- Names in lower case as JavaScript makes it, to search and sort by.
  add column sort_name text collate "C",
  add column search_text text collate "C";
update cedar.provider p set (sort_name, search_text) = (
  select coalesce(min(t.name) filter (where t.ordinality = 1), ''),
    coalesce(string_agg(t.name, E'\n' order by t.ordinality), '')
  from (
    select translate(lower(normalize(each.value ->> 'name', NFKC)),
      'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ', 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя') as name,
      each.ordinality
    from jsonb_array_elements(p.translations) with ordinality as each
  ) t
);
alter table cedar.provider
  alter column sort_name set not null,
  alter column search_text set not null;

create index provider_by_created on cedar.provider (created_at, id);
create index provider_by_name on cedar.provider (sort_name, id);
-- Organisations are few among the personal providers of developers.
create index organisation_by_created on cedar.provider (created_at, id) where not is_default;
create index organisation_by_name on cedar.provider (sort_name, id) where not is_default;
create index provider_by_owner on cedar.provider (owner_id, created_at, id);
