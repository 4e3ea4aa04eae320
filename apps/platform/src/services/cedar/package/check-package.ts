import type { ArchiveEntry } from './archive-entries.ts'
import { type ContentAhead, contentOf } from './content-ahead.ts'
import { judgeContent, packedOf, type PackedFile } from './entry-content.ts'
import {
  checkW3cManifest,
  MANIFEST_LIMIT,
  MANIFEST_PATH,
  parseManifest,
  summariseManifest,
} from './manifest.ts'
import { openPackageFile, type PackageFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'
import { planRepairs } from './package-repairs.ts'
import { detectProfile, withoutSystemFiles } from './package-profile.ts'
import { createFindings, type Findings, type PackageReport } from './package-report.ts'
import { readArchive } from './read-archive.ts'

const HEAVIEST = 5

/**
 * Checks a mini-app package on disk: safe to store and serve, and a mini-app that can start. Any
 * content results in findings; it throws only if the file cannot be read. Memory is limited to a few
 * megabytes: a small file, or a chunk of a large one, and the manifest.
 */
export const checkPackage = async (path: string, limits: PackageLimits): Promise<PackageReport> =>
  (await inspectPackage(path, limits)).report

/** The same, with the files of a package that passed. */
export async function inspectPackage(
  path: string,
  limits: PackageLimits,
  /** The content read during the upload. */
  ahead?: ContentAhead,
  signal?: AbortSignal,
): Promise<{ report: PackageReport; files: PackedFile[] }> {
  const report: PackageReport = {
    ok: false,
    profile: null,
    startPage: null,
    findings: [],
    repairs: [],
    files: 0,
    inflatedBytes: 0,
    manifest: null,
    heaviest: [],
  }
  const findings = createFindings()
  const file = openPackageFile(path)
  let files: ArchiveEntry[] = []
  try {
    files = await checkArchive(file, limits, findings, report, ahead, signal)
  } finally {
    file.close()
  }
  report.findings = findings.list()
  report.ok = findings.errors().length === 0
  return { report, files: report.ok ? files.map(packedOf) : [] }
}

async function checkArchive(
  file: PackageFile,
  limits: PackageLimits,
  findings: Findings,
  report: PackageReport,
  ahead: ContentAhead | undefined,
  signal: AbortSignal | undefined,
): Promise<ArchiveEntry[]> {
  const entries = await readArchive(file, limits, findings)
  if (!entries) return []
  const files = entries.filter((entry) => !entry.isFolder)
  report.files = files.length
  report.heaviest = heaviest(files)
  const paths = withoutSystemFiles(
    files.map((entry) => entry.path),
    findings,
  )
  report.profile = detectProfile(paths, findings)
  if (report.profile === 'web') report.startPage = 'index.html'
  // If an archive lies about its structure, its content is not worth inflating.
  if (!isStructureSafe(findings)) return files
  const manifest = await checkFiles(file, files, limits, findings, report, ahead, signal)
  if (manifest) checkManifest(manifest, new Set(paths), findings, report)
  report.repairs = planRepairs(entries, findings)?.repairs ?? []
  return files
}

/** The check continues if only the mini-app is wrong, not the archive. */
const isStructureSafe = (findings: Findings) =>
  findings.errors().every((rule) => CONTENT_RULES.has(rule))

const CONTENT_RULES = new Set<string>([
  // The entries have slashes by now.
  'path-backslash',
  'nested-in-folder',
  'start-page-missing',
  'required-file-missing',
])

const heaviest = (files: ArchiveEntry[]) =>
  files
    .map(({ path, entry }) => ({ path, bytes: entry.uncompressedSize }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, HEAVIEST)

/** @returns the manifest's bytes if there is one within the size limit. */
async function checkFiles(
  file: PackageFile,
  files: ArchiveEntry[],
  limits: PackageLimits,
  findings: Findings,
  report: PackageReport,
  ahead: ContentAhead | undefined,
  signal: AbortSignal | undefined,
): Promise<Buffer | null> {
  let manifest: Buffer | null = null
  for (const entry of files) {
    signal?.throwIfAborted()
    const packed = packedOf(entry)
    if (packed.path === MANIFEST_PATH && packed.bytes > MANIFEST_LIMIT)
      findings.add('manifest-too-large', MANIFEST_PATH, { limit: MANIFEST_LIMIT })
    const content = await contentOf(file, packed, ahead)
    if (judgeContent(entry, content, limits, findings)) manifest = content.manifest ?? manifest
    report.inflatedBytes += content.inflated
  }
  return manifest
}

function checkManifest(
  bytes: Buffer,
  paths: ReadonlySet<string>,
  findings: Findings,
  report: PackageReport,
) {
  const manifest = parseManifest(bytes, findings)
  if (!manifest) return
  report.manifest = summariseManifest(manifest)
  if (report.profile !== 'w3c') return
  checkW3cManifest(manifest, paths, findings)
  const first = report.manifest.pages[0]
  if (first !== undefined && paths.has(`${first}.html`)) report.startPage = `${first}.html`
}
