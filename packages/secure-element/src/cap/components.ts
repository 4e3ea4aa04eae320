import { maxAidLength, shortestAid } from '../aid.ts'
import { byteAt, toHex } from '../bytes.ts'
import { CapError } from './cap-error.ts'

/** Components of a CAP file and their tags (Java Card VM Specification 3.1, 6.2). */
const tags = {
  Header: 1,
  Directory: 2,
  Applet: 3,
  Import: 4,
  ConstantPool: 5,
  Class: 6,
  Method: 7,
  StaticField: 8,
  RefLocation: 9,
  Export: 10,
  Descriptor: 11,
  Debug: 12,
  StaticResources: 13,
} as const

export type ComponentName = keyof typeof tags

export const componentNames = Object.keys(tags) as ComponentName[]

/** The components to load, in the required order (the same, 6.3). */
export const loadOrder = [
  'Header',
  'Directory',
  'Import',
  'Applet',
  'Class',
  'Method',
  'StaticField',
  'Export',
  'ConstantPool',
  'RefLocation',
  'StaticResources',
] as const satisfies readonly ComponentName[]

export type Components = Partial<Record<ComponentName, Uint8Array>>

/** Sizes have two bytes, but four in the extended format, which has no limit of 64 kB. */
const wideWhenExtended = new Set<ComponentName>(['Method', 'RefLocation', 'Descriptor', 'Debug'])
const sizeBytes = (name: ComponentName, isExtended: boolean): 2 | 4 =>
  name === 'StaticResources' || (isExtended && wideWhenExtended.has(name)) ? 4 : 2

/** The bytes before the contents of a component: a tag and the size. */
export const headOf = (name: ComponentName, isExtended: boolean): number =>
  1 + sizeBytes(name, isExtended)

/** By tag, for readers of a load file. Undefined for an unknown tag. */
export const componentOfTag = (tag: number): ComponentName | undefined =>
  componentNames.find((name) => tags[name] === tag)

const largest = 3 + 0xffff
/** An archive is no larger either. */
const largestWide = 4 * 1024 * 1024
/** The maximum size of a component in an archive: `.capx` ones have a size of four bytes. */
export const largestComponent = (entry: string): number =>
  entry.endsWith('.capx') ? largestWide : largest

export function checkComponent(name: ComponentName, data: Uint8Array, isExtended: boolean): void {
  const head = headOf(name, isExtended)
  if (data.length < head) throw new CapError('cutOff', { entry: name })
  if (byteAt(data, 0) !== tags[name])
    throw new CapError('wrongTag', {
      entry: name,
      expected: `${tags[name]}`,
      found: `${byteAt(data, 0)}`,
    })
  const size = sizeAt(data, 1, head - 1)
  if (size !== data.length - head)
    throw new CapError('wrongSize', {
      entry: name,
      expected: `${size}`,
      found: `${data.length - head}`,
    })
}

/** A size of two or four bytes. */
export const sizeAt = (data: Uint8Array, at: number, length: number): number => {
  let size = 0
  for (let index = 0; index < length; index++) size = size * 256 + byteAt(data, at + index)
  return size
}

/** Compares the sizes in the directory with those of the loaded components. */
export function checkDirectory(
  components: Components,
  directory: Uint8Array,
  { isExtended, format }: { isExtended: boolean; format: string },
): void {
  let at = headOf('Directory', isExtended)
  for (const name of componentNames) {
    // Since format 2.3.
    if (name === 'StaticResources' && format !== newFormat) break
    const length = sizeBytes(name, isExtended)
    if (at + length > directory.length) throw new CapError('cutOff', { entry: 'Directory' })
    const wanted = sizeAt(directory, at, length)
    at += length
    if (!isLoaded(name)) continue
    const data = components[name]
    const found = data ? data.length - headOf(name, isExtended) : 0
    if (wanted !== found)
      throw new CapError('wrongDirectory', {
        entry: name,
        expected: `${wanted}`,
        found: `${found}`,
      })
  }
}

const isLoaded = (name: ComponentName) => (loadOrder as readonly ComponentName[]).includes(name)
const newFormat = '2.3'

