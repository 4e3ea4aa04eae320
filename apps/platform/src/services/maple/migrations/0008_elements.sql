-- What an element holds. Its rule is the platform that a chip comes with: the first 10 bytes of its CPLC.
create table maple.profile (
  id text collate "C" primary key,
  name text not null,
  platform text collate "C" constraint profile_platform unique check (platform ~ '^[0-9A-F]{20}$'),
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The life-cycle states of a card (GlobalPlatform Card Specification 2.3.1, 5.1), one for a chip that was never
-- read, and one for a chip that must not be tried again.
create type maple.element_state as enum
  ('unknown', 'opReady', 'initialized', 'secured', 'cardLocked', 'terminated', 'blocked');

alter table maple.element
  add column state maple.element_state not null default 'unknown',
  -- Assigned by hand; null follows the rules of the profiles, which are read with the element.
  add column profile_id text collate "C" constraint element_profile references maple.profile,
  add column has_hsm boolean not null default false,
  add column revision integer not null default 1,
  add column updated_at timestamptz not null default now(),
  -- Everything that a list filters by, apart from the beginning of the CPLC, in one number.
  add column facet smallint not null generated always as (
    case state
      when 'unknown' then 0 when 'opReady' then 8 when 'initialized' then 16 when 'secured' then 24
      when 'cardLocked' then 32 when 'terminated' then 40 when 'blocked' then 48
    end
    + case when device_id is null then 0 else 4 end
    + case when has_hsm then 2 else 0 end
    + case when profile_id is null then 0 else 1 end
  ) stored;
-- A list reads, for each facet asked for, one range of one of these.
create index element_by_facet on maple.element (facet, cplc);
create index element_by_profile on maple.element (profile_id, facet, cplc)
  where profile_id is not null;

-- The CPLCs that an element had before its chip was personalised again.
create table maple.element_history (
  former_cplc text collate "C" primary key,
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  replaced_at timestamptz not null default now()
);
create index element_history_cplc on maple.element_history (cplc);

create table maple.domain (
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  aid text collate "C" not null check (aid ~ '^([0-9A-F]{2}){5,16}$'),
  -- Null for the issuer security domain, the root of the tree.
  parent text collate "C",
  state text not null,
  privileges text[] not null,
  primary key (cplc, aid)
);
create unique index domain_issuer on maple.domain (cplc) where parent is null;
