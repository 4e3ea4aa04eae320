-- Scripts have secrets as cloud handlers do, and ask the person who started a run.
alter table maple.handler_secret
  alter column handler_id drop not null,
  add column script_id uuid references maple.script on delete cascade,
  add constraint handler_secret_owner check (num_nonnulls(handler_id, script_id) = 1),
  add constraint handler_secret_script_name unique (script_id, name);

alter table maple.script_run
  -- Each call of the session waits for the person.
  add column is_stepped boolean not null default false,
  -- What the run waits for, and what was answered: both with a number, and gone once it is read.
  add column question jsonb,
  add column answer jsonb;
