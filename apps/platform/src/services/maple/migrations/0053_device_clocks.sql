-- The clock of the device said a time in the future, or one before what is kept.
alter table maple.device_message add column is_clock_off boolean not null default false;

-- Yesterday to the day after tomorrow are always there. Days before are made when readings of them come:
-- a device that was offline sends what it measured then.
create function maple.make_telemetry_days(wanted date[]) returns void language sql as $$
  select maple.make_telemetry_day(day) from unnest(wanted) as day
$$;
