-- Readers end with the account of the person who added them: those whose account was closed before
-- that was so went on.
delete from maple.reader as reader using platform.person as person
where person.id = reader.added_by and person.is_closed;
