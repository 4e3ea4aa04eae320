-- Which provider and product an event is about, so that their people find what happened to their
-- objects without reading the events of others.
alter table cedar.event add column provider_id uuid, add column product_id uuid;

alter table cedar.event disable trigger event_is_final;
with owned as (
  select e.id, e.subject,
    case when e.before ->> 'productId' ~ '^[0-9a-f-]{36}$' then (e.before ->> 'productId')::uuid
      when e.after ->> 'productId' ~ '^[0-9a-f-]{36}$' then (e.after ->> 'productId')::uuid end
      as product_id,
    case when e.before ->> 'providerId' ~ '^[0-9a-f-]{36}$' then (e.before ->> 'providerId')::uuid
      when e.after ->> 'providerId' ~ '^[0-9a-f-]{36}$' then (e.after ->> 'providerId')::uuid end
      as provider_id
  from cedar.event e
  where e.subject ~ '^[0-9a-f-]{36}$' and e.action ~ '^(provider|product|version)[.]'
), found as (
  select o.id, coalesce(d.id, v.product_id, o.product_id) as product_id,
    coalesce(p.id, d.provider_id, vd.provider_id, o.provider_id) as provider_id
  from owned o
  left join cedar.provider p on p.id = o.subject::uuid
  left join cedar.product d on d.id = o.subject::uuid
  left join cedar.product_version v on v.id = o.subject::uuid
  left join cedar.product vd on vd.id = coalesce(v.product_id, o.product_id)
)
update cedar.event e set product_id = f.product_id, provider_id = f.provider_id
from found f where f.id = e.id;
alter table cedar.event enable trigger event_is_final;

create index event_by_provider on cedar.event (provider_id, at, id) where provider_id is not null;
create index event_by_provider_action on cedar.event (provider_id, action, at, id)
  where provider_id is not null;
create index event_by_product on cedar.event (product_id, at, id) where product_id is not null;
