-- How keys leave. The check holds for every export that a process of the release before asks for, since
-- each of those has the default. It is there for the others: such a process knows AES-KWP alone, and
-- could wrap with it what was approved to leave in key blocks.
alter table maple.key_export add column wrapping text not null default 'AES-KWP'
  constraint key_export_document check (document is null or wrapping = 'AES-KWP');
-- Apart from `document`, which a process of the release before reads as keys under AES-KWP.
alter table maple.key_export add column blocks jsonb;
