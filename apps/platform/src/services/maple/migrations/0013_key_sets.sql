-- Keys of elements. The vault keeps them sealed in the row; of keys in an HSM the row has their label there.
create type maple.key_custody as enum ('vault', 'hsm');
-- `pending`: PUT KEY may or may not have reached the card. `old`: replaced on the card. `retired`: not used any more.
create type maple.key_state as enum ('pending', 'active', 'old', 'retired');

-- Keys that the keys of many elements are made from.
create table maple.master_key (
  id uuid primary key default gen_random_uuid(),
  -- Null for those that no service provider owns.
  service_id text collate "C" references maple.service,
  name text not null,
  name_key text collate "C" not null,
  algorithm text not null check (algorithm in ('AES', 'DES')),
  check_values text[] not null,
  vault_key smallint not null,
  wrapped_key bytea not null,
  sealed_keys bytea not null,
  created_at timestamptz not null default now()
);
create unique index master_key_name
  on maple.master_key (coalesce(service_id, ''), name_key);
create index master_key_service on maple.master_key (service_id, id);
create index master_key_vault on maple.master_key (vault_key, id);

create table maple.key_set (
  id uuid primary key,
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  version smallint not null check (version between 1 and 255),
  protocol text not null check (protocol in ('SCP02', 'SCP03')),
  algorithm text not null check (algorithm in ('AES', 'DES')),
  key_length smallint not null,
  -- Of the three keys; null for keys made from a master key, which the card's own data decide.
  check_values text[],
  state maple.key_state not null,
  custody maple.key_custody not null,
  -- How they got here: typed in, made by Grove, or those that a card is delivered with.
  origin text not null check (origin in ('imported', 'generated', 'delivered', 'diversified')),
  master_id uuid references maple.master_key,
  diversification text check (diversification in ('EMV', 'VISA2', 'KDF3')),
  -- A personalised chip keeps its chip id, and with it what the keys are sealed for.
  chip_id text collate "C" not null,
  vault_key smallint,
  wrapped_key bytea,
  sealed_keys bytea,
  hsm_label text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((master_id is null) = (diversification is null)),
  check (case
    when master_id is not null then custody = 'vault' and sealed_keys is null and hsm_label is null
    when custody = 'vault' then vault_key is not null and wrapped_key is not null
      and sealed_keys is not null and hsm_label is null
    else hsm_label is not null and sealed_keys is null
  end)
);
create index key_set_element on maple.key_set (cplc, created_at desc, id);
create unique index key_set_live on maple.key_set (cplc, version) where state = 'active';
create unique index key_set_pending on maple.key_set (cplc) where state = 'pending';
create index key_set_master on maple.key_set (master_id) where master_id is not null;
create index key_set_vault on maple.key_set (vault_key, id) where vault_key is not null;
