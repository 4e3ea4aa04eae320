-- How many previews each provider has opened in the hour that it last opened one.
create table cedar.preview_use (
  provider_id uuid primary key references cedar.provider on delete cascade,
  hour timestamptz not null,
  used integer not null
);
