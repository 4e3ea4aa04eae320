import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductLink } from '@grove/contract/cedar/link'
import { isLinkId, isPlaceInApp, maxTargetLength } from '@grove/contract/cedar/link.rules'
import type { Actor } from '../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import { assertAllowed } from '../cedar.rules.ts'
import { record, type CedarContext } from '../context.ts'
import { catalogueLimits } from '../parts/limits.ts'
import { newLinkId } from '../parts/link-id.ts'
import { getVersion } from '../product-version/product-version.service.ts'
import { lockProduct, setLink } from '../product/product.queries.ts'
import { changeProduct, getProduct, type ProductId } from '../product/product.service.ts'
import {
  closeLink,
  countLinks,
  findSame,
  insertLink,
  listLinks as listRows,
  listOpens,
} from './link.queries.ts'

interface Drawing {
  generate?: () => string
}

/** Creates the product's link. An existing one stays, since it may be printed somewhere. */
export async function addLink(
  context: CedarContext,
  actor: Actor,
  { id, generate = newLinkId }: ProductId & Drawing,
): Promise<Product> {
  const product = await getProduct(context, actor, { id })
  if (product.linkId !== null) return product
  return withNewId(generate, (linkId) =>
    changeProduct(context, actor, {
      id,
      action: 'product.link',
      change: async (db) => {
        const same = await findSame(db, { productId: id, versionId: null, target: '/' })
        if (same) return
        await insertLink(db, { id: linkId, productId: id })
        await setLink(db, id, linkId)
      },
    }),
  )
}

/** Draws another id if one was issued before: a chance of one in 2.2 × 10¹² per existing link. */
async function withNewId<T>(generate: () => string, insert: (id: string) => Promise<T>) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await insert(generate())
    } catch (error) {
      const isTaken = error instanceof Error && 'constraint' in error
      // Five in a row are no coincidence.
      if (!isTaken || error.constraint !== 'link_pkey' || attempt === 5) throw error
    }
  }
}

/** Removes the product's link, or the given one, permanently. */
export async function removeLink(
  context: CedarContext,
  actor: Actor,
  { id, linkId: given }: ProductId & { linkId?: string | undefined },
): Promise<Product> {
  const product = await getProduct(context, actor, { id })
  const linkId = given ?? product.linkId
  if (linkId === null) return product
  const isOwn = linkId === product.linkId
  return changeProduct(context, actor, {
    id,
    action: isOwn ? 'product.unlink' : 'product.unshare',
    change: async (db) => {
      if (!(await closeLink(db, id, linkId)))
        throw new ProblemError('not_found', 'The app has no such link.')
      if (isOwn) await setLink(db, id, null)
    },
    ...(!isOwn && { facts: { before: { linkId } } }),
  })
}

type ShareBody = BodyOf<Calls['POST /api/cedar/apps/miniapps/share']>

interface Sharing extends ShareBody, Drawing {
  /** The origin at which people open the platform. */
  origin: string
}

/** Creates a link to a version's app, or returns the existing one with the same target. */
export async function shareApp(context: CedarContext, actor: Actor, input: Sharing) {
  const { url, version_id, pinned = false, origin, generate = newLinkId } = input
  const target = targetOf(url, origin)
  const { productId, version, state } = await getVersion(context, actor, { id: version_id })
  const pin = pinned ? { productVersionId: version_id, version } : null
  const answer = (linkId: string) => ({
    linkId,
    url: `${origin}/${linkId}`,
    productId,
    target,
    version: pin,
  })
  if (pin) assertAllowed(actor, 'version.pin', { state, version })
  if (!pin && target === '/') {
    const { linkId } = await addLink(context, actor, { id: productId, generate })
    if (linkId === null) throw new ProblemError('not_found', 'The app no longer has a link.')
    return answer(linkId)
  }
  return withNewId(generate, (id) =>
    context.db.transaction().execute(async (db) => {
      await lockProduct(db, productId)
      const versionId = pin && pin.productVersionId
      const same = await findSame(db, { productId, versionId, target })
      if (same) return answer(same.id)
      const count = await countLinks(db, productId)
      if (count >= catalogueLimits.linksPerProduct)
        throw new ProblemError(
          'limit_reached',
          `The app has ${count} of ${catalogueLimits.linksPerProduct} links. Remove one first.`,
        )
      await insertLink(db, { id, productId, versionId: versionId ?? undefined, target })
      const after = { linkId: id, target, version: pin && pin.version }
      await record(db, actor, 'product.share', productId, { after })
      return answer(id)
    }),
  )
}

// oxlint-disable-next-line no-control-regex -- `URL` drops some and escapes others
const hasControl = /[\u0000-\u0020\u007f]/

/**
 * The path, query and fragment of a URL of this platform. The URL of a link's public page leads to
 * the app's first page.
 */
function targetOf(url: string, origin: string): string {
  const refused = (code: string, message: string) => invalidField('body.url', code, message)
  // Reject absolute URLs: browsers parse `//host` or `\\host` in their own ways.
  const parsed = /^https?:\/\/[^\\]*$/i.test(url) && URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.origin !== origin || parsed.username !== '' || parsed.password !== '')
    throw refused('foreign_url', `url must be an address of this platform: ${origin}/…`)
  const path = isLinkId(parsed.pathname.slice(1)) ? '/' : parsed.pathname
  const target = path + parsed.search + parsed.hash
  if (hasControl.test(url) || !isPlaceInApp(target))
    throw refused(
      'place',
      'url must lead to a path of the app, such as /news: other apps would read this one as another server.',
    )
  if (target.length > maxTargetLength)
    throw refused(
      'maxLength',
      `url must have at most ${maxTargetLength} characters after its host.`,
    )
  return target
}

export async function listLinks(context: CedarContext, actor: Actor, { id }: ProductId) {
  await getProduct(context, actor, { id })
  const rows = await listRows(context.db, id)
  const items = rows.map((row): ProductLink => ({
    linkId: row.id,
    target: row.target,
    version:
      row.version_id === null ? null : { productVersionId: row.version_id, version: row.version },
    opens7d: row.opens,
    createdAt: row.created_at,
  }))
  return { items }
}

export async function readOpens(
  context: CedarContext,
  actor: Actor,
  { id, days }: ProductId & { days: number },
) {
  await getProduct(context, actor, { id })
  const rows = await listOpens(context.db, id, days)
  return { days: rows.map(({ day }) => day), opens: rows.map(({ opens }) => opens) }
}
