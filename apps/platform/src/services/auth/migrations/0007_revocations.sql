-- Accounts as the other services on this database know them, and what their people lose. Triggers, so
-- that no way to end a session or to close an account leaves anybody untold.
-- An address stands for a person once they have shown that it is theirs.
insert into platform.person (id, email, is_closed)
select id::text, case when email_verified_at is not null then email end, disabled_at is not null
from auth.account
on conflict (id) do nothing;

create function auth.publish_account() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    update platform.person set is_closed = true where id = old.id::text and not is_closed;
    delete from platform.person where id = old.id::text;
    return null;
  end if;
  insert into platform.person (id, email, is_closed)
  values (new.id::text, case when new.email_verified_at is not null then new.email end,
    new.disabled_at is not null)
  on conflict (id) do update set email = excluded.email, is_closed = excluded.is_closed;
  if tg_op = 'UPDATE' then
    perform platform.revoke('role', new.id || ' ' || role)
    from unnest(old.roles) as role where role <> all (new.roles);
  end if;
  return null;
end
$$;
create trigger account_is_published
  after insert or delete or update of email, email_verified_at, roles, disabled_at on auth.account
  for each row execute function auth.publish_account();

create function auth.publish_session_end() returns trigger language plpgsql as $$
begin
  perform platform.revoke('session', old.id::text);
  return null;
end
$$;
create trigger session_end_is_published after update of ended_at on auth.session
  for each row when (old.ended_at is null and new.ended_at is not null)
  execute function auth.publish_session_end();
create trigger session_delete_is_published after delete on auth.session
  for each row when (old.ended_at is null and old.expires_at > now())
  execute function auth.publish_session_end();
