import { isUtf8 } from 'node:buffer'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { isDeepJson } from '../../../core/json-depth.ts'
import { assertAllowed } from '../cedar.rules.ts'
import type { CedarContext } from '../context.ts'
import type { PackageIndex } from '../package/index-package.ts'
import { getVersion, type VersionId } from '../product-version/product-version.service.ts'
import { damaged } from '../storage/objects.service.ts'
import { filesDifference, manifestDifference, permissionsDifference } from './difference.rules.ts'
import { packageIndexOf, readPackedFile } from './package-index.service.ts'

/** The changes of a version compared with another one of the same product. */
export async function getDifference(
  context: CedarContext,
  actor: Actor,
  { id, with: otherId }: VersionId & { with: string },
) {
  const version = await getVersion(context, actor, { id })
  const other = await getVersion(context, actor, { id: otherId })
  if (other.productId !== version.productId)
    throw new ProblemError('not_found', 'The version to compare with belongs to another product.')
  const [after, before] = await Promise.all([indexOf(context, version), indexOf(context, other)])
  const packages = { before: before !== null, after: after !== null }
  if (!before || !after) return { packages, ...nothing }
  const manifests = [manifestOf(before), manifestOf(after)] as const
  return {
    packages,
    ...filesDifference(before.files, after.files),
    permissions: permissionsDifference(...manifests),
    manifest: manifestDifference(...manifests),
  }
}

const nothing = {
  files: [],
  unchanged: 0,
  permissions: { added: [], removed: [] },
  manifest: [],
}

/** One nested too deeply predates the rule that refuses it. */
const manifestOf = ({ manifest }: PackageIndex): unknown =>
  manifest === null || isDeepJson(manifest) ? null : JSON.parse(manifest)

async function indexOf(
  context: CedarContext,
  { package: file }: ProductVersion,
): Promise<PackageIndex | null> {
  if (!file) return null
  const index = await packageIndexOf(context, file.sha256)
  if (!index) throw damaged(file.sha256)
  return index
}

/** Every file of a version's package. */
export async function listFiles(context: CedarContext, actor: Actor, { id }: VersionId) {
  const version = await getVersion(context, actor, { id })
  assertAllowed(actor, 'version.download', version)
  const index = await indexOf(context, version)
  return {
    files: (index?.files ?? []).map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  }
}

/** One file of a version's package. The path is a key of its index, never a file system path. */
export async function openFile(
  context: CedarContext,
  actor: Actor,
  { id, path }: VersionId & { path: string },
) {
  const version = await getVersion(context, actor, { id })
  assertAllowed(actor, 'version.download', version)
  const sha256 = version.package?.sha256 ?? ''
  const index = await indexOf(context, version)
  const file = index?.files.find((each) => each.path === path)
  if (!file) throw new ProblemError('not_found', 'The package has no file at this path.')
  const content = await readPackedFile(context, sha256, file)
  return { content, sha256: file.sha256, isText: isUtf8(content) && !content.includes(0) }
}
