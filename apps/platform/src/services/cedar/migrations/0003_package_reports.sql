-- A report belongs to the package it describes: the accepted one has its own, and so has the last
-- upload if it was refused.
alter table cedar.product_version
  add column package_report jsonb,
  add column refused_report jsonb,
  -- The refused file, while it is kept so that it can be repaired.
  add column refused_sha256 text references cedar.object,
  add column refused_until timestamptz,
  add constraint product_version_refused check ((refused_sha256 is null) = (refused_until is null));

-- Findings are grouped by rule: how many, and the first ten places.
update cedar.product_version v set report = v.report || jsonb_build_object(
  'repairs', '[]'::jsonb,
  'repaired', '[]'::jsonb,
  'findings', coalesce((
    select jsonb_agg(jsonb_build_object('rule', g.rule, 'severity', g.severity, 'count', g.count,
      'places', g.places) order by g.severity, g.first)
    from (
      select e.rule, e.severity, count(*) as count, min(e.number) as first,
        jsonb_agg(jsonb_build_object('path', e.finding -> 'path',
            'message', e.finding -> 'message', 'fix', e.finding -> 'fix',
            'params', coalesce(e.finding -> 'params', '{}'::jsonb)) order by e.number)
          filter (where e.place <= 10) as places
      from (
        select f.finding, f.number, f.finding ->> 'rule' as rule,
          f.finding ->> 'severity' as severity,
          row_number() over (partition by f.finding ->> 'rule' order by f.number) as place
        from jsonb_array_elements(v.report -> 'findings') with ordinality as f (finding, number)
      ) e
      group by e.rule, e.severity
    ) g
  ), '[]'::jsonb))
where v.report is not null;

-- The report on a package was lost once a later upload was refused; nothing can bring it back.
update cedar.product_version set
  package_report = case when package_sha256 is not null and (report ->> 'ok')::boolean then report end,
  refused_report = case when not (report ->> 'ok')::boolean then report end
where report is not null;
alter table cedar.product_version drop column report;

create index product_version_refused_until on cedar.product_version (refused_until)
  where refused_until is not null;
create index product_version_refused on cedar.product_version (refused_sha256)
  where refused_sha256 is not null;
create trigger refused_package_released
  after delete or update of refused_sha256 on cedar.product_version
  for each row when (old.refused_sha256 is not null)
  execute function cedar.release_object('refused_sha256');

-- The release history of a product is read from the audit, so its rows name the product.
update cedar.audit a set after = coalesce(a.after, '{}'::jsonb) || jsonb_build_object(
  'productId', v.product_id, 'version', concat(v.major, '.', v.minor, '.', v.patch))
from cedar.product_version v
where a.action in ('version.enable', 'version.disable') and a.subject = v.id::text;
create index audit_release on cedar.audit ((after ->> 'productId'), id)
  where action in ('version.enable', 'version.disable');
