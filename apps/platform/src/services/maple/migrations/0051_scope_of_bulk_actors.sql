-- The scope of who asked for a change of accounts is an object; null was everything.
update maple.account_bulk
set actor = jsonb_set(actor, '{mandate,scope}',
  case when jsonb_typeof(actor #> '{mandate,scope}') = 'string'
    then jsonb_build_object('serviceId', actor #> '{mandate,scope}')
    else '{"all": true}'::jsonb end)
where jsonb_typeof(actor #> '{mandate,scope}') in ('string', 'null');
