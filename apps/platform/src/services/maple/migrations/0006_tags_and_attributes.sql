alter table maple.device
  add column service_id text collate "C" references maple.service (id),
  add column tags text[] not null default '{}',
  -- { "floor": { "type": "number", "value": 3 } }
  add column attributes jsonb not null default '{}';
create index device_by_service on maple.device (service_id, created_at, id)
  where service_id is not null;

-- Where an attribute is in its range: a number by itself, a day by its count since 1970.
create function maple.attribute_place(attributes jsonb, key text) returns double precision
language sql immutable parallel safe as $$
  select case attributes -> key ->> 'type'
    when 'number' then (attributes -> key ->> 'value')::double precision
    when 'date' then ((attributes -> key ->> 'value')::date - date '1970-01-01')::double precision
  end
$$;

-- What is written of a value to find it by: 3, 3.0 and the text "3" are one.
create function maple.attribute_text(value text) returns text
language sql immutable parallel safe as $$
  select case when value ~ '^-?[0-9]{1,40}(\.[0-9]{1,40})?$'
    then trim_scale(value::numeric)::text else value end
$$;

-- What a device is found by: `#north` and `site=North Hall` in the order of creation, `floor<` in
-- the order of its value. A page of one term is one range of the key.
create table maple.device_term (
  term text collate "C" not null,
  place double precision not null,
  -- Without a reference: devices are never deleted, and their terms follow by trigger.
  device_id text collate "C" not null,
  primary key (term, place, device_id)
);

create function maple.place_of(at timestamptz) returns double precision
language sql immutable parallel safe as $$
  select (extract(epoch from at) * 1000000)::double precision
$$;

create function maple.terms_of(tags text[], attributes jsonb, created_at timestamptz)
returns table (term text, place double precision) language sql immutable parallel safe as $$
  select '#' || tag, maple.place_of(created_at) from unnest(tags) as tag
  union all
  select key || '=' || maple.attribute_text(value ->> 'value'), maple.place_of(created_at)
  from jsonb_each(attributes)
  union all
  select key || '<', maple.attribute_place(attributes, key) from jsonb_object_keys(attributes) as key
  where maple.attribute_place(attributes, key) is not null
$$;

create function maple.add_terms() returns trigger language plpgsql as $$
begin
  insert into maple.device_term (term, place, device_id)
  select terms.term, terms.place, added.id
  from added, maple.terms_of(added.tags, added.attributes, added.created_at) as terms
  where added.tags <> '{}' or added.attributes <> '{}';
  return null;
end
$$;
create trigger device_terms_added after insert on maple.device
  referencing new table as added for each statement execute function maple.add_terms();

create function maple.change_terms() returns trigger language plpgsql as $$
begin
  delete from maple.device_term as gone
  using (
    select * from maple.terms_of(old.tags, old.attributes, old.created_at)
    except select * from maple.terms_of(new.tags, new.attributes, new.created_at)
  ) as before
  where (gone.term, gone.place, gone.device_id) = (before.term, before.place, old.id);
  insert into maple.device_term (term, place, device_id)
  select terms.*, new.id from (
    select * from maple.terms_of(new.tags, new.attributes, new.created_at)
    except select * from maple.terms_of(old.tags, old.attributes, old.created_at)
  ) as terms;
  return null;
end
$$;
create trigger device_terms_changed after update of tags, attributes on maple.device
  for each row when (old.tags <> new.tags or old.attributes <> new.attributes)
  execute function maple.change_terms();
