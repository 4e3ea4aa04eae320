-- What a search finds a device by: each word of its name, and behind # each word of its id. A word is
-- a run of digits or a run of letters; `core/database/words.ts` splits what is typed in the same way.
-- The ranges are code points, so that no locale decides what a letter is.
create function maple.spaced(key text) returns text language sql immutable parallel safe as $$
  select regexp_replace(key collate "C",
    '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f]+|([0-9]+)', ' \1 ', 'g')
$$;

-- Digits are in it also without the zeros in front of them.
create function maple.words_of(name_key text, id_key text) returns text[]
language sql immutable parallel safe as $$
  select array_remove(array_remove(string_to_array(
    regexp_replace(maple.spaced(name_key), ' (0+([1-9][0-9]*))', ' \1 \2', 'g')
      -- The letters that an id begins with are found as its beginning, and nobody types the twenty
      -- short words of a UUID.
      || regexp_replace(
        regexp_replace(
          ltrim(id_key collate "C", 'abcdefghijklmnopqrstuvwxyz'),
          '([0-9]{3,}|[a-z]{3,})|.', ' #\1', 'g'),
        '#0+([1-9][0-9]{2,})', '\& #\1', 'g'),
    ' '), ''), '#')
$$;

create table maple.device_word (
  word text collate "C" not null,
  -- Without a reference: devices are never deleted, and their words follow by trigger.
  device_id text collate "C" not null,
  service_id text collate "C"
);
insert into maple.device_word (word, device_id, service_id)
select word, device.id, device.service_id
from maple.device, unnest(maple.words_of(device.name_key, device.id_key)) as word;
-- Not unique: an index without the device stores a word that many have only once.
create index device_word_word on maple.device_word (word);
create index device_word_by_service on maple.device_word (service_id, word)
  where service_id is not null;
create index device_word_device on maple.device_word (device_id);

create function maple.add_words() returns trigger language plpgsql as $$
begin
  insert into maple.device_word (word, device_id, service_id)
  select word, added.id, added.service_id
  from added, unnest(maple.words_of(added.name_key, added.id_key)) as word;
  return null;
end
$$;
create trigger device_words_added after insert on maple.device
  referencing new table as added for each statement execute function maple.add_words();

create function maple.change_words() returns trigger language plpgsql as $$
begin
  delete from maple.device_word where device_id = old.id;
  insert into maple.device_word (word, device_id, service_id)
  select word, new.id, new.service_id
  from unnest(maple.words_of(new.name_key, new.id_key)) as word;
  return null;
end
$$;
create trigger device_words_changed after update of name_key, service_id on maple.device
  for each row when (
    old.name_key <> new.name_key or old.service_id is distinct from new.service_id)
  execute function maple.change_words();
