-- An account that came by an external identity may have neither an address nor a password.
alter table auth.account alter column email drop not null;
alter table auth.account alter column password_hash drop not null;
alter table auth.account add column email_verified_at timestamptz;
create index account_created_at on auth.account (created_at desc, id);
-- A few among a million.
create index account_disabled on auth.account (created_at desc, id) where disabled_at is not null;
create index account_email_prefix on auth.account (email text_pattern_ops);

alter table auth.session add column method text not null default 'password'
  check (method in ('password', 'signUp', 'external'));
alter table auth.session add column last_used_at timestamptz;
-- Where it began; `network` follows each refresh. Both are networks that the account is at home in.
alter table auth.session add column first_network text;
update auth.session set last_used_at = created_at, first_network = network;
alter table auth.session alter column last_used_at set not null;
alter table auth.session alter column first_network set not null;
create index session_account_used on auth.session (account_id, last_used_at desc);

-- Who somebody is at an OpenID provider: issuer and subject together, never the email address.
create table auth.identity (
  id uuid primary key,
  account_id uuid not null references auth.account on delete cascade,
  broker text not null,
  issuer text not null,
  subject text not null,
  name text,
  email text,
  linked_at timestamptz not null,
  last_used_at timestamptz not null,
  constraint identity_taken unique (issuer, subject)
);
create index identity_account on auth.identity (account_id);

-- An identity that waits for the account with its address to sign in.
create table auth.pending_link (
  -- SHA-256 of the token, base64url.
  hash text primary key,
  account_id uuid not null references auth.account on delete cascade,
  broker text not null,
  issuer text not null,
  subject text not null,
  name text,
  email text not null,
  expires_at timestamptz not null
);
create index pending_link_expires_at on auth.pending_link (expires_at);

-- Links that were mailed. A used one stays until it expires, so that its second use can be told.
create table auth.email_token (
  -- SHA-256 of the token, base64url.
  hash text primary key,
  -- Null when nobody is to get the link: asking for any address writes the same rows.
  account_id uuid references auth.account on delete cascade,
  purpose text not null check (purpose in ('validate', 'reset')),
  -- The address that it was mailed to, empty without an account; worthless once the account has another.
  email text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index email_token_account on auth.email_token (account_id, purpose);
create index email_token_expires_at on auth.email_token (expires_at);

-- Mail that was promised and not yet taken by the mail server.
create table auth.mail (
  id uuid primary key,
  -- Sealed under a key from the platform's secret: it holds a link that opens an account.
  sealed_mail text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  created_at timestamptz not null
);
create index mail_next_attempt_at on auth.mail (next_attempt_at);
