-- What was given to a device that does the work by itself, such as the command to install an image.
-- It stays the same after a crash, until somebody has the device tried again.
alter table maple.rollout_execution add column start_id uuid;
