-- Software cards as people see them. The defaults are of cards that were there before.
alter table maple.software_card
  add constraint software_card_service_id_fkey foreign key (service_id) references maple.service (id),
  add column name text not null default 'Card',
  add column name_key text collate "C" not null default 'card',
  add column kind text collate "C" not null default 'scp03',
  add column seed text not null default '',
  add column revision integer not null default 1,
  add column created_at timestamptz not null default now(),
  add column updated_at timestamptz not null default now();
create index software_card_by_name on maple.software_card (name_key, cplc);
create index software_card_by_created_at on maple.software_card (created_at, cplc);
create index software_card_by_service_and_name on maple.software_card (service_id, name_key, cplc);
create index software_card_by_service_and_created_at
  on maple.software_card (service_id, created_at, cplc);

create table maple.software_card_snapshot (
  id uuid primary key default gen_random_uuid(),
  cplc text collate "C" not null references maple.software_card on update cascade on delete cascade,
  name text not null,
  name_key text collate "C" not null,
  state jsonb not null,
  created_at timestamptz not null default now(),
  constraint software_card_snapshot_by_name unique (cplc, name_key)
);

-- A card belongs to the service provider of its element, which another trigger may have set.
create function maple.give_service_to_card() returns trigger language plpgsql as $$
begin
  update maple.software_card set service_id = new.service_id where cplc = new.cplc;
  return null;
end
$$;
create trigger element_gives_service after update on maple.element
  for each row when (old.service_id is distinct from new.service_id)
  execute function maple.give_service_to_card();