/** Sequential reader of a component whose size has two bytes. */
function reader(name: ComponentName, data: Uint8Array) {
  let at = 3
  const take = (length: number): Uint8Array => {
    if (at + length > data.length)
      throw new CapError('cutOff', {
        entry: name,
        expected: `${length}`,
        found: `${data.length - at}`,
      })
    at += length
    return data.subarray(at - length, at)
  }
  const byte = () => byteAt(take(1), 0)
  return {
    take,
    byte,
    short: () => sizeAt(take(2), 0, 2),
    aid(): string {
      const length = byte()
      if (length < shortestAid || length > maxAidLength)
        throw new CapError('wrongAid', {
          entry: name,
          expected: `${shortestAid}–${maxAidLength}`,
          found: `${length}`,
        })
      return toHex(take(length))
    },
    isAtEnd: () => at === data.length,
    end() {
      if (at !== data.length)
        throw new CapError('leftOver', { entry: name, found: `${data.length - at}` })
    },
  }
}

/** A package with its version. AIDs are upper-case hex. */
export interface PackageVersion {
  aid: string
  major: number
  minor: number
}

export interface CapHeader extends PackageVersion {
  /** The format version, such as `2.1`. */
  format: string
  usesIntegers: boolean
  hasExports: boolean
  hasApplets: boolean
  /**
   * The name in the header; older converters omit it. In the extended format, that of the first
   * package.
   */
  name?: string
  /** The extended format of Java Card 3.1: several packages, and code of more than 64 kB. */
  isExtended?: true
  /**
   * The public packages in the extended format, which has an AID and version of its own; an
   * application may have none.
   */
  packages?: PackageVersion[]
}

const magic = 'DECAFFED'
const flags = { integers: 0x01, exports: 0x02, applets: 0x04, extended: 0x08 }
const formats = ['2.1', '2.2', newFormat]

export function parseHeader(data: Uint8Array): CapHeader {
  const read = reader('Header', data)
  const found = toHex(read.take(4))
  if (found !== magic) throw new CapError('wrongMagic', { expected: magic, found })
  const formatMinor = read.byte()
  const formatMajor = read.byte()
  const format = `${formatMajor}.${formatMinor}`
  if (!formats.includes(format))
    throw new CapError('unsupportedFormat', { expected: formats.join(' / '), found: format })
  const bits = read.byte()
  const isExtended = (bits & flags.extended) !== 0
  if (isExtended && format !== newFormat)
    throw new CapError('unsupportedFormat', {
      expected: `${newFormat} for the extended format`,
      found: format,
    })
  const version = (): PackageVersion => {
    const minor = read.byte()
    const major = read.byte()
    return { aid: read.aid(), major, minor }
  }
  const { aid, major, minor } = version()
  const text = () => new TextDecoder().decode(read.take(read.byte()))
  const packages = isExtended ? Array.from({ length: read.byte() }, version) : []
  const names = isExtended ? packages.map(text) : read.isAtEnd() ? [] : [text()]
  const [name = ''] = names
  read.end()
  return {
    format,
    usesIntegers: (bits & flags.integers) !== 0,
    hasExports: (bits & flags.exports) !== 0,
    hasApplets: (bits & flags.applets) !== 0,
    aid,
    major,
    minor,
    ...(name !== '' && { name: name.replaceAll('/', '.') }),
    ...(isExtended && { isExtended, packages }),
  }
}

/** An applet class: the module that instances are created from. */
export interface CapApplet {
  aid: string
  /** The offset of its install method in the method component. */
  installOffset: number
  /** In the extended format, the block of the Method component in which the offset is. */
  methodBlock?: number
}

export function parseApplets(data: Uint8Array, isExtended = false): CapApplet[] {
  const read = reader('Applet', data)
  const count = read.byte()
  const applets = Array.from({ length: count }, () => ({
    aid: read.aid(),
    ...(isExtended && { methodBlock: read.byte() }),
    installOffset: read.short(),
  }))
  read.end()
  const seen = new Set<string>()
  for (const { aid } of applets) {
    if (seen.has(aid)) throw new CapError('duplicateAid', { entry: 'Applet', found: aid })
    seen.add(aid)
  }
  return applets
}

export function parseImports(data: Uint8Array): PackageVersion[] {
  const read = reader('Import', data)
  const count = read.byte()
  const imports = Array.from({ length: count }, () => {
    const minor = read.byte()
    const major = read.byte()
    return { aid: read.aid(), major, minor }
  })
  read.end()
  return imports
}
