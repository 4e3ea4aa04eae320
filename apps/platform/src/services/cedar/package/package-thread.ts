import { parentPort } from 'node:worker_threads'
import { checkPackage } from './check-package.ts'
import { readContentAhead, type ContentAhead } from './content-ahead.ts'
import { openGrowingFile, type GrowingFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import type { PackageReport } from './package-report.ts'
import { repairPackage } from './repair-package.ts'
import { rewritePackage } from './rewrite-package.ts'

interface PackageTask {
  path: string
  limits: PackageLimits
  /** Where a new archive goes. */
  target?: string
}

export type PackageRequest =
  /** So many bytes of the package have been written. */
  | ({ type: 'grew'; id: number; bytes: number } & PackageTask)
  | { type: 'abandoned'; id: number }
  | ({ type: keyof PackageAnswers; id: number } & PackageTask)

export interface PackageAnswers {
  check: PackageReport
  rewrite: Awaited<ReturnType<typeof rewritePackage>>
  repair: Awaited<ReturnType<typeof repairPackage>>
}

export type PackageAnswer =
  | { id: number; value: PackageAnswers[keyof PackageAnswers] }
  | { id: number; error: { message: string; code: string | undefined } }

/** Packages that are read while they arrive, by the id of their check. */
const arriving = new Map<number, { file: GrowingFile; ahead: Promise<ContentAhead> }>()

function grew({ id, path, limits, bytes }: PackageTask & { id: number; bytes: number }): void {
  let package_ = arriving.get(id)
  if (!package_) {
    const file = openGrowingFile(path)
    package_ = { file, ahead: readContentAhead(file, limits).finally(file.close) }
    // What fails here fails again, and is reported, when the whole package is checked.
    package_.ahead.catch(() => {})
    arriving.set(id, package_)
  }
  package_.file.grow(bytes)
}

function arrived(id: number): Promise<ContentAhead | undefined> {
  const known = arriving.get(id)
  arriving.delete(id)
  known?.file.end()
  return known ? known.ahead.catch(() => undefined) : Promise.resolve(undefined)
}

function run(request: Exclude<PackageRequest, { type: 'grew' | 'abandoned' }>) {
  const { type, path, limits, target = '' } = request
  if (type === 'rewrite') return rewritePackage(path, limits, target)
  if (type === 'repair') return repairPackage(path, limits, target)
  return arrived(request.id).then((ahead) => checkPackage(path, limits, ahead))
}

const send = (answer: PackageAnswer) => parentPort?.postMessage(answer, [])

parentPort?.on('message', (request: PackageRequest) => {
  const { id } = request
  if (request.type === 'grew') grew(request)
  else if (request.type === 'abandoned') void arrived(id)
  else
    run(request).then(
      (value) => send({ id, value }),
      ({ message, code }: NodeJS.ErrnoException) => send({ id, error: { message, code } }),
    )
})
