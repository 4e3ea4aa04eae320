-- Rights by a Maple account are read with each call; what goes on by itself, a stream or a reader's
-- connection, is told.
create function maple.account_changed() returns trigger language plpgsql as $$
begin
  perform platform.revoke('grant', old.id::text);
  if tg_op = 'DELETE' then
    delete from maple.reader where added_by = old.id::text;
  end if;
  return null;
end
$$;
create trigger account_changed after delete or update of roles, expires_at, service_id on maple.account
  for each row execute function maple.account_changed();

create function maple.service_suspended() returns trigger language plpgsql as $$
begin
  perform platform.revoke('grant', old.id);
  return null;
end
$$;
create trigger service_suspended after update of state on maple.service
  for each row when (new.state = 'suspended' and old.state <> 'suspended')
  execute function maple.service_suspended();

-- A reader works for the person who added it: it ends with their account and their membership.
create index reader_added_by on maple.reader (added_by) where added_by is not null;

create function maple.reader_removed() returns trigger language plpgsql as $$
begin
  perform platform.revoke('grant', 'reader:' || old.id);
  return null;
end
$$;
create trigger reader_removed after delete on maple.reader
  for each row execute function maple.reader_removed();

create function maple.person_closed() returns trigger language plpgsql as $$
begin
  delete from maple.reader where added_by = new.id;
  return null;
end
$$;
create trigger maple_account_closed after insert or update of is_closed on platform.person
  for each row when (new.is_closed) execute function maple.person_closed();

create function maple.member_left() returns trigger language plpgsql as $$
begin
  delete from maple.reader
  where added_by = split_part(new.subject, ' ', 1) and service_id in (
    select id from maple.service where provider_id::text = split_part(new.subject, ' ', 2));
  return null;
end
$$;
create trigger maple_member_left after insert on platform.revocation
  for each row when (new.kind = 'member') execute function maple.member_left();
