import { sql } from 'kysely'
import {
  deviceTransitions,
  maxAttributes,
  maxElements,
} from '@grove/contract/maple/fleet/device.rules'
import type {
  ExistingChoice,
  ImportField,
  RowProblem,
} from '@grove/contract/maple/fleet/device-import.rules'
import type { Actor } from '../../../../core/actor.ts'
import { inScope, serviceOf, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { ImportBatch } from './import-batch.ts'
import { newDeviceDefaults } from './read-device.ts'

/** The outcomes for the devices of a batch. */
export interface Merged {
  created: number
  changed: number
  unchanged: number
  wrong: {
    row: number
    field: ImportField
    code: RowProblem
    value: string
    params: Record<string, string | number>
  }[]
}

interface Merge {
  importId: string
  existing: ExistingChoice
  /**
   * Within a service provider's scope the devices become its own; otherwise those named in the rows.
   */
  scope: Scope
  batch: ImportBatch
}

/** Someone else changed a device of the batch concurrently: retrying the batch works. */
export class ChangedMeanwhileError extends Error {
  override readonly name = 'ChangedMeanwhileError'
}

/** The rows of a batch as tables: `given` has its devices, `chip` their elements. */
const tablesOf = ({ scope, batch: { devices, elements } }: Pick<Merge, 'scope' | 'batch'>) => sql`
  given as materialized (
    select row, id, name, name_key, type, state, inner_id,
      coalesce(service_id, ${serviceOf(scope)}::text) as service_id, tags::text[] as tags,
      attributes::jsonb as attributes
    from unnest(
      ${devices.row}::bigint[], ${devices.id}::text[], ${devices.name}::text[],
      ${devices.nameKey}::text[], ${devices.type}::maple.device_type[],
      ${devices.state}::maple.device_state[], ${devices.innerId}::text[],
      ${devices.serviceId}::text[], ${devices.tags}::text[], ${devices.attributes}::text[]
    ) as given (row, id, name, name_key, type, state, inner_id, service_id, tags, attributes)
  ),
  chip as materialized (
    select row, cplc, substr(cplc, 1, 8) || substr(cplc, 21, 16) as chip_id
    from unnest(${elements.row}::bigint[], ${elements.cplc}::text[]) as chip (row, cplc)
  )`

/** What only one row of a file may have. */
const keys = sql`
  key as (
    select 'id' as kind, id collate "C" as key, row from given
    union all select 'innerId', inner_id, row from given where inner_id is not null
    union all select 'cplc', chip_id, row from chip
  )`

/** Stores the ids and chips of a batch, and returns those that an earlier row has. */
export async function addKeys(db: MapleDb, merge: Omit<Merge, 'existing'>) {
  const { importId } = merge
  await sql`
    with ${tablesOf(merge)}, ${keys}
    insert into maple.device_import_key (import_id, kind, key, row)
    select ${importId}, kind, key, min(row) from key group by kind, key
    on conflict do nothing`.execute(db)
  await sql`
    with ${tablesOf(merge)}, ${keys}
    insert into maple.device_import_repeat (import_id, kind, key, row)
    select distinct known.import_id, known.kind, known.key, known.row
    from key join maple.device_import_key as known
      on known.import_id = ${importId} and known.kind = key.kind and known.key = key.key
    where known.row <> key.row
    on conflict do nothing`.execute(db)
}

/** The fields of an existing device that a row can change. */
const ownColumns = [
  'name',
  'name_key',
  'type',
  'state',
  'inner_id',
  'service_id',
  'tags',
  'attributes',
] as const

/** The fields of the change in its event. */
const eventFields = [
  ['name', 'name'],
  ['type', 'type'],
  ['state', 'state'],
  ['innerId', 'inner_id'],
  ['serviceId', 'service_id'],
  ['tags', 'tags'],
  ['attributes', 'attributes'],
].map(
  ([field = '', name = '']) =>
    sql`(${sql.lit(field)}, to_jsonb(changed.${sql.ref(`old_${name}`)}), to_jsonb(changed.${sql.ref(name)}))`,
)

const standing = (name: string) => sql`
  to_jsonb(case when changed.${sql.ref(name)}::text in ('online', 'offline') then 'accepted'
    else changed.${sql.ref(name)}::text end)`

/** The fields of a change in the format of `keptChanges`. */
const keptFields = sql`
  values ('name', to_jsonb(changed.old_name), to_jsonb(changed.name)),
    ('type', to_jsonb(changed.old_type), to_jsonb(changed.type)),
    ('state', ${standing('old_state')}, ${standing('state')}),
    ('innerId', to_jsonb(changed.old_inner_id), to_jsonb(changed.inner_id)),
    ('serviceId', to_jsonb(changed.old_service_id), to_jsonb(changed.service_id)),
    ('productId', to_jsonb(changed.product_id), case
      when changed.old_service_id is not distinct from changed.service_id
      then to_jsonb(changed.product_id) end)
  union all
  select 'tags.' || coalesce(one, other), to_jsonb(one is not null or null),
    to_jsonb(other is not null or null)
  from unnest(changed.old_tags) as one full join unnest(changed.tags) as other on one = other
  union all
  select 'attributes.' || coalesce(one.key, other.key), one.value, other.value
  from jsonb_each(changed.old_attributes) as one
  full join jsonb_each(changed.attributes) as other on one.key = other.key
  union all
  select 'elements.' || added.cplc, null, to_jsonb(true)
  from jsonb_array_elements_text(changed.cplc) as added (cplc)`

/** Attributes are merged into those of the device; other values in a row replace its own. */
const nextOf = (name: (typeof ownColumns)[number]) =>
  name === 'attributes'
    ? sql`coalesce(old_attributes || attributes, old_attributes) as attributes`
    : sql`coalesce(${sql.ref(name)}, ${sql.ref(`old_${name}`)}) as ${sql.ref(name)}`

/** Whether a row is of another service provider than the one that an import is limited to. */
const isForeign = ({ scope }: Pick<Merge, 'scope'>, table: string) =>
  sql`(${inScope(scope, `${table}.service_id`)}) is not true`

/** Which device has it already: another service provider's is not named. */
const holder = (merge: Merge, table: string, id: string) => sql`
  case when ${isForeign(merge, table)} then '{}'::jsonb
    else jsonb_build_object('device', ${sql.ref(id)}) end`

/** Classifies the devices of a batch by what an import would do. */
const sorted = (merge: Merge) => {
  const { importId, existing, scope } = merge
  return sql`
  ${tablesOf(merge)}, ${keys},
  -- Each with the device that exists; one that is kept as it is needs no check of what its row gives.
  used as materialized (
    select given.*, device.id is not null as exists, device.revision, device.product_id,
      ${sql.join(ownColumns.map((name) => sql`device.${sql.ref(name)} as ${sql.ref(`old_${name}`)}`))}
    from given left join maple.device as device on device.id = given.id
    where ${existing === 'update' ? sql`(device.id is null or not ${isForeign(merge, 'device')})` : sql`device.id is null`}
  ),
  owner as materialized (
    select chip.row, chip.cplc, element.cplc as known_cplc, element.device_id, element.service_id
    from chip join used on used.row = chip.row
    join maple.element on element.chip_id = chip.chip_id
  ),
  -- What a device has already, this one or another.
  held as materialized (
    select row, cplc from owner where known_cplc = cplc and device_id is not null
  ),
  wrong as materialized (
    select key.row, key.kind as field, 'repeated' as code, key.key as value,
      jsonb_build_object('row', repeat.row) as params
    from maple.device_import_repeat as repeat join key on key.kind = repeat.kind and key.key = repeat.key
    where repeat.import_id = ${importId} and repeat.row <> key.row
    union all
    select given.row, 'id', 'id_taken', given.id, '{}'
    from given join maple.device as device on device.id = given.id
    where ${isForeign(merge, 'device')}
    union all
    select owner.row, 'cplc', 'element_elsewhere', owner.cplc,
      ${holder(merge, 'owner', 'owner.device_id')}
    from owner join used on used.row = owner.row
    where owner.device_id <> used.id or ${isForeign(merge, 'owner')}
    union all
    select used.row, 'cplc', 'too_many_elements', '', jsonb_build_object('limit', ${maxElements}::int)
    from used join (
      select chip.row, count(*) as added from chip
      where (chip.row, chip.cplc) not in (select row, cplc from held) group by chip.row
    ) as added on added.row = used.row
    where used.exists and added.added
      + (select count(*) from maple.element where device_id = used.id) > ${maxElements}::int
    union all
    select used.row, 'innerId', 'inner_id_taken', used.inner_id,
      ${holder(merge, 'other', 'other.id')}
    from used join maple.device as other on other.inner_id = used.inner_id and other.id <> used.id
    union all
    select used.row, 'serviceId', case when service.id is null then 'unknown_service'
      else 'service_suspended' end, used.service_id, '{}'
    from used left join maple.service on service.id = used.service_id
      and ${inScope(scope, 'service.id')}
    where used.service_id is distinct from used.old_service_id and used.service_id is not null
      and service.state is distinct from 'active'
    union all
    select used.row, 'attributes', 'too_many_attributes', '',
      jsonb_build_object('limit', ${maxAttributes}::int)
    from used where used.exists and used.attributes is not null and (
      select count(*) from jsonb_object_keys(used.old_attributes || used.attributes)
    ) > ${maxAttributes}::int
    union all
    select used.row, 'state', 'transition_refused', used.state::text,
      jsonb_build_object('from', used.old_state, 'to', used.state)
    from used where used.exists and used.state <> used.old_state
      and (used.old_state::text, used.state::text) not in (${allowedMoves})
  ),
  good as materialized (
    -- Not exists: a subquery by itself is hashed, however many rows the planner expects.
    select used.* from used where used.row not in (select row from wrong)
  ),
  fresh as materialized (select * from good where not exists),
  attached as materialized (
    select chip.row, good.id, chip.cplc, good.exists from chip join good on good.row = chip.row
    where (chip.row, chip.cplc) not in (select row, cplc from held)
  ),
  next as materialized (
    select good.id, good.revision, good.product_id, added.cplc,
      ${sql.join(ownColumns.map((name) => sql.ref(`old_${name}`)))},
      ${sql.join(ownColumns.map(nextOf))}
    from good left join (
      select row, jsonb_agg(cplc order by cplc) as cplc from attached group by row
    ) as added on added.row = good.row
    where good.exists
  ),
  changed as materialized (
    select * from next where cplc is not null
      or (${sql.join(ownColumns.map((name) => sql.ref(name)))})
        is distinct from (${sql.join(ownColumns.map((name) => sql.ref(`old_${name}`)))})
  )`
}

const allowedMoves = sql.join(
  Object.entries(deviceTransitions).flatMap(([from, all]) =>
    all.map((to) => sql`(${sql.lit(from)}, ${sql.lit(to)})`),
  ),
)

const counted = sql`
  (select count(*) from fresh)::int as created,
  (select count(*) from changed)::int as changed,
  (select count(*) from given) - (select count(distinct row) from wrong)
    - (select count(*) from fresh) - (select count(*) from changed) as unchanged,
  coalesce((select json_agg(wrong order by row) from wrong), '[]') as wrong`

/**
 * The planner knows nothing about a batch's rows and expects far too many: it would JIT-compile the
 * statement, and not hash what is small.
 */
export const setPlanner = (db: MapleDb) =>
  sql`select set_config('jit', 'off', true), set_config('work_mem', '64MB', true)`.execute(db)

/** What an import of the batch would do; writes nothing. */
export async function previewMerge(db: MapleDb, merge: Merge): Promise<Merged> {
  const { rows } = await sql<Merged>`with ${sorted(merge)} select ${counted}`.execute(db)
  return found(rows[0])
}

/**
 * Writes the devices of a batch: new ones, and changes of existing ones. Elements are attached, none
 * is detached.
 * @throws ChangedMeanwhileError
 */
export async function mergeDevices(
  db: MapleDb,
  merge: Merge & { actor: Pick<Actor, 'id' | 'origin'> },
): Promise<Merged> {
  const { id, origin } = merge.actor
  const { rows } = await sql<Merged & { written: number; expected: number }>`
    with ${sorted(merge)},
    inserted as (
      insert into maple.device
        (id, name, name_key, type, state, inner_id, service_id, tags, attributes, import_id)
      select id, coalesce(name, id), coalesce(name_key, lower(id)),
        coalesce(type, ${newDeviceDefaults.type}), coalesce(state, ${newDeviceDefaults.state}),
        inner_id, service_id, coalesce(tags, '{}'), coalesce(attributes, '{}'), ${merge.importId}
      from fresh on conflict (id) do nothing returning 1
    ),
    updated as (
      update maple.device as device
      set ${sql.join(ownColumns.map((name) => sql`${sql.ref(name)} = changed.${sql.ref(name)}`))},
        import_id = ${merge.importId}, revision = device.revision + 1, updated_at = now()
      from changed where device.id = changed.id and device.revision = changed.revision
      returning device.id
    ),
    placed as (
      insert into maple.element as element (cplc, device_id, attached_at)
      select cplc, id, now() from attached
      on conflict (cplc) do update
        set device_id = excluded.device_id, attached_at = excluded.attached_at
        where element.device_id is null and not ${isForeign(merge, 'element')}
      returning 1
    ),
    -- What a revert of the import needs.
    kept as (
      insert into maple.device_import_item (import_id, device_id, changes, revision)
      select ${merge.importId}::uuid, id, null::jsonb, 1 from fresh
      union all
      select ${merge.importId}::uuid, changed.id, kept.changes, changed.revision + 1
      from changed, lateral (
        select jsonb_object_agg(field, jsonb_build_array(old, new)) as changes
        from (${keptFields}) as field (field, old, new) where old is distinct from new
      ) as kept
    ),
    recorded as (
      insert into maple.event
        (actor, action, subject, service_id, ip, user_agent, request_id, part_of, before, after)
      select ${id}, 'device.update', changed.id, changed.service_id, ${origin.ip}, ${origin.userAgent},
        ${origin.requestId}, ${merge.importId}, difference.before, difference.after
      from changed join updated on updated.id = changed.id, lateral (
        select jsonb_object_agg(name, old) filter (where old is not null) as before,
          jsonb_object_agg(name, new) as after
        from (values ${sql.join(eventFields)}, ('elements', null, changed.cplc))
          as field (name, old, new)
        where old is distinct from new
      ) as difference
    )
    select ${counted},
      (select count(*) from inserted) + (select count(*) from updated)
        + (select count(*) from placed) as written,
      (select count(*) from fresh) + (select count(*) from changed)
        + (select count(*) from attached) as expected`.execute(db)
  const merged = found(rows[0])
  if (merged.written !== merged.expected) throw new ChangedMeanwhileError()
  return merged
}

function found<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('A query without a table answers one row.')
  return row
}
