-- At most one token of a session keeps an answer, among thousands of used ones where a page stays
-- open for weeks: each refresh looks for that one.
create index refresh_token_kept_answer on auth.refresh_token (session_id)
  where sealed_answer is not null;

-- A new offer makes the older one of its identity void; a new password those of its account.
create index pending_link_identity on auth.pending_link (issuer, subject);
create index pending_link_account on auth.pending_link (account_id);
