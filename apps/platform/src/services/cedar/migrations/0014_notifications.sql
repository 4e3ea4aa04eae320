-- Devices that host apps registered for the notifications of a product.
create table cedar.push_device (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references cedar.product on delete cascade,
  token text not null,
  platform text not null check (platform in ('android', 'ios', 'web')),
  locale_code text not null,
  -- Three numbers, which compare as versions do.
  app_version integer[] not null,
  is_test boolean not null default false,
  name text,
  registered_at timestamptz not null default now(),
  -- When the host app registered it last.
  seen_at timestamptz not null default now()
);
create unique index push_device_token on cedar.push_device (product_id, token);
-- The order in which an audience is sent to.
create index push_device_by_product on cedar.push_device (product_id, id);
create index push_device_by_registered on cedar.push_device (product_id, registered_at, id);
create index push_device_audience on cedar.push_device (product_id, platform, locale_code, app_version);
create index push_device_test on cedar.push_device (product_id, registered_at, id) where is_test;
create index push_device_seen on cedar.push_device (seen_at);

create table cedar.notification (
  id uuid primary key,
  product_id uuid not null references cedar.product on delete cascade,
  -- The provider that the product belongs to; the trigger below follows a transfer.
  provider_id uuid not null,
  state text not null default 'scheduled' check
    (state in ('scheduled', 'sending', 'sent', 'not_sent', 'failed', 'expired', 'cancelled')),
  reason text,
  translations jsonb not null,
  audience jsonb not null,
  link text,
  -- When it is due. It never changes, so that the history keeps its order.
  at timestamptz not null,
  is_scheduled boolean not null,
  expires_at timestamptz,
  idempotency_key text,
  request_hash text,
  -- The job that sends it.
  job_id uuid,
  transport text,
  devices integer,
  sent integer not null default 0,
  delivered integer not null default 0,
  opened integer not null default 0,
  failed integer not null default 0,
  failures jsonb not null default '{}',
  -- How far it was sent: batches that ended, the devices of the batch under way, and the last device
  -- that a batch was made of. A process that is killed leaves one batch to repeat.
  batch integer not null default 0,
  batch_devices uuid[],
  tried_through uuid,
  is_each_tried boolean not null default false,
  -- How often in a row the transport took nothing.
  pauses integer not null default 0,
  created_by text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  -- When what the transport does not take is given up.
  tried_until timestamptz,
  finished_at timestamptz
);
create unique index notification_once_by_key on cedar.notification (product_id, idempotency_key)
  where idempotency_key is not null;
create index notification_by_product on cedar.notification (product_id, at, id);
create index notification_by_provider on cedar.notification (provider_id, at, id);
create index notification_by_time on cedar.notification (at, id);
create index notification_open on cedar.notification (at) where state in ('scheduled', 'sending');

-- Messages that the transport did not take yet.
create table cedar.notification_retry (
  notification_id uuid not null references cedar.notification on delete cascade,
  device_id uuid not null,
  tries integer not null,
  due_at timestamptz not null,
  reason text not null,
  primary key (notification_id, device_id)
);

-- What devices reported, so that each counts once.
create table cedar.notification_receipt (
  notification_id uuid not null references cedar.notification on delete cascade,
  device_id uuid not null,
  is_opened boolean not null,
  primary key (notification_id, device_id)
);

-- Notifications composed on a day, which the limit of a provider is about.
create table cedar.notification_quota (
  provider_id uuid not null,
  day date not null,
  used integer not null,
  primary key (provider_id, day)
);

-- Counts by hour of each product, each provider, and, under the nil id, of all. They answer the
-- statistics, and find the place of an offset in the history without reading what is before it.
create table cedar.notification_hour (
  scope_id uuid not null,
  hour timestamptz not null,
  -- By when they are due; the other counts are of the hour in which each happened.
  notifications integer not null default 0,
  sent bigint not null default 0,
  delivered bigint not null default 0,
  opened bigint not null default 0,
  failed bigint not null default 0,
  primary key (scope_id, hour)
);
create index notification_hour_place on cedar.notification_hour (scope_id, hour)
  include (notifications) where notifications > 0;

create function cedar.follow_transfer() returns trigger language plpgsql as $$
begin
  update cedar.notification set provider_id = new.provider_id where product_id = new.id;
  insert into cedar.notification_hour as h
    (scope_id, hour, notifications, sent, delivered, opened, failed)
  select new.provider_id, hour, notifications, sent, delivered, opened, failed
  from cedar.notification_hour where scope_id = new.id
  on conflict (scope_id, hour) do update set
    notifications = h.notifications + excluded.notifications,
    sent = h.sent + excluded.sent, delivered = h.delivered + excluded.delivered,
    opened = h.opened + excluded.opened, failed = h.failed + excluded.failed;
  update cedar.notification_hour h set
    notifications = h.notifications - p.notifications,
    sent = h.sent - p.sent, delivered = h.delivered - p.delivered,
    opened = h.opened - p.opened, failed = h.failed - p.failed
  from cedar.notification_hour p
  where p.scope_id = new.id and h.scope_id = old.provider_id and h.hour = p.hour;
  return null;
end
$$;
create trigger product_transferred after update of provider_id on cedar.product
  for each row when (old.provider_id <> new.provider_id) execute function cedar.follow_transfer();

create function cedar.forget_notifications() returns trigger language plpgsql as $$
begin
  update cedar.notification_hour h set
    notifications = h.notifications - p.notifications,
    sent = h.sent - p.sent, delivered = h.delivered - p.delivered,
    opened = h.opened - p.opened, failed = h.failed - p.failed
  from cedar.notification_hour p
  where p.scope_id = old.id and h.hour = p.hour
    and h.scope_id in (old.provider_id, '00000000-0000-0000-0000-000000000000');
  delete from cedar.notification_hour where scope_id = old.id;
  return old;
end
$$;
create trigger product_deleted before delete on cedar.product
  for each row execute function cedar.forget_notifications();
