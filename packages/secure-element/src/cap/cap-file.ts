import { concat, toHex } from '../bytes.ts'
import { CapError } from './cap-error.ts'
import {
  checkComponent,
  checkDirectory,
  componentNames,
  largestComponent,
  loadOrder,
  parseApplets,
  parseHeader,
  parseImports,
  type CapApplet,
  type CapHeader,
  type ComponentName,
  type Components,
  type PackageVersion,
} from './components.ts'
import { readAppletNames, readSignatures, type CapSignature } from './cap-metadata.ts'
import { readEntry, zipEntries, type ZipEntry } from './zip-entries.ts'

/** The contents of a CAP file, and the bytes to load. */
export interface CapFile extends CapHeader {
  /** With the class name, if the archive has it. */
  applets: (CapApplet & { name?: string })[]
  /** Signatures for domains that verify load files. */
  signatures: CapSignature[]
  imports: PackageVersion[]
  /** The oldest Java Card version that has the imports, if the framework is imported. */
  javaCard?: string
  components: { name: ComponentName; size: number }[]
  /** The load file data block: what LOAD sends and what its hash covers. */
  code: Uint8Array
}

const folder = '/javacard/'

/** Components that every CAP file has. */
const required = [
  'Header',
  'Directory',
  'Import',
  'Class',
  'Method',
  'StaticField',
  'ConstantPool',
  'RefLocation',
] as const satisfies readonly ComponentName[]

/**
 * Parses a CAP file (Java Card VM Specification 3.1, chapter 6), also in the extended format: the package, its applets and
 * imports. The archive may have up to 4 MiB and 512 entries; entries that are not components are
 * ignored. Throws only `CapError`.
 */
export const readCapFile = (archive: Uint8Array): CapFile => openCap(archive).cap

/** The same with its components, for callers that inspect them. @throws CapError */
export function openCap(archive: Uint8Array): { cap: CapFile; components: Components } {
  const entries = zipEntries(archive)
  const { components, path } = componentsOf(archive, entries)
  for (const name of required)
    if (!components[name]) throw new CapError('missingComponent', { entry: name })
  const header = parseHeader(need(components, 'Header'))
  const { isExtended = false } = header
  for (const name of componentNames) {
    const data = components[name]
    if (data) checkComponent(name, data, isExtended)
  }
  checkDirectory(components, need(components, 'Directory'), { isExtended, format: header.format })
  const names = readAppletNames(archive, entries)
  const applets = (
    header.hasApplets ? parseApplets(need(components, 'Applet'), isExtended) : []
  ).map((each) => {
    const name = names.get(each.aid)
    return { ...each, ...(name !== undefined && { name }) }
  })
  if (header.hasExports) need(components, 'Export')
  const imports = parseImports(need(components, 'Import'))
  const javaCard = javaCardOf(imports)
  const cap: CapFile = {
    name: path.slice(0, -folder.length).replaceAll('/', '.'),
    ...header,
    applets,
    signatures: readSignatures(archive, entries),
    imports,
    ...(javaCard !== undefined && { javaCard }),
    components: componentNames.flatMap((name) => {
      const data = components[name]
      return data ? [{ name, size: data.length }] : []
    }),
    code: concat(...loadOrder.flatMap((name) => components[name] ?? [])),
  }
  return { cap, components }
}

function need(components: Components, name: ComponentName): Uint8Array {
  const data = components[name]
  if (!data) throw new CapError('missingComponent', { entry: name })
  return data
}

function componentsOf(
  archive: Uint8Array,
  entries: readonly ZipEntry[],
): { components: Components; path: string } {
  const components: Components = {}
  let path: string | undefined
  for (const entry of entries) {
    const at = entry.name.lastIndexOf(folder) + folder.length
    // `.capx` for components whose sizes have four bytes.
    const name = componentNames.find((each) =>
      [`${each}.cap`, `${each}.capx`].includes(entry.name.slice(at)),
    )
    if (at < folder.length || !name) continue
    const here = entry.name.slice(0, at)
    if (path !== undefined && path !== here)
      throw new CapError('severalPackages', { expected: path, found: here })
    path = here
    components[name] = readEntry(archive, entry, largestComponent(entry.name))
  }
  if (path === undefined) throw new CapError('missingComponent', { entry: 'Header' })
  return { components, path }
}

const framework = 'A0000000620101'

/** The minor version of the framework in each Java Card (capfile, CAPFile.java; the export files of 3.1 and 3.2). */
const javaCards: Record<number, string> = {
  0: '2.1.1',
  1: '2.1.2',
  2: '2.2.1',
  3: '2.2.2',
  4: '3.0.1',
  5: '3.0.4',
  6: '3.0.5',
  8: '3.1',
  9: '3.2',
}

export function javaCardOf(imports: readonly PackageVersion[]): string | undefined {
  const found = imports.find(({ aid, major }) => aid === framework && major === 1)
  return found && javaCards[found.minor]
}

/** The hash of a load file data block in hex; it identifies the installed code. */
export async function loadFileHash(
  code: Uint8Array,
  algorithm: 'SHA-1' | 'SHA-256' = 'SHA-256',
): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest(algorithm, code.slice())))
}
