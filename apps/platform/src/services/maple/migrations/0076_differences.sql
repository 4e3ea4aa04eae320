-- How a card differed from what Grove had of it, until somebody has looked: as `difference` of an
-- element in the contract.
alter table maple.element add column difference jsonb;
