-- outside of a transaction
create index concurrently element_differs on maple.element (cplc) where difference is not null;
