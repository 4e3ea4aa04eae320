create index event_by_at on {schema}.event (at, id);
create index event_by_actor on {schema}.event (actor, at, id);
create index event_by_action on {schema}.event (action, at, id);
create index event_by_subject on {schema}.event (subject, at, id);

create function {schema}.refuse_change_of_event() returns trigger language plpgsql as $$
begin
  raise exception 'an event is never changed';
end
$$;
create trigger event_is_final before update on {schema}.event
  for each statement execute function {schema}.refuse_change_of_event();
