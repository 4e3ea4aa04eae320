-- When somebody showed that a device or a chip is theirs. Without it a registration is provisional: it
-- holds its id or CPLC until another service provider shows a proof.
alter table maple.device add column proven_at timestamptz;
alter table maple.element add column proven_at timestamptz;

-- What connected, or came by a claim code, was there.
update maple.device as device set proven_at = now()
where exists (select from maple.device_presence where device_id = device.id)
  or exists (select from maple.device_certificate where device_id = device.id)
  or exists (select from maple.device_credential
    where device_id = device.id and (used_at is not null or claim_code_id is not null));

-- What a session opened, and what is in such a device.
update maple.element as element set proven_at = now()
where exists (select from maple.session where cplc = element.cplc)
  or exists (select from maple.device as device
    where device.id = element.device_id and device.proven_at is not null);
