-- The journal of giving a card new keys. A step is written before what it names goes to the card.
create table maple.key_rotation (
  id uuid primary key,
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  old_set uuid not null references maple.key_set,
  new_set uuid references maple.key_set,
  custody maple.key_custody not null,
  old_version smallint not null,
  new_version smallint not null,
  step text not null,
  journal jsonb not null,
  created_by text not null,
  -- The request that two people approved, for a change of custody.
  approval_id uuid,
  job_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index key_rotation_element on maple.key_rotation (cplc, created_at desc, id);
create unique index key_rotation_open on maple.key_rotation (cplc)
  where step in ('asked', 'sending', 'sent', 'unknown');
create index key_rotation_approval on maple.key_rotation (approval_id, old_set)
  where approval_id is not null;
create index key_rotation_old_set on maple.key_rotation (old_set);
create index key_rotation_new_set on maple.key_rotation (new_set);

-- Why the last attempt with wrong keys failed, as far as it can be told without another one.
create table maple.key_mismatch (
  cplc text collate "C" primary key
    references maple.element on update cascade on delete cascade,
  at timestamptz not null default now(),
  version smallint not null,
  protocol text not null,
  finding text not null,
  found_version smallint,
  diversification text,
  master_name text
);

-- The keys of a retired set are destroyed.
alter table maple.key_set drop constraint key_set_check1;
alter table maple.key_set add constraint key_set_place check (case
  when state = 'retired' then sealed_keys is null and wrapped_key is null and hsm_label is null
  when master_id is not null then custody = 'vault' and sealed_keys is null and hsm_label is null
  when custody = 'vault' then vault_key is not null and wrapped_key is not null
    and sealed_keys is not null and hsm_label is null
  else hsm_label is not null and sealed_keys is null
end);
