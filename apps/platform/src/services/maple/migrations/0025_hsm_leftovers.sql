-- Keys in the HSM that no key set needs, by their label. A label is here before keys are made under it
-- and from when a set gives its keys up; a job destroys what is left.
create table maple.hsm_leftover (
  label text collate "C" primary key,
  since timestamptz not null default now()
);
create index hsm_leftover_since on maple.hsm_leftover (since, label);

create function maple.note_hsm_label() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.hsm_label is not null
    and (tg_op = 'DELETE' or new.hsm_label is distinct from old.hsm_label) then
    insert into maple.hsm_leftover (label) values (old.hsm_label) on conflict do nothing;
  end if;
  if tg_op <> 'DELETE' and new.hsm_label is not null then
    delete from maple.hsm_leftover where label = new.hsm_label;
  end if;
  return null;
end $$;
create trigger key_set_hsm_label after insert or update of hsm_label or delete on maple.key_set
  for each row execute function maple.note_hsm_label();

-- The keys of one set are those of no other.
create unique index key_set_hsm_label on maple.key_set (hsm_label) where hsm_label is not null;
