-- False once the results for each device are deleted; the sums stay.
alter table maple.device_bulk add column has_results boolean not null default true;
create index device_bulk_with_results on maple.device_bulk (created_at) where has_results;
