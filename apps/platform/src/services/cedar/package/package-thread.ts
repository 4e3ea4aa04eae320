import { parentPort } from 'node:worker_threads'
import { createArchiveDraft, type ArchiveDraft } from './archive-draft.ts'
import { inspectPackage } from './check-package.ts'
import { readContentAhead, type ContentAhead } from './content-ahead.ts'
import type { PackedFile } from './entry-content.ts'
import { indexPackage, type PackageIndex } from './index-package.ts'
import { openGrowingFile, type GrowingFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import type { PackageReport } from './package-report.ts'
import { repairPackage } from './repair-package.ts'
import { rewritePackage } from './rewrite-package.ts'

interface PackageTask {
  path: string
  limits: PackageLimits
  /** Where to write a new archive. */
  target?: string
}

export type PackageRequest =
  /** This many bytes of the package have been written. */
  | ({ type: 'grew'; id: number; bytes: number } & PackageTask)
  | { type: 'cancelled'; id: number }
  | { type: 'abandoned'; id: number }
  | ({ type: keyof PackageAnswers; id: number } & PackageTask)

export interface PackageAnswers {
  check: PackageReport
  rewrite: Awaited<ReturnType<typeof rewritePackage>>
  repair: Awaited<ReturnType<typeof repairPackage>>
  index: PackageIndex
}

export type PackageAnswer =
  | { id: number; value: PackageAnswers[keyof PackageAnswers] }
  | { id: number; error: { message: string; code: string | undefined } }

interface Arriving {
  file: GrowingFile
  ahead: Promise<ContentAhead>
  draft: ArchiveDraft
  /** Those of a package that passed its check. */
  files: PackedFile[]
}

/** Packages being read and rewritten during the upload, by the id of their check. */
const arriving = new Map<number, Arriving>()

function grew({ id, path, limits, bytes }: PackageTask & { id: number; bytes: number }): void {
  let package_ = arriving.get(id)
  if (!package_) {
    const file = openGrowingFile(path)
    const draft = createArchiveDraft(`${path}.draft`)
    const ahead = readContentAhead(file, limits, draft).finally(file.close)
    // A failure here recurs, and is reported, when the whole package is checked.
    ahead.catch(() => {})
    package_ = { file, ahead, draft, files: [] }
    arriving.set(id, package_)
  }
  package_.file.grow(bytes)
}

/** Aborts running checks, by id. */
const checking = new Map<number, AbortController>()

async function check({ id, path, limits }: PackageTask & { id: number }): Promise<PackageReport> {
  const package_ = arriving.get(id)
  const cancelling = new AbortController()
  checking.set(id, cancelling)
  try {
    package_?.file.end()
    const ahead = await package_?.ahead.catch(() => undefined)
    const { report, files } = await inspectPackage(path, limits, ahead, cancelling.signal)
    if (package_) package_.files = files
    return report
  } finally {
    checking.delete(id)
  }
}

const rewrite = async ({ path, limits, target = '' }: PackageTask, package_?: Arriving) =>
  package_?.draft.finish(package_.files, target) ?? rewritePackage(path, limits, target)

async function abandon(id: number): Promise<void> {
  const package_ = arriving.get(id)
  arriving.delete(id)
  package_?.file.end()
  await package_?.ahead.catch(() => {})
  package_?.draft.discard()
}

function run(request: Exclude<PackageRequest, { type: 'grew' | 'cancelled' | 'abandoned' }>) {
  const { type, id, path, limits, target = '' } = request
  if (type === 'rewrite') return rewrite(request, arriving.get(id))
  if (type === 'repair') return repairPackage(path, limits, target)
  if (type === 'index') return indexPackage(path, limits)
  return check(request)
}

const send = (answer: PackageAnswer) => parentPort?.postMessage(answer, [])

parentPort?.on('message', (request: PackageRequest) => {
  const { id } = request
  if (request.type === 'grew') grew(request)
  else if (request.type === 'cancelled') checking.get(id)?.abort()
  else if (request.type === 'abandoned') void abandon(id)
  else
    run(request).then(
      (value) => send({ id, value }),
      ({ message, code }: NodeJS.ErrnoException) => send({ id, error: { message, code } }),
    )
})
