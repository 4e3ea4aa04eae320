-- A key that is lost: nobody needs it to start, and another one may take its version. What it sealed
-- stays closed.
alter table platform.vault_key add column is_lost boolean not null default false;
