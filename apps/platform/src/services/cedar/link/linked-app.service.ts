import { createHash } from 'node:crypto'
import type { LinkedApp } from '@grove/contract/cedar/link'
import { isLinkId, isPlaceInApp } from '@grove/contract/cedar/link.rules'
import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { imageUrl } from '../parts/image-url.ts'
import { findLinked, findRevision, type LinkedRow } from './link.queries.ts'

/** A link's target as of the last check against the database. */
export interface LinkView {
  app: LinkedApp
  iconSha256: string | null
  /** Of all fields of the view. */
  etag: string
  /** Values derived from the view, by the key of their creator; dropped when the view changes. */
  made: Map<string, unknown>
}

/** @throws ProblemError `not_found`, `link_removed`, `provider_disabled` or `app_not_live`. */
export type ReadLink = (actor: AnyActor, linkId: string) => Promise<LinkView>

interface Known {
  view: LinkView
  revision: string
  /** Until when the view is used without checking the database. */
  until: number
}

const freshMs = 1000
const maxViews = 500

/**
 * Reads links through a small cache, so that a popular link costs one short query per second. Changes
 * are visible after at most a second.
 */
export function linkReader(context: CedarContext): ReadLink {
  const views = new Map<string, Known>()
  const reading = new Map<string, Promise<LinkView>>()

  const read = async (linkId: string): Promise<LinkView> => {
    const until = context.now() + freshMs
    const known = views.get(linkId)
    if (known && known.revision === (await findRevision(context.db, linkId))) {
      known.until = until
      return known.view
    }
    views.delete(linkId)
    const row = await findLinked(context.db, linkId)
    const view = await toView(context, requireOpen(row))
    views.set(linkId, { view, revision: row?.revision ?? '', until })
    // The least recently read.
    if (views.size > maxViews) views.delete(views.keys().next().value ?? '')
    return view
  }

  return async (_actor, linkId) => {
    if (!isLinkId(linkId)) throw new ProblemError('not_found', 'The link does not exist.')
    const known = views.get(linkId)
    if (known && context.now() < known.until) return known.view
    const running = reading.get(linkId) ?? read(linkId).finally(() => reading.delete(linkId))
    reading.set(linkId, running)
    return running
  }
}

type OpenRow = LinkedRow & { product_id: string; version_id: string }

function requireOpen(row: LinkedRow | undefined): OpenRow {
  if (!row) throw new ProblemError('not_found', 'The link does not exist.')
  const { product_id, version_id, is_pinned } = row
  if (row.is_removed || product_id === null || (is_pinned && version_id === null))
    throw new ProblemError('link_removed', 'The link was removed.')
  if (!row.is_enabled)
    throw new ProblemError('provider_disabled', 'The provider of the app is disabled.')
  if (!row.is_live || version_id === null)
    throw new ProblemError('app_not_live', 'No version of the app is live.')
  return { ...row, product_id, version_id }
}

async function toView({ packageKey }: CedarContext, row: OpenRow): Promise<LinkView> {
  const { link_id: linkId, version, bytes, package_sha256: sha256 } = row
  const facts = { productId: row.product_id, productVersionId: row.version_id, version }
  const signature = await packageKey.sign({ ...facts, sha256, bytes })
  const app: LinkedApp = {
    linkId,
    // Links from before that rule exist, and still open the app.
    target: isPlaceInApp(row.target) ? row.target : '/',
    ...facts,
    isPinned: row.is_pinned,
    translations: row.translations,
    iconUrl: imageUrl(row.icon_sha256),
    images: row.images.map(({ sha256: name, ...image }) => ({ ...image, url: imageUrl(name) })),
    provider: row.provider,
    releasedAt: row.released_at,
    package: { url: `/api/${linkId}/package/${sha256}`, sha256, bytes, signature },
  }
  const hash = createHash('sha256').update(JSON.stringify(app)).digest('base64url')
  return { app, iconSha256: row.icon_sha256, etag: hash.slice(0, 22), made: new Map() }
}
