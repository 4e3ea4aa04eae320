import { sql, type RawBuilder } from 'kysely'
import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  binaryImageSearchLimit as searchLimit,
  binaryImageSorting,
  type BinaryImageState,
} from '@grove/contract/maple/connect/binary-image.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../base/name-key.ts'
import { searchByName } from '../../base/name-search.ts'
import type { MapleDb } from '../../base/tables.ts'

/** An image as it is stored; what may be done to it depends on the reader. */
export type ImageFacts = Omit<BinaryImage, 'rights'>
type ImageRow = ImageFacts & { nameKey: string }

const columns = sql`
  image.id, image.service_id as "serviceId", image.product_id as "productId", image.name,
  image.name_key as "nameKey", image.state, image.version, image.mcuboot,
  image.file_name as "fileName", image.bytes, image.sha256, image.signed_by as "signedBy",
  image.created_by as "createdBy", image.revision, image.created_at as "createdAt",
  image.updated_at as "updatedAt"`

function factsOf(row: ImageRow): ImageFacts {
  const { nameKey: _, ...facts } = row
  return facts
}

type ImageQuery = QueryOf<Calls['GET /api/maple/binary_images']>

const isFound = searchByName({
  row: sql`image.id`,
  table: sql`maple.binary_image`,
  limit: searchLimit,
})

const imageList = defineList({
  name: 'binary image',
  sorts: { createdAt: ['created_at', 'timestamp'], name: ['name_key', 'text'] },
  sorting: binaryImageSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`image.id = ${id}`,
    state: (state) => sql`image.state = ${state}::maple.binary_image_state`,
    productId: (id) => sql`image.product_id = ${id}`,
    installable: (by) => sql`image.state in ('verified', 'released')
      and image.product_id ${by === 'any' ? sql`is null` : sql`is not null`}`,
  },
  keys: (row: ImageRow, sort) => [sort === 'name' ? row.nameKey : row.createdAt, row.id],
  rows: (
    db: MapleDb,
    { query, where, orderBy, limit }: ListPage<ImageQuery, 'createdAt' | 'name'>,
    scope: Scope,
  ) =>
    sql<ImageRow>`
      select ${columns} from maple.binary_image as image
      where ${inScope(scope, 'image.service_id')} and ${isFound(query.q, scope)} and ${where('image')}
      order by ${orderBy('image')} limit ${sql.lit(limit)}`.execute(db),
})

/** One page of the images of a scope. @throws BadCursorError */
export async function readImages(db: MapleDb, query: ImageQuery, scope: Scope) {
  const page = await imageList.read(db, query, scope)
  return { ...page, items: page.items.map(factsOf) }
}

export async function findImage(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<ImageFacts | undefined> {
  const { rows } = await sql<ImageRow>`
    select ${columns} from maple.binary_image as image
    where image.id = ${id} and ${inScope(scope, 'image.service_id')}`.execute(db)
  return rows[0] && factsOf(rows[0])
}

/** Locks the image for the transaction. */
export async function lockImage(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.binary_image where id = ${id} for update`.execute(db)
  return findImage(db, id, scope)
}

type NewImage = Pick<
  ImageFacts,
  'serviceId' | 'name' | 'mcuboot' | 'fileName' | 'bytes' | 'sha256' | 'createdBy'
>

export async function insertImage(db: MapleDb, image: NewImage): Promise<string> {
  const { serviceId, name, mcuboot, fileName, bytes, sha256, createdBy } = image
  const { rows } = await sql<{ id: string }>`
    insert into maple.binary_image (service_id, name, name_key, version, mcuboot, file_name, bytes,
      sha256, created_by)
    values (${serviceId}, ${name}, ${nameKey(name)}, ${mcuboot.version},
      ${JSON.stringify(mcuboot)}::jsonb, ${fileName}, ${bytes}, ${sha256}, ${createdBy})
    returning id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('An insert without a condition answers its row.')
  return row.id
}

export const updateImage = (
  db: MapleDb,
  id: string,
  { name, productId }: Pick<ImageFacts, 'name' | 'productId'>,
) =>
  sql`
    update maple.binary_image set name = ${name}, name_key = ${nameKey(name)},
      product_id = ${productId}, revision = revision + 1, updated_at = now()
    where id = ${id}`.execute(db)

export const setImageState = (
  db: MapleDb,
  id: string,
  { state, signedBy }: { state: BinaryImageState; signedBy: ImageFacts['signedBy'] },
) =>
  sql`
    update maple.binary_image set state = ${state}::maple.binary_image_state,
      signed_by = ${signedBy && JSON.stringify(signedBy)}::jsonb, revision = revision + 1,
      updated_at = now()
    where id = ${id}`.execute(db)

export const deleteImage = (db: MapleDb, id: string) =>
  sql`delete from maple.binary_image where id = ${id}`.execute(db)

/** The upload of the same bytes that is not revoked. */
export async function findSameFile(
  db: MapleDb,
  sha256: string,
  serviceId: string | null,
): Promise<{ name: string } | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from maple.binary_image where coalesce(service_id, '') = ${serviceId ?? ''}
      and sha256 = ${sha256} and state <> 'revoked'`.execute(db)
  return rows[0]
}

/** How many products have it as their default. */
export async function isDefaultImage(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.product where image_id = ${id} limit 1`.execute(db)
  return rows.length > 0
}

export interface ImageReader {
  deviceId: string
  serviceId: string | null
  productId: string | null
  /** Of its product, or production for a device of none. */
  product: 'development' | 'production' | 'endOfLife'
}

/** The device, by its secret or its id; undefined for one that may not download. */
export async function findReader(
  db: MapleDb,
  by: { secretHash: string } | { deviceId: string },
): Promise<ImageReader | undefined> {
  const isIt =
    'deviceId' in by
      ? sql`device.id = ${by.deviceId}`
      : sql`device.id = (select device_id from maple.device_credential
          where secret_hash = ${by.secretHash})`
  const { rows } = await sql<ImageReader>`
    select device.id as "deviceId", device.service_id as "serviceId",
      device.product_id as "productId", coalesce(product.state, 'production') as product
    from maple.device as device
    left join maple.product as product on product.id = device.product_id
    left join maple.service as service on service.id = device.service_id
    where ${isIt}
      and device.state not in ('retired', 'quarantined', 'pending')
      and coalesce(service.state <> 'suspended', true)`.execute(db)
  return rows[0]
}

/** The newest image of the same product with a lower version that devices may get. */
export async function findEarlierImage(
  db: MapleDb,
  { id, serviceId, productId, version, state }: ImageFacts,
): Promise<ImageFacts | undefined> {
  // A released default is not replaced by one that production devices cannot get.
  const states = state === 'verified' ? ['verified', 'released'] : ['released']
  const { rows } = await sql<ImageRow>`
    select ${columns} from maple.binary_image as image
    where image.id <> ${id} and image.service_id is not distinct from ${serviceId}
      and image.product_id is not distinct from ${productId}
      and image.state::text = any(${states}::text[])
      and ${numbersOf(sql`image.version`)} < ${numbersOf(sql`${version}`)}
    order by ${numbersOf(sql`image.version`)} desc, image.created_at desc limit 1`.execute(db)
  return rows[0] && factsOf(rows[0])
}

/** A version as numbers that can be compared: `1.10.0+4` is `{1,10,0,4}`. */
const numbersOf = (version: RawBuilder<unknown>) =>
  sql`string_to_array(translate(${version}::text, '+', '.'), '.')::bigint[]`
