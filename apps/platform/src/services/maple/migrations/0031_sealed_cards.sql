-- The keys of software cards stand sealed beside their state. Rows from before keep theirs in the state
-- until the next write, or until the job that rewraps keys comes to them.
alter table maple.software_card
  add column key_id uuid,
  add column vault_key smallint,
  add column wrapped_key bytea,
  add column sealed_keys bytea,
  add constraint software_card_sealed check (
    (key_id is null) = (sealed_keys is null)
    and (vault_key is null) = (sealed_keys is null)
    and (wrapped_key is null) = (sealed_keys is null));
alter table maple.software_card_snapshot
  add column key_id uuid,
  add column vault_key smallint,
  add column wrapped_key bytea,
  add column sealed_keys bytea,
  add constraint software_card_snapshot_sealed check (
    (key_id is null) = (sealed_keys is null)
    and (vault_key is null) = (sealed_keys is null)
    and (wrapped_key is null) = (sealed_keys is null));
create index software_card_vault on maple.software_card (vault_key, key_id);
create index software_card_snapshot_vault on maple.software_card_snapshot (vault_key, key_id);
