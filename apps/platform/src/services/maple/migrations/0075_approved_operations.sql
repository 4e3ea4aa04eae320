-- The request for what Grove signs for a card, which somebody else approves.
alter table maple.applet_operation add column approval_id uuid;
