-- What the public catalogue is searched by: the titles of the version itself, which may differ from
-- the product's. Lower case as JavaScript makes it; for the rows that exist this does the same for
-- the two languages that there are, whatever the database's locale.
alter table cedar.product_version add column search_text text collate "C";
update cedar.product_version v set search_text = (
  select coalesce(string_agg(
    translate(lower(normalize(t.value ->> 'title', NFKC)),
      'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ', 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'),
    E'\n' order by t.ordinality), '')
  from jsonb_array_elements(v.translations) with ordinality as t
);
alter table cedar.product_version alter column search_text set not null;

-- The order of the catalogue. One version of a product is live, so the product is the tiebreak. It
-- holds the text too, so that a search reads the index and nothing of the versions it passes over.
create index product_version_released on cedar.product_version (enabled_at, product_id)
  include (search_text) where enabled;
