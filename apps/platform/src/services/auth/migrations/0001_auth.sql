create schema auth;

create table auth.account (
  id uuid primary key,
  -- Lower case: addresses are compared without case.
  email text not null constraint account_email_taken unique,
  password_hash text not null,
  roles text[] not null,
  name text,
  locale text not null,
  created_at timestamptz not null,
  disabled_at timestamptz
);

-- A refresh family: one sign-in on one device, until it ends or expires.
create table auth.session (
  id uuid primary key,
  account_id uuid not null references auth.account on delete cascade,
  network text not null,
  user_agent text not null,
  created_at timestamptz not null,
  -- Pushed forward by each refresh, never past `expires_at`.
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text
);
create index session_account_network on auth.session (account_id, network);
create index session_expires_at on auth.session (expires_at);

-- Used tokens stay for the life of their session: that is how reuse is recognised.
create table auth.refresh_token (
  -- SHA-256 of the token, base64url.
  hash text primary key,
  session_id uuid not null references auth.session on delete cascade,
  used_at timestamptz,
  -- What the use was answered with, sealed under a key that only the token itself yields.
  sealed_answer text
);
create index refresh_token_session on auth.refresh_token (session_id);

create table auth.signing_key (
  kid text primary key,
  public_jwk jsonb not null,
  -- The private JWK, sealed under a key from the platform's secret.
  sealed_private_jwk text not null,
  -- Published before, signs from here until the next key's `signs_from`.
  signs_from timestamptz not null
);

-- Unlogged: a counter that is written at each attempt needs no sync to disk, and a crash may forget it.
create unlogged table auth.throttle (
  -- SHA-256: what strangers type as an email address is not kept.
  key text primary key,
  -- Milliseconds since the epoch at which the attempts made so far are worked off.
  busy_until bigint not null
);

create table auth.audit (
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
