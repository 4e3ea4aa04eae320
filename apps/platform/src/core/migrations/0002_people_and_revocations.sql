-- The people of the authentication service on this database, as it last wrote them. Other services ask
-- here who somebody is; empty where people come from a service elsewhere.
create table platform.person (
  id text primary key,
  -- In lower case.
  email text collate "C",
  is_closed boolean not null default false
);
create index person_email on platform.person (email) where email is not null;

-- What somebody lost, written in the transaction of the change. Every process reads what is new, and
-- keeps in mind what a token could still claim: rows are of no use once such tokens have ended.
create table platform.revocation (
  number bigint generated always as identity primary key,
  -- session: its id. role: a user's id and a role, with a space between. grant: whose rights changed,
  -- a user, a provider or a key. member: a user's id and a provider's.
  kind text not null check (kind in ('session', 'role', 'grant', 'member')),
  subject text not null,
  at timestamptz not null default clock_timestamp(),
  -- Numbers are given before a transaction ends, so a reader goes by transactions.
  xact xid8 not null default pg_current_xact_id()
);
create index revocation_xact on platform.revocation (xact);

create function platform.revoke(kind text, subject text) returns void language plpgsql as $$
begin
  insert into platform.revocation (kind, subject) values (kind, subject);
  -- Leaves with the commit, once for a transaction.
  perform pg_notify('grove_revocation', '');
end
$$;
