import type { PublishOptions } from './arguments.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import type { Packed } from './pack-folder.ts'
import { ServiceError, type Product, type Report, type Service, type Version } from './service.ts'
import { uploadBody } from './upload-body.ts'

export interface Published {
  productId: string
  productVersionId: string
  version: string
  state: string
  /** False: the same bytes were already there. */
  isNew: boolean
  report: Report | null
}

interface Progress {
  say: (text: string) => void
  onProgress: (sent: number, total: number) => void
  pause: (ms: number) => Promise<unknown>
}

const checkEveryMs = 2000
const maxCheckMs = 5 * 60_000

/**
 * Publishes a package as a version of an app. Publishing the same version with the same bytes again
 * changes nothing, so a build that runs twice succeeds twice.
 */
export async function publish(
  call: Service,
  options: PublishOptions,
  packed: Packed,
  progress: Progress,
): Promise<Published> {
  const product = await findProduct(call, options.app)
  const { productId } = product
  const versions = await listVersions(call, productId)
  const number = options.version ?? nextVersion(versions, packed.sha256)
  const known = versions.find(({ version }) => version === number)
  const before = known ?? (await createVersion(call, productId, number))
  const isThere = isOfBytes(before, packed.sha256)
  if (!isThere && before.package && before.isFinal)
    throw new CommandError(
      exitCodes.conflict,
      `Version ${number} was live or downloaded with other files, and stays as it is. Publish a higher one.`,
    )
  let version = before
  if (isThere) progress.say(`Version ${number} has these files already.`)
  else {
    progress.say(`Uploading ${packed.fileName} as version ${number}`)
    version = await upload(call, before, packed, progress)
  }
  const refused = isThere ? null : version.lastRefused
  const result = (isNew: boolean, { state, package: file }: Version): Published => ({
    productId,
    productVersionId: version.productVersionId,
    version: number,
    state: refused ? 'refused' : state,
    isNew,
    report: refused?.report ?? file?.report ?? null,
  })
  if (refused) return result(true, version)
  version = await setNotes(call, version, options.notes)
  if (options.enable && !version.enabled) version = await enable(call, version, options.notes)
  return result(!isThere, version)
}

async function findProduct(call: Service, app: string): Promise<Product> {
  const isId = app.length > 7
  try {
    const id = isId ? app : (await call<Product>(`/api/${app}`)).productId
    return await call<Product>(`/api/developer/product/${id}`)
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 410))
      throw new CommandError(
        exitCodes.notAllowed,
        isId
          ? `The key’s provider has no app ${app}.`
          : `The link ${app} opens no live app of the key’s provider. Give the app’s id instead.`,
      )
    throw error
  }
}

/** Newest first. The number of versions of an app is limited. */
async function listVersions(call: Service, productId: string): Promise<Version[]> {
  const versions: Version[] = []
  let cursor = ''
  do {
    const page: { items: Version[]; next: string | null } = await call(
      `/api/developer/productVersion?productId=${productId}&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    versions.push(...page.items)
    cursor = page.next ?? ''
  } while (cursor !== '')
  return versions
}

/** The newest if it has these bytes or none yet, otherwise the one after it. */
function nextVersion([newest]: readonly Version[], sha256: string): string {
  if (!newest) return '1.0.0'
  if (isOfBytes(newest, sha256) || !newest.package) return newest.version
  const [major = 0, minor = 0, patch = 0] = newest.version.split('.').map(Number)
  return `${major}.${minor}.${patch + 1}`
}

const isOfBytes = ({ package: file }: Version, sha256: string) =>
  file !== null && (file.report?.sha256 ?? file.sha256) === sha256

async function createVersion(call: Service, productId: string, version: string): Promise<Version> {
  try {
    return await call<Version>('/api/developer/productVersion', {
      method: 'POST',
      json: { productId, version },
      isOnce: true,
    })
  } catch (error) {
    // Another run of the same build was first, or the answer to this one was lost.
    const versions = await listVersions(call, productId)
    const made = versions.find((each) => each.version === version)
    if (made) return made
    throw error
  }
}

async function upload(
  call: Service,
  { productVersionId }: Version,
  { bytes, fileName }: Packed,
  { say, onProgress, pause }: Progress,
): Promise<Version> {
  let version = await call<Version>('/api/storage/productVersion/miniApp', {
    method: 'POST',
    body: () => uploadBody({ fields: { productVersionId }, fileName, bytes, onProgress }),
  })
  for (let waited = 0; version.state === 'checking'; waited += checkEveryMs) {
    if (waited === 0) say('Waiting for the check')
    if (waited >= maxCheckMs)
      throw new CommandError(exitCodes.failed, 'The check of the package does not end.')
    await pause(checkEveryMs)
    version = await call<Version>(`/api/developer/productVersion/${productVersionId}`)
  }
  return version
}

const pathOf = ({ productVersionId }: Version) =>
  `/api/developer/productVersion/${productVersionId}`

async function setNotes(
  call: Service,
  version: Version,
  notes: Record<string, string>,
): Promise<Version> {
  const translations = version.translations.map((texts) => ({
    ...texts,
    ...(notes[texts.localeCode] !== undefined && { whatsNew: notes[texts.localeCode] }),
  }))
  const isSame = translations.every(
    ({ whatsNew }, index) => whatsNew === version.translations[index]?.whatsNew,
  )
  if (isSame) return version
  return call<Version>(pathOf(version), {
    method: 'PUT',
    json: { translations },
    ifMatch: version.revision,
  })
}

const enable = (call: Service, version: Version, notes: Record<string, string>) =>
  call<Version>(pathOf(version), {
    method: 'PUT',
    json: { enabled: true, ...(notes['en-US'] && { reason: notes['en-US'] }) },
  })
