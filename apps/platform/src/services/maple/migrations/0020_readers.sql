-- PC/SC readers on machines elsewhere, whose program connects to a process of the platform.
create table maple.reader (
  id uuid primary key,
  -- Whose elements it reaches; null for those without a service provider.
  service_id text collate "C" references maple.service,
  name text not null,
  added_by text,
  -- Hashes. A code is used once, for a key.
  code_hash text collate "C",
  code_expires_at timestamptz,
  key_hash text collate "C",
  -- The process that has the connection, and when it last said so.
  process_id uuid,
  seen_at timestamptz,
  pcsc_name text,
  atr text,
  cplc text collate "C",
  created_at timestamptz not null default now()
);
create index reader_service on maple.reader (service_id, created_at desc);
create index reader_created on maple.reader (created_at desc);
create unique index reader_code on maple.reader (code_hash) where code_hash is not null;
create unique index reader_key on maple.reader (key_hash) where key_hash is not null;
create index reader_cplc on maple.reader (cplc) where cplc is not null;
