-- A difference tells of applications, load files and keys beside security domains.
update maple.element set difference = difference - 'added' - 'changed' - 'removed'
  || jsonb_build_object(
    'domains', jsonb_build_object('added', difference -> 'added',
      'changed', difference -> 'changed', 'removed', difference -> 'removed'),
    'applications', '{"added": [], "changed": [], "removed": []}'::jsonb,
    'loadFiles', '{"added": [], "changed": [], "removed": []}'::jsonb,
    'keys', '[]'::jsonb)
where difference is not null and difference ? 'added';
