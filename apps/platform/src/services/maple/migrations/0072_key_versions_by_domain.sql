-- outside of a transaction
-- Each security domain of an element has versions of its own.
create unique index concurrently key_set_live_of_domain
  on maple.key_set (cplc, coalesce(domain_aid, ''), version) where state = 'active';
drop index concurrently if exists maple.key_set_live;
