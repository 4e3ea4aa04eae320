import type { Preview } from '@grove/contract/cedar/preview'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { MiniAppRight } from '@grove/contract/cedar/mini-app-right.rules'
import { previewMs, previewSchemes } from '@grove/contract/cedar/preview.rules'
import type { Actor } from '../../../core/actor.ts'
import { previewOrigin } from '../../../core/http/preview-address.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertAllowed } from '../cedar.rules.ts'
import type { CedarContext } from '../context.ts'
import { manifestFacts, MANIFEST_PATH } from '../package/manifest.ts'
import { limitsInForce } from '../parts/limits.ts'
import { getVersion, type VersionId } from '../product-version/product-version.service.ts'
import { damaged } from '../storage/objects.service.ts'
import { inflated } from './file-content.ts'
import type { PreviewPackage, PreviewPackages } from './preview-packages.ts'
import { countPreview, findPreviewed, findPreviewLimits } from './preview.queries.ts'
import { hostNameOf, type PreviewGrant, type PreviewTokens } from './preview-token.ts'

export interface Previews extends CedarContext {
  packages: PreviewPackages
  tokens: PreviewTokens
}

/** A URL at which a version's package runs for ten minutes. */
export async function openPreview(
  context: Previews,
  actor: Actor,
  { id }: VersionId,
): Promise<Preview> {
  const version = await getVersion(context, actor, { id })
  assertAllowed(actor, 'version.download', version)
  const listener = context.preview
  if (!listener)
    throw new ProblemError(
      'preview_off',
      'Previews run third-party code and need their own domain. An administrator can set it in GROVE_PREVIEW_URL.',
    )
  const sha256 = version.package?.sha256 ?? ''
  const files = await context.packages.open(sha256)
  if (!files) throw damaged(sha256)
  await requireRoom(context, version)
  const expiresAt = Math.floor((context.now() + previewMs) / 1000) * 1000
  const token = context.tokens.sign({ versionId: id, sha256, expiresAt })
  return {
    address: `${previewOrigin(listener.pattern, hostNameOf(id))}/p/${token}/`,
    schemes: [...previewSchemes],
    ...(await readPackage(version, files)),
    expiresAt: new Date(expiresAt).toISOString(),
    isLoopback: listener.isLoopback,
  }
}

async function requireRoom(context: Previews, { productId }: ProductVersion): Promise<void> {
  const provider = await findPreviewLimits(context.db, productId)
  if (!provider) throw new ProblemError('not_found', 'The version does not exist.')
  const { previewTokensPerHour: limit } = limitsInForce(context.settings, provider.limits)
  if (await countPreview(context.db, provider.id, limit)) return
  const hour = 3_600_000
  throw new ProblemError(
    'limit_reached',
    `The provider has opened ${limit} of ${limit} previews this hour. Wait for the next hour, or ask an administrator to raise the limit.`,
    { retryAfter: Math.ceil((hour - (context.now() % hour)) / 1000) },
  )
}

/** The start page of the mini-app, and its permissions. */
async function readPackage(version: ProductVersion, files: PreviewPackage) {
  const file = files.get(MANIFEST_PATH)
  const { pages, permissions } = manifestFacts(file && (await inflated(file)))
  const isWeb = version.package?.report?.profile !== 'w3c' && files.has('index.html')
  const startPage = isWeb ? 'index.html' : `${pages[0] ?? 'index'}.html`
  return { startPage: startPage.split('/').map(encodeURIComponent).join('/'), permissions }
}

const currentMs = 2000
const maxKnown = 1000

/**
 * The hosts that the provider's rights allow a preview to connect to, as long as its version has the
 * granted package; both at most two seconds old.
 */
export function allowedHosts({ db }: CedarContext) {
  const known = new Map<string, { until: number; row: ReturnType<typeof findPreviewed> }>()
  return async ({ versionId, sha256 }: PreviewGrant): Promise<readonly string[] | undefined> => {
    const now = performance.now()
    let found = known.get(versionId)
    if (!found || found.until < now) {
      if (known.size >= maxKnown) known.clear()
      found = { until: now + currentMs, row: findPreviewed(db, versionId) }
      found.row.catch(() => known.delete(versionId))
      known.set(versionId, found)
    }
    const row = await found.row
    return row?.sha256 === sha256 ? hostsIn(row.rights) : undefined
  }
}

const hostsIn = (rights: readonly MiniAppRight[]): readonly string[] =>
  rights.flatMap(({ permission, mode, hosts }) =>
    permission === 'network' && mode !== 'none' ? hosts : [],
  )
