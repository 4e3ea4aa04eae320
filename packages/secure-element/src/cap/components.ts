import { maxAidLength, shortestAid } from '../aid.ts'
import { byteAt, toHex } from '../bytes.ts'
import { CapError } from './cap-error.ts'

/** Components of a CAP file and their tags (Java Card VM Specification 2.2.2, 6.2). */
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
] as const satisfies readonly ComponentName[]

export type Components = Partial<Record<ComponentName, Uint8Array>>

/** A tag, a two-byte size, and the contents. */
export const componentHead = 3
export const largestComponent = componentHead + 0xffff

export function checkComponent(name: ComponentName, data: Uint8Array): void {
  if (data.length < componentHead) throw new CapError('cutOff', { entry: name })
  if (byteAt(data, 0) !== tags[name])
    throw new CapError('wrongTag', {
      entry: name,
      expected: `${tags[name]}`,
      found: `${byteAt(data, 0)}`,
    })
  const size = sizeAt(data, 1)
  if (size !== data.length - componentHead)
    throw new CapError('wrongSize', {
      entry: name,
      expected: `${size}`,
      found: `${data.length - componentHead}`,
    })
}

const sizeAt = (data: Uint8Array, at: number): number =>
  (byteAt(data, at) << 8) | byteAt(data, at + 1)

/** Compares the sizes in the directory with those of the loaded components. */
export function checkDirectory(components: Components, directory: Uint8Array): void {
  for (const name of loadOrder) {
    const at = componentHead + (tags[name] - 1) * 2
    if (at + 2 > directory.length) throw new CapError('cutOff', { entry: 'Directory' })
    const wanted = sizeAt(directory, at)
    const data = components[name]
    const found = data ? data.length - componentHead : 0
    if (wanted !== found)
      throw new CapError('wrongDirectory', {
        entry: name,
        expected: `${wanted}`,
        found: `${found}`,
      })
  }
}

/** Sequential reader of a component. */
function reader(name: ComponentName, data: Uint8Array) {
  let at = componentHead
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
    short: () => sizeAt(take(2), 0),
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
  /** The name in the header; older converters omit it. */
  name?: string
}

const magic = 'DECAFFED'
const flags = { integers: 0x01, exports: 0x02, applets: 0x04 }

export function parseHeader(data: Uint8Array): CapHeader {
  const read = reader('Header', data)
  const found = toHex(read.take(4))
  if (found !== magic) throw new CapError('wrongMagic', { expected: magic, found })
  const formatMinor = read.byte()
  const formatMajor = read.byte()
  const format = `${formatMajor}.${formatMinor}`
  // 2.3 is the extended format of Java Card 3.1, whose component headers differ.
  if (formatMajor !== 2 || formatMinor < 1 || formatMinor > 2)
    throw new CapError('unsupportedFormat', { expected: '2.1 / 2.2', found: format })
  const bits = read.byte()
  const minor = read.byte()
  const major = read.byte()
  const aid = read.aid()
  const name = read.isAtEnd() ? '' : new TextDecoder().decode(read.take(read.byte()))
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
  }
}

/** An applet class: the module that instances are created from. */
export interface CapApplet {
  aid: string
  /** The offset of its install method in the method component. */
  installOffset: number
}

export function parseApplets(data: Uint8Array): CapApplet[] {
  const read = reader('Applet', data)
  const count = read.byte()
  const applets = Array.from({ length: count }, () => ({
    aid: read.aid(),
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
