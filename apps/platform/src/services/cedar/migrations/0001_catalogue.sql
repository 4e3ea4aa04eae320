create schema cedar;

create table cedar.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text,
  action text not null,
  subject text not null,
  ip text,
  user_agent text,
  request_id text,
  before jsonb,
  after jsonb
);
create index audit_subject on cedar.audit (subject, id);

-- Packages and images by the SHA-256 of their bytes, shared by all who sent the same bytes. The
-- rows say what the object store holds and which of it may be served as an image.
create table cedar.object (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  media_type text not null,
  bytes bigint not null,
  width integer,
  height integer
);

-- Objects that something stopped referring to, or that were kept for something about to. The sweep
-- looks at these alone, never at the whole catalogue, and removes what nothing refers to.
create table cedar.released_object (
  id bigint generated always as identity primary key,
  sha256 text not null,
  released_at timestamptz not null default now()
);
create index released_object_sha256 on cedar.released_object (sha256);

create function cedar.release_object() returns trigger language plpgsql as $$
begin
  insert into cedar.released_object (sha256) values (to_jsonb(old) ->> tg_argv[0]);
  return null;
end
$$;

create table cedar.provider (
  id uuid primary key,
  -- `sub` of the owner's access token; a foreign authentication service need not use UUIDs.
  owner_id text not null,
  is_default boolean not null,
  enabled boolean not null default true,
  stage text not null default 'DEV' check (stage in ('DEV', 'TEST', 'PROD')),
  translations jsonb not null,
  icon_sha256 text references cedar.object,
  -- Kept with each product made or deleted, so that a limit costs no counting.
  product_count integer not null default 0 check (product_count >= 0),
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index provider_one_generic on cedar.provider (owner_id) where is_default;
create index provider_icon on cedar.provider (icon_sha256) where icon_sha256 is not null;

create table cedar.provider_user (
  provider_id uuid not null references cedar.provider on delete cascade,
  user_id text not null,
  is_owner boolean not null default false,
  primary key (user_id, provider_id)
);
create index provider_user_provider on cedar.provider_user (provider_id);

create table cedar.product (
  id uuid primary key,
  provider_id uuid not null references cedar.provider,
  translations jsonb not null,
  -- Lower case as JavaScript makes it, so that both engines agree whatever their locale.
  sort_title text collate "C" not null,
  search_text text collate "C" not null,
  icon_sha256 text references cedar.object,
  is_default boolean not null default false,
  link_id text check (link_id ~ '^[0-9A-Za-z]{7}$'),
  version_count integer not null default 0 check (version_count >= 0),
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index product_by_title on cedar.product (provider_id, sort_title, id);
create index product_by_updated on cedar.product (provider_id, updated_at, id);
create index product_by_created on cedar.product (provider_id, created_at, id);
create unique index product_one_default on cedar.product (provider_id) where is_default;
create unique index product_link on cedar.product (link_id) where link_id is not null;
create index product_icon on cedar.product (icon_sha256) where icon_sha256 is not null;

create table cedar.product_version (
  id uuid primary key,
  product_id uuid not null references cedar.product on delete cascade,
  major integer not null,
  minor integer not null,
  patch integer not null,
  translations jsonb not null,
  enabled boolean not null default false,
  -- The last time that it went live; set once, the package is final.
  enabled_at timestamptz,
  -- The first time that its package was downloaded; set once, the package is final.
  downloaded_at timestamptz,
  checking_since timestamptz,
  package_sha256 text references cedar.object,
  package_inflated_bytes bigint,
  package_files integer,
  package_uploaded_at timestamptz,
  report jsonb,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint product_version_live_has_package check (not enabled or package_sha256 is not null)
);
create unique index product_version_number on cedar.product_version (product_id, major, minor, patch);
create unique index product_version_one_live on cedar.product_version (product_id) where enabled;
create index product_version_package on cedar.product_version (package_sha256)
  where package_sha256 is not null;

create table cedar.version_image (
  id uuid primary key,
  version_id uuid not null references cedar.product_version on delete cascade,
  locale_code text not null,
  position integer not null,
  sha256 text not null references cedar.object,
  created_at timestamptz not null default now()
);
create unique index version_image_once on cedar.version_image (version_id, locale_code, sha256);
create index version_image_object on cedar.version_image (sha256);

create trigger provider_icon_released after delete or update of icon_sha256 on cedar.provider
  for each row when (old.icon_sha256 is not null)
  execute function cedar.release_object('icon_sha256');
create trigger product_icon_released after delete or update of icon_sha256 on cedar.product
  for each row when (old.icon_sha256 is not null)
  execute function cedar.release_object('icon_sha256');
create trigger package_released after delete or update of package_sha256 on cedar.product_version
  for each row when (old.package_sha256 is not null)
  execute function cedar.release_object('package_sha256');
create trigger image_released after delete on cedar.version_image
  for each row execute function cedar.release_object('sha256');
