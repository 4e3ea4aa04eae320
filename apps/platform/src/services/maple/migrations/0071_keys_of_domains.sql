-- The security domain that keys belong to; null: that of the issuer, whatever its AID is.
alter table maple.key_set add column domain_aid text collate "C";
alter table maple.key_rotation add column domain_aid text collate "C";
-- Of the first keys of a domain: there are none to replace.
alter table maple.key_rotation alter column old_set drop not null;
alter table maple.key_rotation alter column old_version drop not null;
-- Where the new keys come from, as `KeyTarget` of the contract has it, without keys.
alter table maple.key_rotation add column target jsonb not null default '{"kind": "random"}';
