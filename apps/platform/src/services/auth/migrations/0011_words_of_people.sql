-- What a search finds a person by: the words of their name and address. A word is a run of digits or
-- a run of letters; `core/database/words.ts` splits what is typed in the same way. The ranges are code
-- points, so that no locale decides what a letter is. A name is in it as it is written too: where the
-- locale is C, the database folds the case of Latin letters alone. The cost keeps the planner from
-- splitting the names of whole tables where the index answers.
create function auth.words_of(name text, email text) returns tsvector
language sql immutable parallel safe cost 1000 as $$
  select array_to_tsvector(array_remove(string_to_array(
    regexp_replace(concat_ws(' ', name, lower(name), email) collate "C",
      '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f]+|([0-9]+)',
      ' \1 ', 'g'),
    ' '), ''))
$$;
create index account_words on auth.account using gin (auth.words_of(name, email));
