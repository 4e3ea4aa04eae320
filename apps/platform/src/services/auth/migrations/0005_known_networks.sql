-- Networks in which an account's owner proved themselves by a mailed link. Networks of its sessions
-- are known without a row here.
create table auth.known_network (
  account_id uuid not null references auth.account on delete cascade,
  network text not null,
  known_at timestamptz not null,
  primary key (account_id, network)
);
create index known_network_known_at on auth.known_network (known_at);

-- Which identity a session began with, so that unlinking it ends the session. No reference: the
-- session outlives the identity.
alter table auth.session add column identity_id uuid;
