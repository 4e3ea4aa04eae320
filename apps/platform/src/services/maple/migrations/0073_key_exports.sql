-- Keys that leave Grove under a transport key, once two people have approved it.
create table maple.key_export (
  id uuid primary key,
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  key_set uuid not null references maple.key_set on delete cascade,
  approval_id uuid not null,
  -- Who asked for it, and alone may read it.
  requested_by text not null,
  transport_check_value text not null,
  -- The transport key, until it was used.
  vault_key smallint,
  wrapped_key bytea,
  sealed_keys bytea,
  -- The wrapped keys, as `WrappedKeys` of the contract has them.
  document jsonb,
  created_at timestamptz not null default now()
);
create index key_export_element on maple.key_export (cplc, created_at desc, id);
create index key_export_key_set on maple.key_export (key_set);
create unique index key_export_approval on maple.key_export (approval_id);
create index key_export_vault on maple.key_export (vault_key, id) where vault_key is not null;
create index key_export_age on maple.key_export (created_at);
