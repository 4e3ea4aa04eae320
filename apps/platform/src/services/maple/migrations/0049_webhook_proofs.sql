-- The signature that a webhook took: the same request is not taken a second time, under whatever id.
alter table maple.cloud_handler_run add column proof text collate "C";
create unique index cloud_handler_run_proof on maple.cloud_handler_run (handler_id, proof)
  where proof is not null;
