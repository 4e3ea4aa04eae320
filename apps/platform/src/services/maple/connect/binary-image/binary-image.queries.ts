import { sql, type RawBuilder } from 'kysely'
import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  binaryImageSearchLimit,
  binaryImageSorting,
} from '@grove/contract/maple/connect/binary-image.rules'
import { defineArtifacts } from '../../../../core/artifact/define-artifacts.ts'
import type { MapleDb } from '../../base/tables.ts'

/** An image as it is stored; what may be done to it depends on the reader. */
export type ImageFacts = Omit<BinaryImage, 'rights'>

export const images = defineArtifacts<ImageFacts, QueryOf<Calls['GET /api/maple/binary_images']>>({
  table: 'maple.binary_image',
  list: 'binary image',
  columns: sql`
    artifact.product_id as "productId", artifact.version, artifact.mcuboot,
    artifact.signed_by as "signedBy"`,
  sorting: binaryImageSorting,
  filters: {
    productId: (id) => sql`artifact.product_id = ${id}`,
    installable: (by) => sql`artifact.state in ('verified', 'released')
      and artifact.product_id ${by === 'any' ? sql`is null` : sql`is not null`}`,
  },
  searchLimit: binaryImageSearchLimit,
})

export const { find: findImage } = images

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
export function findEarlierImage(
  db: MapleDb,
  { id, serviceId, productId, version, state }: ImageFacts,
) {
  // A released default is not replaced by one that production devices cannot get.
  const states = state === 'verified' ? ['verified', 'released'] : ['released']
  const number = numbersOf(sql`artifact.version`)
  return images.first(
    db,
    sql`where artifact.id <> ${id} and artifact.service_id is not distinct from ${serviceId}
      and artifact.product_id is not distinct from ${productId}
      and artifact.state::text = any(${states}::text[]) and ${number} < ${numbersOf(sql`${version}`)}
      order by ${number} desc, artifact.created_at desc limit 1`,
  )
}

/** A version as numbers that can be compared: `1.10.0+4` is `{1,10,0,4}`. */
const numbersOf = (version: RawBuilder<unknown>) =>
  sql`string_to_array(translate(${version}::text, '+', '.'), '.')::bigint[]`
