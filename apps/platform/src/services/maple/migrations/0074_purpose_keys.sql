-- Keys of security domains for tokens, receipts and signatures of load files.
create table maple.purpose_key (
  id uuid primary key,
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  -- Null: the domain of the issuer.
  domain_aid text collate "C",
  purpose text not null,
  version smallint not null,
  kind text not null,
  -- In bits.
  length integer not null,
  check_value text,
  public_key text,
  -- A secret key as hex, or a private key as PEM; null where it is kept elsewhere or was destroyed.
  vault_key smallint,
  wrapped_key bytea,
  sealed_keys bytea,
  origin text not null,
  state text not null,
  note text,
  cause text,
  status_word text,
  created_by text not null,
  job_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index purpose_key_element on maple.purpose_key (cplc, created_at desc, id);
create unique index purpose_key_active on maple.purpose_key (cplc, coalesce(domain_aid, ''), purpose)
  where state = 'active';
create unique index purpose_key_open on maple.purpose_key (cplc) where state in ('asked', 'sending');
create index purpose_key_vault on maple.purpose_key (vault_key, id) where vault_key is not null;
