-- Both without a function of the database that depends on its settings, so that the planner puts
-- them in the place of the call.
create or replace function maple.place_of(at timestamptz) returns double precision
language sql immutable parallel safe as $$
  select (extract(epoch from at at time zone 'UTC') * 1000000)::double precision
$$;
create or replace function maple.attribute_place(attributes jsonb, key text) returns double precision
language sql immutable parallel safe as $$
  select case attributes -> key ->> 'type'
    when 'number' then (attributes -> key ->> 'value')::double precision
    when 'date' then (make_date(
      left(attributes -> key ->> 'value', 4)::integer,
      substr(attributes -> key ->> 'value', 6, 2)::integer,
      right(attributes -> key ->> 'value', 2)::integer) - date '1970-01-01')::double precision
  end
$$;
