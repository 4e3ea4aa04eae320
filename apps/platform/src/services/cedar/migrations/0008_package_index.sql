-- The files of a package with their hashes and places, so that two packages are compared, and one
-- file is read, without going through an archive. Written after an upload, or when first asked for.
create table cedar.package_index (
  sha256 text primary key references cedar.object on delete cascade,
  files jsonb not null,
  -- As JSON: a name in it may be a text that no database holds as it is.
  manifest text
);
