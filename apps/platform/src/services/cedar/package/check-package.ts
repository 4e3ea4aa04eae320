import { open, type FileHandle } from 'node:fs/promises'
import { openPromise, type ZipFile } from 'yauzl'
import { createReferenceReader, hasReferences } from './absolute-references.ts'
import { type ArchiveEntry, readEntries } from './archive-entries.ts'
import { readEndRecord } from './end-record.ts'
import { checkContent, type ContentReader } from './entry-content.ts'
import {
  checkW3cManifest,
  MANIFEST_LIMIT,
  MANIFEST_PATH,
  parseManifest,
  summariseManifest,
} from './manifest.ts'
import type { PackageLimits } from './package-limits.ts'
import { planRepairs } from './package-repairs.ts'
import { detectProfile, withoutSystemFiles } from './package-profile.ts'
import { createFindings, type Findings, type PackageReport } from './package-report.ts'

const HEAVIEST = 5

/**
 * Checks a mini-app package on disk: safe to store and serve, and a mini-app that can start.
 * Whatever is in the file becomes findings; it throws only when the file cannot be read.
 * Holds one chunk of one file in memory, and the manifest.
 */
export async function checkPackage(file: string, limits: PackageLimits): Promise<PackageReport> {
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
  const handle = await open(file, 'r')
  try {
    await checkArchive(file, handle, limits, findings, report)
  } finally {
    await handle.close()
  }
  report.findings = findings.list()
  report.ok = findings.errors().length === 0
  return report
}

/** Opens an archive and reads its lists of files; undefined if they make no sense. */
export async function readArchive(
  file: string,
  handle: FileHandle,
  limits: PackageLimits,
  findings: Findings,
): Promise<{ zip: ZipFile; entries: ArchiveEntry[] } | undefined> {
  const { size } = await handle.stat()
  if (size > limits.zipBytes) {
    findings.add('zip-too-large', null, { bytes: size, limit: limits.zipBytes })
    return undefined
  }
  const end = await readEndRecord(handle, size, findings)
  if (!end) return undefined
  // Names stay bytes and sizes stay unjudged: each is refused below under a rule of our own.
  const zip = await openPromise(file, {
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: false,
  })
  const entries = await readEntries(zip, handle, end, limits, findings)
  if (entries) return { zip, entries }
  zip.close()
  return undefined
}

async function checkArchive(
  file: string,
  handle: FileHandle,
  limits: PackageLimits,
  findings: Findings,
  report: PackageReport,
) {
  const archive = await readArchive(file, handle, limits, findings)
  if (!archive) return
  const { zip, entries } = archive
  try {
    const files = entries.filter((entry) => !entry.isFolder)
    report.files = files.length
    report.heaviest = heaviest(files)
    const paths = withoutSystemFiles(
      files.map((entry) => entry.path),
      findings,
    )
    report.profile = detectProfile(paths, findings)
    if (report.profile === 'web') report.startPage = 'index.html'
    // Content of an archive that lies about its structure is not worth inflating.
    if (!isStructureSafe(findings)) return
    const manifest = await checkFiles(zip, files, limits, findings, report)
    if (manifest) checkManifest(manifest, new Set(paths), findings, report)
    report.repairs = planRepairs(entries, findings)?.repairs ?? []
  } finally {
    zip.close()
  }
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

/** @returns the manifest's bytes when there is one within its limit. */
async function checkFiles(
  zip: ZipFile,
  files: ArchiveEntry[],
  limits: PackageLimits,
  findings: Findings,
  report: PackageReport,
): Promise<Buffer | null> {
  let manifest: Buffer | null = null
  for (const file of files) {
    let reader: ContentReader | null = null
    if (file.path === MANIFEST_PATH) {
      if (file.entry.uncompressedSize > MANIFEST_LIMIT) {
        findings.add('manifest-too-large', MANIFEST_PATH, { limit: MANIFEST_LIMIT })
      } else {
        reader = collect((bytes) => (manifest = bytes))
      }
    } else if (hasReferences(file.path)) {
      reader = createReferenceReader(file.path, findings)
    }
    report.inflatedBytes += await checkContent(zip, file, limits, findings, reader)
  }
  return manifest
}

function collect(done: (bytes: Buffer) => void): ContentReader {
  const chunks: Buffer[] = []
  return { write: (chunk) => chunks.push(chunk), end: () => done(Buffer.concat(chunks)) }
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
