-- The change of many that an event belongs to.
alter table cedar.event add column part_of text collate "C";
