-- People whom an administrator invited by mail. Kept for a while after its end, so that the link can
-- say what became of it.
create table auth.invitation (
  id uuid primary key,
  -- Lower case, as that of an account.
  email text not null,
  role text not null,
  -- The language of the mail.
  locale text not null,
  -- SHA-256 of the token of the newest link, base64url.
  hash text not null unique,
  -- No reference: it stays true of an account that is gone.
  invited_by uuid not null,
  created_at timestamptz not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  withdrawn_at timestamptz,
  -- What it became.
  account_id uuid references auth.account on delete set null
);
-- An address has one at a time that can still be accepted.
create unique index invitation_pending on auth.invitation (email)
  where accepted_at is null and withdrawn_at is null;
create index invitation_created_at on auth.invitation (created_at desc, id desc);
create index invitation_expires_at on auth.invitation (expires_at);
create index invitation_account on auth.invitation (account_id) where account_id is not null;
