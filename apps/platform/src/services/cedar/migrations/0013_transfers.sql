-- What a transfer moved, so that it can be undone.
create table cedar.transfer (
  id uuid primary key,
  from_provider uuid not null references cedar.provider on delete cascade,
  to_provider uuid not null references cedar.provider on delete cascade,
  user_id text not null,
  product_ids uuid[] not null,
  -- The one that the link of the former provider opened.
  default_product uuid,
  at timestamptz not null default now(),
  undone_at timestamptz
);
create index transfer_to on cedar.transfer (to_provider, at);
create index transfer_from on cedar.transfer (from_provider);
