-- What was sent to a device (`command`, `desired`) stands among the messages of its sessions, in their
-- order, without a boot and a number. Handlers run on what devices say, so not on that.
create or replace function maple.deliver_message() returns trigger language plpgsql as $$
begin
  if not exists (
    select from maple.cloud_handler where is_live and 'device.message' = any(live_events)
  ) then return null; end if;
  insert into maple.cloud_handler_run (handler_id, source, type, key, event, most_attempts)
  select handler.id, 'event', 'device.message', 'message:' || fresh.id, given.event,
    handler.live_attempts
  from fresh
  join maple.device as device on device.id = fresh.device_id
  cross join lateral (select json_build_object('at', maple.handler_time(fresh.received_at),
    'device', json_build_object('id', device.id, 'name', device.name, 'type', device.type),
    'kind', fresh.kind, 'boot', fresh.boot, 'seq', fresh.seq,
    'sentAt', maple.handler_time(fresh.sent_at), 'data', fresh.data) as event) as given
  join maple.cloud_handler as handler on handler.is_live and handler.live_events is not null
    and coalesce(handler.service_id, '') = coalesce(device.service_id, '')
    and 'device.message' = any(handler.live_events)
    and (handler.live_kinds = '{}' or fresh.kind = any(handler.live_kinds))
    and maple.handler_takes(given.event, handler.live_match)
  where fresh.kind not in ('command', 'desired')
  on conflict do nothing;
  return null;
end
$$;
