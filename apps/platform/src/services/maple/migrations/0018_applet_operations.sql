-- Everything that a card said it has: applications, domains and load files.
alter table maple.card_reading add column contents jsonb not null default '{}';
alter table maple.applet_operation add column cancelled_at timestamptz;
create index applet_target_open on maple.applet_target (operation_id, cplc)
  where state in ('waiting', 'running');
create index applet_target_by_applet on maple.applet_target (cplc, operation_id)
  where started_at is not null;
