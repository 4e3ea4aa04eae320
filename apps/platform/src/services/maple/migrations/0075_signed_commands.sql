-- The request for what Grove signs for a card, which somebody else approves.
alter table maple.applet_operation add column approval_id uuid;
-- Commands that somebody asked to have signed with a card's key for tokens.
create table maple.token_request (
  id uuid primary key,
  cplc text collate "C" not null references maple.element on update cascade on delete cascade,
  approval_id uuid not null,
  -- Who asked for it, and alone may read it.
  requested_by text not null,
  commands text[] not null,
  -- In the order of the commands, once the request is approved.
  tokens text[],
  created_at timestamptz not null default now()
);
create index token_request_element on maple.token_request (cplc, created_at desc, id);
create unique index token_request_approval on maple.token_request (approval_id);
create index token_request_age on maple.token_request (created_at);
