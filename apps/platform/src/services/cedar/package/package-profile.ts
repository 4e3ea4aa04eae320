import { MANIFEST_PATH } from './manifest.ts'
import type { Findings, PackageProfile } from './package-report.ts'

const W3C_FILES = [MANIFEST_PATH, 'app.js', 'app.css']
const SYSTEM_FILE = /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/

export const isSystemFile = (path: string): boolean => SYSTEM_FILE.test(path)

/** The developer's files: those added by the operating system are counted and left out. */
export function withoutSystemFiles(paths: string[], findings: Findings): string[] {
  const own = paths.filter((path) => !isSystemFile(path))
  const example = paths.find(isSystemFile)
  if (example !== undefined) {
    findings.add('system-files', null, { count: paths.length - own.length, example })
  }
  return own
}

/** Determines the kind of package from the files at its root. */
export function detectProfile(paths: string[], findings: Findings): PackageProfile | null {
  if (paths.length === 0) {
    findings.add('empty-archive')
    return null
  }
  const root = new Set(paths.filter((path) => !path.includes('/')))
  const hasPages = paths.some((path) => path.startsWith('pages/'))
  const missing = W3C_FILES.filter((file) => !root.has(file))
  // The web profile may have a manifest too: only the whole W3C set outweighs an index.html.
  if (hasPages && missing.length === 0) return 'w3c'
  if (root.has('index.html')) return 'web'
  if (root.size === 0) {
    const folder = sharedFolder(paths)
    if (folder !== '') {
      findings.add('nested-in-folder', null, { folder })
      return null
    }
  }
  if (root.has(MANIFEST_PATH) && (hasPages || missing.length < W3C_FILES.length - 1)) {
    for (const file of missing) findings.add('required-file-missing', null, { file })
    if (!hasPages) findings.add('required-file-missing', null, { file: 'pages/' })
    return 'w3c'
  }
  findings.add('start-page-missing')
  return null
}

/** The deepest common folder of all files; '' if there is none. */
export function sharedFolder(paths: string[]): string {
  let shared = paths[0]?.split('/').slice(0, -1) ?? []
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1)
    const differs = shared.findIndex((part, index) => part !== parts[index])
    if (differs !== -1) shared = shared.slice(0, differs)
  }
  return shared.join('/')
}
