-- The elements in the order of their last change: a list reads one range for each facet asked for.
create index element_by_updated_at on maple.element (facet, updated_at, cplc);
create index element_by_service_and_updated_at on maple.element (service_id, facet, updated_at, cplc)
  where service_id is not null;
create index element_by_service_and_chip on maple.element (service_id, chip_id)
  where service_id is not null;

-- What a list is filtered by is counted.
call maple.keep_tally('maple.element', 'service_id', 'element', 'facet::text');
