import { isDeepStrictEqual } from 'node:util'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import type { ArtifactState } from '@grove/contract/core/artifact.rules'
import { maxProducts, type MapleProductState } from '@grove/contract/maple/connect/product.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { findImage } from '../binary-image/binary-image.queries.ts'
import { isForProduct } from '../binary-image/binary-image.service.ts'
import { productEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { deviceHandlers } from '../../program/device-handler/device-handler.queries.ts'
import { can, assertAllowed, rightsOf } from '../connect.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import * as queries from './product.queries.ts'

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }
type NewProduct = BodyOf<Calls['POST /api/maple/products']>

const what = 'product'
const nothing = { model: null, revisions: [], profileId: null, imageId: null, handlerId: null }

/** @throws BadCursorError */
export async function listProducts(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/products']>,
): Promise<ResponseOf<Calls['GET /api/maple/products']>> {
  const page = await queries.products.list.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((product) => withRights(actor, product)) }
}

/** @throws ProblemError `limit_reached`, `service_suspended`, `binary_image_closed` or `invalid_request`. */
export function createProduct(
  { db }: MapleContext,
  actor: Actor,
  input: NewProduct,
): Promise<MapleProduct> {
  const serviceId = serviceOf(scopeOf(actor))
  const values = stored({ ...nothing, ...input })
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    if ((await queries.products.count(tx, serviceId)) >= maxProducts)
      throw new ProblemError('limit_reached', `There are at most ${maxProducts} products.`)
    await checkDefaults(tx, actor, { ...values, id: null, serviceId, state: 'development' })
    const id = await queries.products.insert(tx, {
      ...queries.columnsOf(values),
      service_id: serviceId,
      created_by: actor.id,
    })
    return audited(tx, actor, 'iot_product.create', id)
  })
}

/** @throws ProblemError `not_found`, `edit_conflict`, `binary_image_closed` or `invalid_request`. */
export function updateProduct(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, change }: AtRevision & { change: Partial<NewProduct> },
): Promise<MapleProduct> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.products.lock(tx, id, scopeOf(actor)), revision, what)
    const after = { ...before, ...stored({ ...before, ...change }) }
    if (isDeepStrictEqual(before, after)) return withRights(actor, before)
    const isSameImage = before.imageId === after.imageId
    await checkDefaults(tx, actor, isSameImage ? { ...after, imageId: null } : after)
    await queries.products.update(tx, id, queries.columnsOf(after))
    return audited(tx, actor, 'iot_product.update', id, before)
  })
}

const stored = ({
  name,
  model,
  revisions,
  profileId,
  imageId,
  handlerId,
}: queries.ProductValues): queries.ProductValues => ({
  name: storedName('name', name),
  model: model && storedName('model', model),
  revisions: [...new Set(revisions.map((each, at) => storedName(`revisions.${at}`, each)))],
  profileId,
  imageId,
  handlerId,
})

/** Handler and image are of the same service provider, and devices in this state may get the image. */
async function checkDefaults(
  tx: MapleDb,
  actor: Actor,
  {
    id,
    profileId,
    imageId,
    handlerId,
    serviceId,
    state,
  }: Pick<MapleProduct, 'profileId' | 'imageId' | 'handlerId' | 'serviceId' | 'state'> & {
    id: string | null
  },
): Promise<void> {
  if (profileId !== null && !(await queries.hasProfile(tx, profileId)))
    throw invalidField('profileId', 'exists', `There is no profile ${profileId}.`)
  if (handlerId !== null) {
    const handler = await deviceHandlers.find(tx, handlerId, scopeOf(actor))
    if (handler?.serviceId !== serviceId)
      throw invalidField('handlerId', 'exists', `There is no device handler ${handlerId}.`)
  }
  if (imageId === null) return
  const image = await findImage(tx, imageId, scopeOf(actor))
  if (!image || image.serviceId !== serviceId || !isForProduct(image, id))
    throw invalidField('imageId', 'exists', `There is no image ${imageId}.`)
  assertAllowed(actor, 'image.install', { image: image.state, product: state })
}

/** @throws ProblemError `not_found`, `edit_conflict`, `transition_refused` or `binary_image_closed`. */
export function moveProduct(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, state }: AtRevision & { state: MapleProductState },
): Promise<MapleProduct> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.products.lock(tx, id, scopeOf(actor)), revision, what)
    if (before.state === state) return withRights(actor, before)
    assertAllowed(actor, 'product.move', { state: before.state, to: state })
    const refused = state === 'production' && whyNoProduction(actor, before)
    if (refused) throw new ProblemError(refused.code, refused.detail)
    await queries.products.update(tx, id, { state })
    return audited(tx, actor, 'iot_product.move', id, before)
  })
}

/** In production its default image is a released one. */
const whyNoProduction = (actor: Actor, { imageState }: queries.ProductFacts) =>
  imageState === null
    ? null
    : can(actor, 'image.install', {
        image: imageState as ArtifactState,
        product: 'production',
      })

/** @throws ProblemError `not_found`, `edit_conflict` or `product_in_use`. */
export async function removeProduct(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: AtRevision,
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.products.lock(tx, id, scopeOf(actor)), revision, what)
    const devices = await queries.countDevices(tx, id)
    if (devices.some(({ value }) => value > 0))
      throw new ProblemError('product_in_use', 'Devices are of this product.')
    // First, while the product still tells the event's service provider.
    await events.record(tx, actor, 'iot_product.delete', id, { before })
    await queries.deleteProduct(tx, id)
  })
  return null
}

/** @throws ProblemError `not_found`. */
export async function countDevices(
  { db }: MapleContext,
  actor: Actor,
  { id }: ById,
): Promise<ResponseOf<Calls['GET /api/maple/products/{id}/devices']>> {
  if (!(await queries.products.find(db, id, scopeOf(actor)))) throw missing(id)
  return { states: await queries.countDevices(db, id) }
}

const missing = (id: string) => new ProblemError('not_found', `There is no product ${id}.`)

async function audited(
  tx: MapleDb,
  actor: Actor,
  action: Parameters<typeof events.record>[2],
  id: string,
  before?: queries.ProductFacts,
): Promise<MapleProduct> {
  const after = await queries.products.find(tx, id, scopeOf(actor))
  if (!after) throw missing(id)
  await events.record(tx, actor, action, id, { before, after })
  return withRights(actor, after)
}

function withRights(actor: Actor, product: queries.ProductFacts): MapleProduct {
  const { imageState: _, ...facts } = product
  const { state } = product
  return {
    ...facts,
    rights: {
      production:
        can(actor, 'product.move', { state, to: 'production' })?.code ??
        whyNoProduction(actor, product)?.code ??
        null,
      endOfLife: can(actor, 'product.move', { state, to: 'endOfLife' })?.code ?? null,
      ...rightsOf(actor, product, { claim: 'product.claim' }),
    },
  }
}
